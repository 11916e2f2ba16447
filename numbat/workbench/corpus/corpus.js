"use strict";
const at = (id) => document.getElementById(id);
const query = at("query"), names = at("names");
let known = [], newest = 0, chosen = -1, waiting = 0;

const ask = async (asked) => {
  try {
    const answer = await fetch("call", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) });
    return await answer.json();
  } catch {
    return { error: "Numbat does not answer\n  is numbat serve still running?" };
  }
};
const made = (name, text) => {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
};

const count = (number, one, more = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;
const row = (kind, cells) => {
  const line = document.createElement("tr");
  line.append(...cells.map((each) => {
    const cell = document.createElement(kind);
    if (kind === "th") cell.scope = "col";
    if (typeof each === "number") cell.className = "n";
    cell.append(typeof each === "number" ? each.toLocaleString("en") : each);
    return cell;
  }));
  return line;
};
/** A button that searches for a query. */
const searching = (text, wanted) => {
  const button = made("button", text);
  button.type = "button";
  button.addEventListener("click", () => {
    query.value = wanted;
    run();
    query.focus();
  });
  return button;
};

// The overview, which the page shows until somebody searches

const showOverview = (found) => {
  if (found.error) {
    at("sizes").textContent = found.error;
    return;
  }
  const parts = found.sentences - found.full;
  at("sizes").textContent = [`${count(found.sentences, "sentence")} of ${count(found.words, "word")}`, `${count(found.violating, "sentence")} with violations`,
    ...(parts ? [`${count(parts, "sentence")} in fragments instead of one tree`] : [])].join("; ");
  at("violated").replaceChildren(row("th", ["property", "violations", "sentences"]),
    ...found.violated.map((each) => row("td", [searching(each.property, each.query), each.violations, each.sentences])));
  at("violated").hidden = !found.violated.length;
  const more = found.properties - found.violated.length;
  at("further").textContent = more ? `and ${count(more, "more property", "more properties")}` : found.properties ? "" : "Nothing is violated.";
  at("examples").replaceChildren(...found.examples.map((each) => {
    const item = document.createElement("li");
    item.append(searching(each.query, each.query), made("small", each.says));
    return item;
  }));
};

// Matches and counts

const showTree = async (line, place) => {
  place.replaceChildren(made("small", "drawing the tree"));
  const found = await ask({ call: "tree", sentence: line.sentence });
  const image = document.createElement("img");
  image.alt = found.summary || "";
  if (found.svg) image.src = URL.createObjectURL(new Blob([found.svg], { type: "image/svg+xml" }));
  const box = document.createElement("div"), list = document.createElement("ul");
  box.className = "tree";
  box.tabIndex = 0;
  box.append(image);
  list.append(...(found.explanations || []).map((each) => made("li", each)));
  place.replaceChildren(made("small", found.summary || found.error), ...(found.error ? [] : [box, list]));
};
/** The words of a line: those of the match are marked as one, those in conflict underlined. */
const marked = (words) => {
  const parts = [];
  let inside = null;
  words.forEach(([text, isMatch, isConflict], i) => {
    const word = isConflict ? made("u", text) : text;
    if (isMatch && !inside) parts.push(i ? " " : "", inside = made("mark", ""));
    else if (isMatch) inside.append(" ");
    else parts.push(i ? " " : "");
    if (!isMatch) inside = null;
    if (inside) inside.append(word);
    else parts.push(word);
  });
  return parts;
};
const shown = (line) => {
  const item = document.createElement("li"), button = document.createElement("button"), below = document.createElement("div");
  button.type = "button";
  button.setAttribute("aria-expanded", "false");
  below.hidden = true;
  button.append(made("small", line.place), ...marked(line.words));
  if (line.violated.length) button.append(made("small", line.violated.join("; ")));
  button.addEventListener("click", () => {
    below.hidden = !below.hidden;
    button.setAttribute("aria-expanded", String(!below.hidden));
    if (!below.hidden) showTree(line, below);
  });
  item.append(button, below);
  return item;
};
const showCounts = (counts) => {
  const cells = (group) => [
    ...Object.values(group.values).map((value) => value || "(none)"), group.matches, group.sentences, Number(group.per_1000_words.value.toFixed(2)),
  ];
  const groups = counts.keys.length ? counts.groups.slice(0, 50) : [counts.whole];
  at("counts").replaceChildren(row("th", [...counts.keys, "matches", "sentences", "per 1,000 words"]), ...groups.map((group) => row("td", cells(group))));
};
const run = async () => {
  const number = ++newest, text = query.value.trim();
  at("error").textContent = "";
  at("overview").hidden = Boolean(text);
  at("results").hidden = !text;
  if (!text) return;
  at("told").textContent = "searching";
  const found = await ask({ call: "query", text, order: at("order").value });
  if (number !== newest) return;
  at("error").textContent = found.error || "";
  const lines = found.lines || [];
  at("told").textContent = found.error ? "" : lines.length === found.most ? `the first ${found.most} matches` : count(lines.length, "match", "matches");
  at("lines").replaceChildren(...lines.map(shown));
  at("counts").replaceChildren();
  at("results").hidden = Boolean(found.error);
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

// Completion

const wordBefore = () => (/[\w.-]*$/.exec(query.value.slice(0, query.selectionStart)) || [""])[0];
const close = () => {
  names.hidden = true;
  query.setAttribute("aria-expanded", "false");
  query.removeAttribute("aria-activedescendant");
};
const complete = (name) => {
  const end = query.selectionStart, begin = end - wordBefore().length;
  query.setRangeText(`${name} `, begin, end, "end");
  close();
  query.focus();
  soon();
};
const offer = () => {
  const begun = wordBefore();
  const fitting = begun ? known.filter((name) => name.toLowerCase().startsWith(begun.toLowerCase()) && name !== begun).slice(0, 8) : [];
  chosen = -1;
  close();
  names.hidden = fitting.length === 0;
  query.setAttribute("aria-expanded", String(!names.hidden));
  names.replaceChildren(...fitting.map((name, i) => {
    const item = made("li", name);
    item.role = "option";
    item.id = `name-${i}`;
    item.addEventListener("mousedown", (event) => { event.preventDefault(); complete(name); });
    return item;
  }));
};
query.addEventListener("input", () => { offer(); soon(); });
query.addEventListener("keydown", (event) => {
  const items = Array.from(names.children);
  if (names.hidden) return;
  if (event.key === "Escape") close();
  else if (event.key === "Tab" && chosen < 0) { event.preventDefault(); complete(items[0].textContent); }
  else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) { event.preventDefault(); complete(items[chosen].textContent); }
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    query.setAttribute("aria-activedescendant", items[chosen].id);
  }
});
at("form").addEventListener("submit", (event) => { event.preventDefault(); close(); run(); });
at("order").addEventListener("change", run);
at("by").addEventListener("change", run);
ask({ call: "names" }).then((found) => {
  known = found.names || [];
  at("run").textContent = found.error || `${found.store}: ${found.run}`;
  at("by").append(...(found.keys || []).map((key) => made("option", key)));
});
ask({ call: "overview" }).then(showOverview);
run();
