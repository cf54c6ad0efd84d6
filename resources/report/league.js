document.querySelectorAll("table.sortable").forEach((table) => {
  table.querySelectorAll("thead th").forEach((head, column) => {
    head.addEventListener("click", () => {
      const body = table.tBodies[0];
      const down = head.getAttribute("aria-sort") !== "descending";
      const text = (row) => row.cells[column].textContent.trim();
      const value = (row) => parseFloat(text(row).replace("−", "-"));
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (Number.isNaN(x) && Number.isNaN(y)) return text(a).localeCompare(text(b));
        return (Number.isNaN(x) ? Infinity : x) - (Number.isNaN(y) ? Infinity : y);
      });
      if (down) rows.reverse();
      table.querySelectorAll("th").forEach((th) => th.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.forEach((row) => body.append(row));
    });
  });
});
