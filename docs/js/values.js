// Tables inside <div class="values">: a click on a heading sorts, two menus choose table and verdict.
(function () {
  "use strict";

  // "1,080", "3.298E+11", "<0.0001" and "3 to 5" sort as numbers, by the first of them.
  function key(text) {
    const plain = text.replace(/,/g, "").replace(/^</, "").trim();
    const number = parseFloat(plain);
    return plain !== "" && !Number.isNaN(number) ? number : null;
  }

  function compare(a, b) {
    const x = key(a), y = key(b);
    if (x !== null && y !== null) return x - y;
    // what is no number stands behind, in its own order
    if (x !== null) return -1;
    if (y !== null) return 1;
    return a.localeCompare(b, "en", { numeric: true });
  }

  function sort(table, column, heading) {
    const body = table.tBodies[0];
    const up = heading.getAttribute("aria-sort") !== "ascending";
    const rows = Array.from(body.rows);
    const text = (row) => row.cells[column].textContent.trim();
    rows.sort((a, b) => {
      // an empty cell is last in both directions
      if (text(a) === "" || text(b) === "") return (text(a) === "") - (text(b) === "");
      return (up ? 1 : -1) * compare(text(a), text(b));
    });
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...rows);
  }

  function menu(label, values, changed) {
    const box = document.createElement("label");
    const choice = document.createElement("select");
    box.append(label + " ", choice);
    choice.append(new Option("all", ""));
    for (const value of values) choice.append(new Option(value, value));
    choice.addEventListener("change", changed);
    return box;
  }

  function prepare(table) {
    const body = table.tBodies[0];
    const headings = Array.from(table.tHead.rows[0].cells);
    headings.forEach((heading, column) => {
      heading.tabIndex = 0;
      heading.title = "sort";
      heading.addEventListener("click", () => sort(table, column, heading));
      heading.addEventListener("keydown", (event) => {
        if (event.key === "Enter") sort(table, column, heading);
      });
    });
    const chosen = ["table", "verdict"].map((name) =>
      headings.findIndex((heading) => heading.textContent.trim() === name)
    ).filter((column) => column >= 0);
    const bar = document.createElement("p");
    const count = document.createElement("span");
    bar.className = "values-menu";
    const menus = [];
    function show() {
      let shown = 0;
      for (const row of body.rows) {
        row.hidden = chosen.some((column, i) => {
          const wanted = menus[i].querySelector("select").value;
          return wanted !== "" && row.cells[column].textContent.trim() !== wanted;
        });
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = shown + " of " + body.rows.length + " values";
    }
    for (const column of chosen) {
      const values = new Set(
        Array.from(body.rows, (row) => row.cells[column].textContent.trim())
      );
      menus.push(menu(headings[column].textContent.trim(), values, show));
    }
    bar.append(...menus, count);
    table.closest(".values").prepend(bar);
    for (const row of body.rows) {
      const last = row.cells[row.cells.length - 1];
      last.dataset.verdict = last.textContent.trim();
    }
    show();
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".values table").forEach(prepare);
  });
})();
