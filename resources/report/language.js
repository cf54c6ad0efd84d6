(() => {
  const button = document.getElementById("language");
  const spans = [...document.querySelectorAll("[data-ja]")];
  spans.forEach((span) => { span.dataset.en = span.textContent; });
  const words = JSON.parse(document.getElementById("words")?.textContent || "{}");
  const drawn = [...document.querySelectorAll("svg.graph text")].map((text) => [text, words[text.textContent], text.textContent]);
  const names = { en: "English", ja: "日本語", zh: "中文" };
  const codes = Object.keys(names);
  const after = (code) => codes[(codes.indexOf(code) + 1) % codes.length];
  const show = (code) => {
    document.documentElement.lang = code;
    spans.forEach((span) => { span.textContent = span.dataset[code] || span.dataset.en; });
    document.querySelectorAll("[data-label]").forEach((element) => {
      const text = (code === "ja" ? element.dataset.labelJa : code === "zh" ? element.dataset.labelZh : "") || element.dataset.label;
      element.setAttribute("aria-label", text);
      element.title = text;
    });
    drawn.filter(([, said]) => said).forEach(([text, said, english]) => { text.textContent = said[code] || english; });
    button.textContent = names[after(code)];
    document.dispatchEvent(new Event("language"));
  };
  button.addEventListener("click", () => show(after(document.documentElement.lang)));
  document.getElementById("mono").addEventListener("click", () => {
    const on = document.documentElement.classList.toggle("mono");
    document.getElementById("mono").setAttribute("aria-pressed", String(on));
  });
  const own = codes.find((code) => (navigator.language || "").startsWith(code));
  show(own || "en");
})();
