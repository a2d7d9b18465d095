// Headers of tables of class "sortable" become buttons: largest first, then smallest, as aria-sort says.

// Cells are compared by their data-v where all of a column have one or show a dash, else as text.
function valueOf(row, column) {
  const cell = row.cells[column];
  if (cell === undefined) return { text: "" };
  const number = cell.dataset.v === undefined ? NaN : Number(cell.dataset.v);
  return { number, text: cell.textContent.trim() };
}

function compare(a, b) {
  const aIsNumber = !Number.isNaN(a.number), bIsNumber = !Number.isNaN(b.number);
  if (aIsNumber && bIsNumber) return a.number - b.number;
  if (aIsNumber !== bIsNumber) return aIsNumber ? 1 : -1;
  return a.text.localeCompare(b.text, "en", { numeric: true });
}

function sortBy(table, column, descending) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, index) => ({ row, index, value: valueOf(row, column) }));
  const sign = descending ? -1 : 1;
  rows.sort((a, b) => sign * compare(a.value, b.value) || a.index - b.index);
  body.append(...rows.map((entry) => entry.row));
}

export function makeSortable(root) {
  for (const table of root.querySelectorAll("table.sortable")) {
    const headers = [...table.tHead.rows[0].cells];
    headers.forEach((header, column) => {
      if (header.classList.contains("no-sort")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        // Numbers are read from the top, names from A.
        const first = header.ariaSort ?? null;
        const numeric = table.tBodies[0].querySelector(`tr > :nth-child(${column + 1})[data-v]`) !== null;
        const descending = first === null ? numeric : first === "ascending";
        for (const other of headers) other.removeAttribute("aria-sort");
        header.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sortBy(table, column, descending);
      });
    });
  }
}
