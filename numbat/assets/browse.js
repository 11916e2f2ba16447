const data = JSON.parse(document.getElementById("data").textContent);
const by = new Map(data.constructions.map(c => [c.name, c]));
const main = document.querySelector("main");
const MOST = 40;

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children.filter(child => child !== null));
  return node;
}
// An operand with features, NP[case=acc], leads to its construction.
const named = operand => by.has(operand) ? operand : operand.split("[")[0];
const link = operand => by.has(named(operand))
  ? el("a", { href: "#" + encodeURIComponent(named(operand)) }, operand) : el("span", {}, operand);
const number = value => Number.isInteger(value) ? value.toLocaleString("en") : String(Math.round(value * 1000) / 1000);
const share = value => value.toFixed(4);

function list() {
  const wanted = document.getElementById("find").value.toLowerCase();
  const shown = data.constructions.filter(c => (c.name + " " + c.title).toLowerCase().includes(wanted));
  document.getElementById("list").replaceChildren(
    entry("", "the grammar", data.constructions.length),
    ...shown.flatMap((c, i) => [
      data.chapters.length && (!i || shown[i - 1].chapter !== c.chapter) ? el("h2", {}, data.chapters[c.chapter].title) : null,
      entry(c.name, c.name, c.occurrences ?? c.properties.length)]).filter(Boolean));
}
// What the head of a file says of it: what it covers, literature, sentences that show it.
const chapter = (n, level) => [el(level, {}, data.chapters[n].title), ...data.chapters[n].text.map(text => el("p", { class: "faint" }, text))];
function entry(name, text, count) {
  const attributes = { href: "#" + encodeURIComponent(name) };
  if (name === current()) attributes.class = "on";
  return el("a", attributes, el("span", {}, text), el("span", {}, number(count)));
}
const wide = table => el("div", { class: "wide" }, table);
const heading = name => el("th", { class: "n" }, el("span", {}, name));
const count = n => el("td", n ? { class: "n" } : { class: "n none" }, n ? number(n) : "–");
const some = (n, one) => `${number(n)} ${n === 1 ? one : one.endsWith("y") ? one.slice(0, -1) + "ies" : one + "s"}`;
const current = () => decodeURIComponent(location.hash.slice(1));

function overview() {
  const counted = data.constructions.some(c => c.occurrences !== null);
  const used = data.relations.filter(r => data.constructions.some(c => c.properties.some(p => p.relation === r)));
  const head = el("tr", {}, el("th", {}, "construction"), counted ? heading("occurrences") : null,
    ...used.map(heading), heading("all"));
  const of = (c, relation) => c.properties.filter(p => p.relation === relation).length;
  const sum = counts => counts.reduce((one, other) => one + other, 0);
  const rows = data.constructions.map(c => el("tr", {}, el("td", {}, link(c.name), c.title ? " " + c.title : ""),
    counted ? count(c.occurrences ?? 0) : null, ...used.map(r => count(of(c, r))), count(c.properties.length)));
  const total = el("tr", { class: "total" }, el("td", {}, "all"), counted ? el("td", {}, "") : null,
    ...used.map(r => count(sum(data.constructions.map(c => of(c, r))))), count(sum(data.constructions.map(c => c.properties.length))));
  main.replaceChildren(el("h2", {}, data.name || "a grammar"),
    el("dl", {}, ...data.about.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)])),
    ...data.chapters.flatMap((_, n) => [...chapter(n, "h3"),
      el("div", { class: "chips" }, ...data.constructions.filter(c => c.chapter === n).map(c => link(c.name)))]),
    el("h3", {}, "Properties"), wide(el("table", { class: "counts" }, head, ...rows, total)));
}

function properties(c, filter) {
  const found = [];
  for (const relation of data.relations) {
    const those = c.properties.filter(p => p.relation === relation && `${p.text} ${p.remark ?? ""}`.toLowerCase().includes(filter));
    if (!those.length) continue;
    const counted = those.some(p => p.counts);
    const head = el("tr", {}, el("th", {}, "property"), el("th", { class: "n" }, "weight"), el("th", { class: "n" }, "cost"),
      ...(counted ? ["valid", "violating"].map(t => el("th", { class: "n" }, t)) : []),
      ...(counted ? [el("th", { class: "n" }, "w0"), el("th", { class: "bar" }, ""), el("th", { class: "n" }, "w1"), el("th", { class: "names" }, "not in")] : []),
      el("th", { class: "place" }, "line"));
    const table = el("table", { class: counted ? "props induced" : "props" }, head);
    const row = p => el("tr", {},
      el("td", { class: "text code" }, p.text, p.hard ? el("span", { class: "hard" }, " hard") : null,
        p.remark ? el("div", { class: "remark" }, p.remark) : null),
      el("td", { class: "n" }, number(p.weight)), el("td", { class: "n" }, number(p.cost)),
      ...(counted ? counts(p.counts) : []), el("td", { class: "where" }, p.line));
    table.append(...those.slice(0, MOST).map(row));
    found.push(el("h4", {}, relation, el("span", { class: "faint" }, "  " + those.length)), wide(table));
    if (those.length > MOST) {
      const more = el("button", {}, `show all ${those.length}`);
      more.addEventListener("click", () => { table.append(...those.slice(MOST).map(row)); more.remove(); });
      found.push(more);
    }
  }
  return found;
}
function counts(c) {
  if (!c) return ["", "", "", "", "", ""].map(t => el("td", {}, t));
  return [el("td", { class: "n" }, number(c[0])), el("td", { class: "n" }, number(c[1])), el("td", { class: "n" }, share(c[2])),
    el("td", { class: "bar" }, el("i", { style: `width:${100 * c[2]}%` })), el("td", { class: "n" }, share(c[3])),
    el("td", { class: "where", title: c[4].join(", ") }, c[4].length > 1 ? `${c[4][0]}, …` : c[4].join(""))];
}

// The most telling properties of an induced grammar, each with its phrases; the daughters it speaks of are in brackets.
function telling(c) {
  const those = c.properties.filter(p => p.phrases);
  if (!those.length) return [];
  const most = Math.max(1, ...those.map(p => p.gain ?? 0));
  const item = p => el("li", {},
    el("div", { class: "said" }, el("span", { class: "code" }, p.text), p.hard ? el("span", { class: "hard" }, "hard") : null,
      el("span", { class: "faint" }, p.counts[1] ? `${number(p.counts[0])} of ${number(p.counts[0] + p.counts[1])}` : `all ${number(p.counts[0])}`),
      el("span", { class: "gain", title: `gain ${number(p.gain ?? 0)}` }, el("i", { style: `width:${100 * (p.gain ?? 0) / most}%` }))),
    el("div", { class: "phrases" }, el("span", {}, ...phrase(p.phrases[0])),
      p.phrases[1] ? el("span", { class: "but" }, "but ", ...phrase(p.phrases[1])) : null));
  return [el("h3", {}, "Most telling", el("span", { class: "faint" }, "  the bar: how far from chance")),
    el("ol", { class: "telling" }, ...those.map(item))];
}
const phrase = text => text.split(/(\[[^[\]]*\])/).map(part => /^\[.+\]$/.test(part) ? el("mark", {}, part.slice(1, -1)) : part);

function rules(c) {
  if (!c.rules.length) return [];
  const most = c.rules[0][0];
  return [el("h3", {}, "Rules", el("span", { class: "faint" }, "  the most frequent")),
    wide(el("table", {}, ...c.rules.map(([count, daughters, shown]) => el("tr", {}, el("td", { class: "n", style: "width:5rem" }, number(count)),
      el("td", { class: "bar" }, el("i", { style: `width:${100 * count / most}%` })),
      el("td", { class: "rule" }, el("div", { class: "chips" }, ...daughters.split(" ").map(link)),
        shown ? el("span", { class: "shown" }, shown) : null)))))];
}

function show(name) {
  const c = by.get(name);
  const input = el("input", { type: "search", placeholder: "find in the properties", "aria-label": "find a property" });
  const below = el("div");
  input.addEventListener("input", () => below.replaceChildren(...properties(c, input.value.toLowerCase())));
  below.append(...properties(c, ""));
  main.replaceChildren(
    el("h2", {}, c.name),
    el("p", { class: "faint" }, [c.title, c.occurrences === null ? "" : some(c.occurrences, "occurrence"),
      some(c.properties.length, "property"), c.uses, ...c.features].filter(Boolean).join("; ")),
    ...(data.chapters.length ? [el("details", {}, el("summary", {}, `Chapter: ${data.chapters[c.chapter].title}`), ...chapter(c.chapter, "h3").slice(1))] : []),
    ...telling(c),
    ...(c.constituents.length ? [el("h3", {}, "Constituents"), el("div", { class: "chips" }, ...c.constituents.map(link))] : []),
    ...rules(c), el("h3", {}, "Properties"), input, below, ...examples(c));
}

function examples(c) {
  if (!c.examples.length) return [];
  return [el("h3", {}, "Example trees"), ...c.examples.map(i => data.examples[i]).map(e => el("figure", {},
    el("p", { class: "further" }, "↔ The tree is wider than the page: scroll it sideways."),
    el("div", { class: "wide", tabindex: "0" }, drawn(e.tree, c.name)), el("figcaption", {}, e.id),
    e.violated.length ? el("ul", { class: "violations bad" }, ...e.violated.map(text => el("li", {}, text))) : null))];
}
function drawn(tree, here) {
  const NS = "http://www.w3.org/2000/svg", ROW = 38;
  const svg = document.createElementNS(NS, "svg");
  const put = (tag, attributes, text) => {
    const node = document.createElementNS(NS, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
  };
  let x = 8;
  const depth = node => Array.isArray(node[1]) ? 1 + Math.max(...node[1].map(depth)) : 1;
  const levels = depth(tree);
  const place = (node, level) => {
    if (!Array.isArray(node[1])) {
      const width = 8.2 * Math.max(node[0].length, node[1].length) + 14;
      const middle = x + width / 2;
      x += width;
      const y = 20 + level * ROW;
      put("text", { x: middle, y, class: "label" }, node[0]);
      put("text", { x: middle, y: y + 19 }, node[1]);
      return [middle, y];
    }
    const y = 20 + level * ROW, begin = x;
    const below = node[1].map(daughter => place(daughter, level + 1));
    x = Math.max(x, begin + 8.2 * node[0].length + 14);
    const middle = (below[0][0] + below[below.length - 1][0]) / 2;
    for (const [dx, dy] of below) put("line", { x1: middle, y1: y + 5, x2: dx, y2: dy - 14 });
    put("text", { x: middle, y, class: node[0] === here ? "label here" : "label" }, node[0]);
    return [middle, y];
  };
  place(tree, 0);
  const width = Math.ceil(x + 8), height = levels * ROW + 18;
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.style.setProperty("--least", `${Math.round(width * .8)}px`);
  svg.setAttribute("aria-label", "tree");
  svg.setAttribute("role", "img");
  return svg;
}

// On a phone the list is folded, and folds again when a construction has been chosen.
const narrow = matchMedia("(max-width: 800px)"), fold = document.querySelector("nav details");
function unfold() {
  fold.open = !narrow.matches;
  fold.querySelector("summary").textContent = by.has(current()) ? `${data.name || "a grammar"}: ${current()}` : some(data.constructions.length, "construction");
}
narrow.addEventListener("change", unfold);


function go() {
  const name = current();
  if (by.has(name)) show(name); else overview();
  list();
  resized.disconnect();
  main.querySelectorAll("figure .wide").forEach(hinted);
  unfold();
  window.scrollTo(0, 0);
}
document.querySelector("h1").textContent = data.name || "a grammar";
document.getElementById("find").addEventListener("input", list);
window.addEventListener("hashchange", go);
go();
