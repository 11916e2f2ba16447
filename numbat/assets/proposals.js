const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
function made(tag, text, kind) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}
const ticked = data.proposals.map(each => !each.remark);
const boxes = [];
function shown() {
  at("grammar").value = data.pieces.map(piece => typeof piece === "string" ? piece : ticked[piece] ? data.proposals[piece].lines : "").join("");
  at("number").textContent = `${ticked.filter(Boolean).length} of ${ticked.length} ticked`;
  boxes.forEach((box, i) => { box.checked = ticked[i]; box.closest("tr").classList.toggle("off", !ticked[i]); });
}
document.querySelector("h1").textContent = `Properties proposed for ${data.name}`;
data.about.forEach(line => at("about").append(made("p", line)));
data.meanings.forEach(line => at("meanings").append(made("p", line, "faint")));
data.proposals.forEach((each, i) => {
  const row = made("tr"), box = made("input"), name = made("label"), cell = made("td"), first = made("td");
  box.type = "checkbox";
  box.id = `box${i}`;
  box.addEventListener("change", () => { ticked[i] = box.checked; shown(); });
  boxes.push(box);
  first.append(box);
  name.htmlFor = box.id;
  name.append(made("span", `${each.construction}: `, "faint"), made("code", each.text));
  cell.append(name);
  if (each.remark) cell.append(made("div", each.remark, "remark"));
  each.examples.forEach(words => {
    const line = made("p", undefined, "example");
    words.forEach((word, place) => {
      if (place) line.append(" ");
      if (word.length === 1) { line.append(word[0]); return; }
      const marked = made("mark", word[0] === "_" ? "" : word[0]);
      marked.append(made("sub", word[1]));
      line.append(marked);
    });
    cell.append(line);
  });
  row.append(first, made("td", String(each.rank), "n"), cell, made("td", each.bound.toFixed(3), "n"),
    made("td", each.confidence.toFixed(3), "n"), made("td", each.support.toFixed(1), "n"));
  at("rows").append(row);
});
at("all").addEventListener("click", () => { data.proposals.forEach((each, i) => { ticked[i] = !each.remark; }); shown(); });
at("none").addEventListener("click", () => { ticked.fill(false); shown(); });
at("copy").addEventListener("click", () => { at("grammar").select(); document.execCommand("copy"); });
at("save").addEventListener("click", () => {
  const link = made("a");
  link.href = URL.createObjectURL(new Blob([at("grammar").value], { type: "text/plain" }));
  link.download = `${data.name}.pg`;
  link.click();
});
shown();
