"use strict";
const at = (id) => document.getElementById(id);
const query = at("query"), names = at("names");
let known = [], newest = 0, chosen = -1, waiting = 0;

const ask = async (asked) => {
  const answer = await fetch("call", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) });
  return answer.json();
};
const made = (name, text) => {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
};

const showTree = async (line) => {
  const found = await ask({ call: "tree", sentence: line.sentence });
  const image = document.createElement("img");
  image.alt = found.summary || found.error;
  if (found.svg) image.src = URL.createObjectURL(new Blob([found.svg], { type: "image/svg+xml" }));
  at("tree").replaceChildren(image);
  at("explanations").replaceChildren(...(found.explanations || []).map((each) => made("li", each)));
};
const shown = (line) => {
  const item = document.createElement("li"), button = document.createElement("button");
  button.type = "button";
  button.append(made("small", line.place), `${line.left} `, made("strong", line.match), ` ${line.right}`);
  if (line.violated.length) button.append(made("small", line.violated.join("; ")));
  button.addEventListener("click", () => showTree(line));
  item.append(button);
  return item;
};
const showCounts = (counts) => {
  const row = (cells, kind) => {
    const made_ = document.createElement("tr");
    made_.append(...cells.map((cell) => made(kind, cell)));
    return made_;
  };
  const cells = (group) => [
    ...Object.values(group.values).map((value) => value || "(none)"), group.matches.toLocaleString("en"),
    group.sentences.toLocaleString("en"), group.per_1000_words.value.toFixed(2),
  ];
  const head = row([...counts.keys, "matches", "sentences", "per 1,000 words"], "th");
  const groups = counts.keys.length ? counts.groups.slice(0, 50) : [counts.whole];
  at("counts").replaceChildren(head, ...groups.map((group) => row(cells(group), "td")));
};
const run = async () => {
  const number = ++newest, text = query.value.trim();
  at("error").textContent = "";
  if (!text) return;
  at("told").textContent = "searching";
  const found = await ask({ call: "query", text, order: at("order").value });
  if (number !== newest) return;
  at("error").textContent = found.error || "";
  const lines = found.lines || [];
  at("told").textContent = found.error ? "" : lines.length === found.most ? `the first ${found.most} matches` : `${lines.length} matches`;
  at("lines").replaceChildren(...lines.map(shown));
  if (found.error) return;
  const counts = await ask({ call: "counts", text, by: at("by").value });
  if (number !== newest) return;
  if (counts.error) at("error").textContent = counts.error;
  else showCounts(counts);
};
const soon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(run, 250);
};

const wordBefore = () => (/[\w.-]*$/.exec(query.value.slice(0, query.selectionStart)) || [""])[0];
const complete = (name) => {
  const end = query.selectionStart, begin = end - wordBefore().length;
  query.setRangeText(`${name} `, begin, end, "end");
  names.hidden = true;
  query.focus();
  soon();
};
const offer = () => {
  const begun = wordBefore();
  const fitting = begun ? known.filter((name) => name.toLowerCase().startsWith(begun.toLowerCase()) && name !== begun).slice(0, 8) : [];
  chosen = -1;
  names.hidden = fitting.length === 0;
  names.replaceChildren(...fitting.map((name) => {
    const item = made("li", name);
    item.role = "option";
    item.addEventListener("mousedown", (event) => { event.preventDefault(); complete(name); });
    return item;
  }));
};
query.addEventListener("input", () => { offer(); soon(); });
query.addEventListener("keydown", (event) => {
  const items = Array.from(names.children);
  if (names.hidden) return;
  if (event.key === "Escape") names.hidden = true;
  else if (event.key === "Tab" && chosen < 0) { event.preventDefault(); complete(items[0].textContent); }
  else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) { event.preventDefault(); complete(items[chosen].textContent); }
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
  }
});
at("form").addEventListener("submit", (event) => { event.preventDefault(); names.hidden = true; run(); });
at("order").addEventListener("change", run);
at("by").addEventListener("change", run);
ask({ call: "names" }).then((found) => {
  known = found.names || [];
  at("run").textContent = found.error || `${found.store}: ${found.run}`;
  at("by").append(...(found.keys || []).map((key) => made("option", key)));
});
