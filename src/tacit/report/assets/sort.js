"use strict";
// Tables that sort where their heads are pressed; without this script they stand as they were written.
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const value = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.o === undefined ? cell.textContent.trim() : Number(cell.dataset.o);
  };
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const falling = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => {
        const x = value(a, at), y = value(b, at);
        const order = typeof x === "number" && typeof y === "number" ? x - y
          : String(x).localeCompare(String(y), "en", { numeric: true });
        return falling ? -order : order;
      });
      body.append(...rows);
    });
  });
}
