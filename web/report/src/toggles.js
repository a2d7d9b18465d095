// One checkbox a series: hides its rows, its columns, its own part and its lines in all charts.

const seriesOf = (root) => [...new Set([...root.querySelectorAll("[data-series]")].map((e) => e.dataset.series))];

function setColumn(header, hidden) {
  const table = header.closest("table");
  const column = header.cellIndex;
  for (const row of table.rows) if (row.cells[column]) row.cells[column].hidden = hidden;
}

function show(root, name, shown, charts) {
  for (const element of root.querySelectorAll("[data-series]")) {
    if (element.dataset.series !== name) continue;
    if (element.tagName === "TH") setColumn(element, !shown);
    else element.hidden = !shown;
  }
  for (const chart of charts) chart.show(name, shown);
}

export function addToggles(root, charts) {
  const names = seriesOf(root);
  if (names.length < 2) return;
  const fieldset = document.createElement("fieldset");
  fieldset.className = "toggles";
  const legend = document.createElement("legend");
  legend.textContent = "Show methods";
  fieldset.append(legend);
  const boxes = names.map((name) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.value = name;
    box.addEventListener("change", () => show(root, name, box.checked, charts));
    label.append(box, " ", name);
    fieldset.append(label);
    return box;
  });
  const all = document.createElement("button");
  all.type = "button";
  all.textContent = "All";
  all.addEventListener("click", () => {
    for (const box of boxes) {
      if (box.checked) continue;
      box.checked = true;
      show(root, box.value, true, charts);
    }
  });
  fieldset.append(all);
  root.getElementById("toolbar").replaceChildren(fieldset);
}
