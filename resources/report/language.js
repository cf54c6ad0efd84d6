(() => {
  const button = document.getElementById("language");
  const spans = [...document.querySelectorAll("[data-ja]")];
  spans.forEach((span) => { span.dataset.en = span.textContent; });
  const show = (code) => {
    document.documentElement.lang = code;
    spans.forEach((span) => { span.textContent = span.dataset[code]; });
    button.textContent = code === "ja" ? "English" : "日本語";
    document.dispatchEvent(new Event("language"));
  };
  button.addEventListener("click", () => show(document.documentElement.lang === "ja" ? "en" : "ja"));
  if ((navigator.language || "").startsWith("ja")) show("ja");
})();
