const table = document.querySelector(".sortable");
const bodies = () => Array.from(table.tBodies);
const keyOf = (body, column) => {
  const cell = body.rows[0].cells[column];
  const key = cell.dataset.key === undefined ? cell.textContent : cell.dataset.key;
  return key !== "" && !Number.isNaN(Number(key)) ? Number(key) : key;
};
const compared = (one, other) =>
  typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
  head.firstElementChild.addEventListener("click", () => {
    const turned = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", turned === 1 ? "ascending" : "descending");
    const sorted = bodies().sort((a, b) => turned * compared(keyOf(a, column), keyOf(b, column)));
    table.append(...sorted);
  });
});
const opened = (event) => {
  const row = event.target.closest(".opens");
  if (row === null || (event.type === "keydown" && event.key !== "Enter")) return;
  row.nextElementSibling.hidden = !row.nextElementSibling.hidden;
};
table.addEventListener("click", opened);
table.addEventListener("keydown", opened);
