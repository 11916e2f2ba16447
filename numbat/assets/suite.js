const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const esc = text => String(text).replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
const num = (value, digits = 3) => value === null ? "–" : String(+value.toFixed(digits)).replace("-", "−");
const SHORT = 12, FIRST = 50;
// an item: id, sentence, sign, rating, score, cost, phenomenon, state (2 well formed, 1 full, 0 partial), residual,
// relations violated, sentences of explanation, tree
const [ID, TEXT, SIGN, RATING, SCORE, COST, PHENOMENON, STATE, RESIDUAL, RELATIONS, SAID, TREE] = Array(12).keys();

$("title").textContent = D.title;
$("about").textContent = D.about;
$("notes").innerHTML = D.notes.map(note => `<p class="note">${esc(note)}</p>`).join("");

if (D.designs) $("designs").innerHTML = "<h2>Designs: people and the model</h2>" + D.designs;

// A part that folds: it is open if it is short.
const part = (title, number, content) => `<details class="part"${number > SHORT ? "" : " open"}><summary><h2>${title}</h2></summary>${content}</details>`;

const MEANS = {
  pearson: "how closely scores follow judgements in a straight line, from −1 to 1; 0: not at all",
  spearman: "how closely the order of the scores follows that of the judgements, from −1 to 1",
  kendall: "of all pairs of sentences, the share in the right order less the share in the wrong one",
  AUC: "how often a good sentence scores higher than a bad one; by chance 0.5",
  "pair accuracy": "how often the better sentence of a pair scores higher; by chance 0.5",
};
function estimate(e) {
  if (e[0] === null) return "–";
  const [value, low, high] = e.map(x => x === null ? null : x.toFixed(3).replace("-", "−"));
  return value + (low === null ? "" : ` <span class="faint">[${low}, ${high}]</span>`);
}
if (D.lines.length) {
  const names = Object.keys(D.lines[0][1]);
  $("statistics").innerHTML = "<h2>How well scores agree with judgements</h2><div class=wide tabindex=0><table><thead><tr><th></th>" +
    names.map(name => `<th class="n">${esc(name)}</th>`).join("") + "</tr></thead><tbody>" +
    D.lines.map(([name, found, baseline], i) => `<tr><th${i ? "" : " class=own"}>${baseline ? "baseline: " : ""}${esc(name)}</th>` +
      names.map(n => `<td class="n">${estimate(found[n])}</td>`).join("") + "</tr>").join("") +
    `</tbody></table></div><p class="faint">${names.filter(name => name in MEANS).map(name => `<strong>${esc(name)}</strong>: ${MEANS[name]}. `).join("")}${D.resampling ? `In brackets: ${esc(D.resampling)}. ` : ""}Ties count half. ${esc(D.ceiling)}</p>`;
}
if (D.reaches.length) {
  const names = Object.keys(D.reaches[0][2]);
  $("statistics").innerHTML += `<h3>What to expect of ${esc(D.model)} beyond these sentences</h3><div class=wide tabindex=0><table><thead><tr><th>with</th><th>estimated from</th>` +
    names.map(name => `<th class="n">${esc(name)}</th>`).join("") + "</tr></thead><tbody>" +
    D.reaches.map(([what, over, found]) => `<tr><th>${esc(what)}</th><td>${esc(over)}</td>` +
      names.map(n => `<td class="n">${estimate(found[n])}</td>`).join("") + "</tr>").join("") + "</tbody></table></div>";
}
if (D.beyond.length) $("statistics").innerHTML += `<h3>Beyond length</h3><pre class="wide" tabindex="0">${D.beyond.map(esc).join("\n")}</pre>`;
if (D.mixed.length) $("statistics").innerHTML += `<h3>Mixed models</h3><pre class="wide" tabindex="0">${D.mixed.map(esc).join("\n")}</pre>`;
const several = D.phenomena.filter(p => p[1] > 1), single = D.phenomena.length - several.length;
if (several.length) {
  $("phenomena").innerHTML = part(`Phenomena (${several.length})`, several.length, "<div class=wide tabindex=0><table><thead><tr><th>phenomenon</th><th class=n>items</th>" +
    `<th class=n>mean rating</th><th class=n>mean score</th><th class=n>${esc(D.main)}</th></tr></thead><tbody>` +
    several.map(p => `<tr><th>${esc(p[0])}</th><td class=n>${p[1]}</td><td class=n>${num(p[2])}</td>` +
      `<td class=n>${num(p[3])}</td><td class=n>${estimate(p[4])}</td></tr>`).join("") + "</tbody></table></div>" +
    (single ? `<p class="faint">${single === 1 ? "One more phenomenon has" : `${single} more phenomena have`} one sentence${single === 1 ? "" : " each"}.</p>` : ""));
}
(function () {
  if (!D.tallies.length) return;
  const rows = [...new Set(D.tallies.map(t => t[0]))], columns = [...new Set(D.tallies.map(t => t[1]))];
  const at = new Map(D.tallies.map(t => [t[0] + "\t" + t[1], t]));
  $("properties").innerHTML = part(`What is violated: constructions and kinds of properties (${rows.length})`, rows.length, "<div class=wide tabindex=0><table class=tallies><thead><tr><th></th>" +
    columns.map(c => `<th class=n>${esc(c).replaceAll("_", "_<wbr>")}</th>`).join("") + "</tr></thead><tbody>" + rows.map(r => `<tr><th>${esc(r)}</th>` +
      columns.map(c => {
        const t = at.get(r + "\t" + c);
        if (!t) return "<td></td>";
        const share = t[3] / (t[2] + t[3]);
        return `<td class=n title="${t[3]} of ${t[2] + t[3]} instances violated">` +
          (t[3] ? `<span class=share style="width:${(share * 3).toFixed(2)}rem"></span><span class=bad>✗ ${t[3]}</span> / ${t[2] + t[3]}`
            : `<span class=faint>${t[2]}</span>`) + "</td>";
      }).join("") + "</tr>").join("") + "</tbody></table></div><p class=faint>✗ 3 / 27: such a property of this construction applied 27 times and was violated 3 times; a number alone: it was never violated.</p>");
})();

// Plots

function ticks(low, high) {
  const step0 = Math.pow(10, Math.floor(Math.log10((high - low) / 4 || 1)));
  const step = [1, 2, 5, 10].map(k => k * step0).find(s => (high - low) / s <= 5);
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-6; t += step) found.push(+t.toFixed(10));
  return found;
}
// `marks` are places on the upward axis with their names; without them it has numbers.
function frame(xs, ys, across, up, body, width = 520, height = 360, marks = null) {
  const L = 56, B = 44, T = 12, R = 14;
  const scale = (values, from, to) => {
    let low = Math.min(...values), high = Math.max(...values);
    if (low === high) { low -= 1; high += 1; }
    const room = (high - low) * .04;
    return Object.assign(v => from + (v - low + room) / (high - low + 2 * room) * (to - from), {low, high});
  };
  const x = scale(xs, L, width - R), y = scale(ys, height - B, T);
  let s = `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${esc(up)} against ${esc(across)}">`;
  for (const t of ticks(x.low, x.high)) s += `<path class="grid" d="M${x(t)} ${T}V${height - B}"/><text x="${x(t)}" y="${height - B + 16}" text-anchor="middle">${num(t)}</text>`;
  for (const [t, name] of marks || ticks(y.low, y.high).map(t => [t, num(t)])) s += `<path class="grid" d="M${L} ${y(t)}H${width - R}"/><text x="${L - 6}" y="${y(t) + 4}" text-anchor="end">${esc(name)}</text>`;
  s += body(x, y);
  s += `<path class="axis" d="M${L} ${T}V${height - B}H${width - R}"/><text x="${(L + width - R) / 2}" y="${height - 8}" text-anchor="middle">${esc(across)}</text>` +
    `<text transform="translate(13 ${(T + height - B) / 2}) rotate(-90)" text-anchor="middle">${esc(up)}</text></svg>`;
  return s;
}
(function () {
  const both = D.items.map((item, i) => [item, i]).filter(([item]) => item[SCORE] !== null && item[RATING] !== null);
  if (!both.length) { $("plots").innerHTML = "<p class=faint>No item has both a score and a rating.</p>"; return; }
  // Where many sentences share few ratings, points are spread around these, less than half of the way to the next.
  const signs = new Map(both.map(([item]) => [item[RATING], item[SIGN] || num(item[RATING])]));
  const levels = [...signs.keys()].sort((one, other) => one - other);
  const least = Math.min(...levels.slice(1).map((level, i) => level - levels[i]), (levels[levels.length - 1] - levels[0]) || 1);
  const spread = levels.length <= 12 && levels.length < both.length ? .34 * least : 0;
  const marks = spread && least * 20 >= levels[levels.length - 1] - levels[0] ? [...signs] : null;
  const wobble = i => ((i * 7919 % 1000) / 1000 - .5) * 2 * spread;
  // Scores that many sentences share are spread around in the same way.
  const scores = both.map(([item]) => item[SCORE]), shared = new Map();
  for (const score of scores) shared.set(score, (shared.get(score) || 0) + 1);
  const across = (Math.max(...scores) - Math.min(...scores)) / 60;
  const aside = (score, i) => shared.get(score) > 2 ? ((i * 4057 % 1000) / 1000 - .5) * 2 * across : 0;
  const room = Math.max(280, $("plots").clientWidth), width = Math.min(520, room), height = Math.min(360, Math.round(width * .8));
  const points = both.map(([item, i]) => [item[SCORE] + aside(item[SCORE], i), item[RATING] + wobble(i), i]);
  const ends = [levels[0] - spread, levels[levels.length - 1] + spread];
  const scatter = frame(points.map(p => p[0]), ends, "score: " + D.model, "rating", (x, y) =>
    points.map(([across, up, i]) => {
      const cx = x(across).toFixed(1), cy = y(up).toFixed(1), off = Math.abs(D.items[i][RESIDUAL] || 0) > .5;
      return `<path class="dot${off ? " off" : ""}" d="M${cx} ${cy}${off ? "m0-5.5 5.5 5.5-5.5 5.5-5.5-5.5z" : "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0"}" data-i="${i}"><title>${esc(D.items[i][TEXT])}</title></path>`;
    }).join(""), width, height, marks);
  const some = both.some(([item]) => Math.abs(item[RESIDUAL] || 0) > .5);
  let s = `<figure style="width:${width}px"><figcaption>Rating and score of each sentence</figcaption>${scatter}<p class=faint>` +
    (some ? '<span class=bad>◆</span> ranks of rating and score differ by more than half. ' : "") +
    (spread ? "Points are spread up and down around their rating. " : "") + (across && shared.size < both.length ? "Equal scores are spread sideways. " : "") + "Click a point for its sentence.</p></figure>";
  if (D.curve.length) {
    const roc = frame([0, 1], [0, 1], "bad sentences above a threshold", "good sentences above it", (x, y) =>
      `<path class="chance" d="M${x(0)} ${y(0)}L${x(1)} ${y(1)}"/><path class="roc" d="M${D.curve.map(p => x(p[0]).toFixed(1) + " " + y(p[1]).toFixed(1)).join("L")}"/>`, Math.min(400, room), height);
    s += `<figure style="width:${Math.min(400, room)}px"><figcaption>ROC: ${esc(D.split)}, AUC ${estimate([D.lines[0][1].AUC[0], null, null])}</figcaption>${roc}` +
      "<p class=faint>The closer the line comes to the upper left corner, the better scores tell good sentences from bad ones; the dashed line is chance.</p></figure>";
  }
  $("plots").innerHTML = s;
  $("plots").addEventListener("click", event => {
    const i = event.target.dataset && event.target.dataset.i;
    if (i === undefined) return;
    if (rows[i].closest("#rest")) $("rest").open = true;
    open(rows[i], true);
    rows[i].scrollIntoView({block: "center"});
  });
})();

// Trees: a phrase is [name, daughters, numbers of violated properties, features], a word [name, form, position, guessed]

const ink = document.createElement("canvas").getContext("2d");
ink.font = '15px "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif';
const wide = text => ink.measureText(text).width;
function drawn(tops) {
  const leaves = [], ROW = 52, GAP = 16;
  let deepest = 0;
  const name = n => n[0] + (typeof n[1] !== "string" && n[2].length ? ` ✗${n[2].length > 1 ? n[2].length : ""}` : "");
  function gather(n, depth) {
    deepest = Math.max(deepest, depth);
    if (typeof n[1] === "string") {
      const leaf = {n, depth, column: 0, width: Math.max(wide(n[1]), wide(n[0]) + 12) + GAP};
      leaves.push(leaf);
      return {n, depth, leaf, kids: [], leaves: [leaf]};
    }
    const kids = n[1].map(k => gather(k, depth + 1));
    return {n, depth, kids, leaves: kids.flatMap(k => k.leaves)};
  }
  const trees = tops.map(t => gather(t, 0));
  leaves.sort((a, b) => a.n[2] - b.n[2]);
  function widen(t) {
    t.kids.forEach(widen);
    const lacking = wide(name(t.n)) + 14 + GAP - t.leaves.reduce((sum, l) => sum + l.width, 0);
    if (lacking > 0) t.leaves.forEach(l => l.width += lacking / t.leaves.length);
  }
  trees.forEach(widen);
  let at = 10;
  for (const l of leaves) { l.x = at + l.width / 2; at += l.width; }
  const floor = 24 + (deepest + 1) * ROW - 12;
  let edges = "", marks = "";
  function place(t) {
    t.kids.forEach(place);
    t.x = t.leaf ? t.leaf.x : (t.kids[0].x + t.kids[t.kids.length - 1].x) / 2;
    t.y = 20 + t.depth * ROW;
    const label = name(t.n), w = wide(label) + 12, bad = !t.leaf && t.n[2].length;
    const tip = t.leaf ? "" : [t.n[0] + (t.n[3] ? " " + t.n[3] : ""), ...t.n[2].map(i => "✗ " + D.properties[i])].join("\n");
    for (const k of t.kids) edges += `<path class="edge" d="M${t.x.toFixed(1)} ${t.y + 12}L${k.x.toFixed(1)} ${k.y - 12}"/>`;
    marks += `<g class="${bad ? "v" : ""}">${tip ? `<title>${esc(tip)}</title>` : ""}<rect x="${(t.x - w / 2).toFixed(1)}" y="${t.y - 12}" width="${w.toFixed(1)}" height="24" rx="5"/><text class="cat" x="${t.x.toFixed(1)}" y="${t.y}">${esc(label)}</text></g>`;
    if (t.leaf) {
      edges += `<path class="edge stem" d="M${t.x.toFixed(1)} ${t.y + 14}V${floor - 10}"/>`;
      marks += `<text class="${t.n[3] ? "guessed" : ""}" x="${t.x.toFixed(1)}" y="${floor}">${esc(t.n[1])}</text>`;
    }
  }
  trees.forEach(place);
  const width = Math.ceil(at + 10);
  return `<svg class="tree" width="${width}" height="${floor + 20}" viewBox="0 0 ${width} ${floor + 20}" style="--least:${Math.round(width * .8)}px" role="img" aria-label="tree">${edges}${marks}</svg>`;
}

// The table of sentences

// A score that is only the cost with the other sign needs no column of costs beside it, and empty columns are left out.
const isEmpty = key => D.items.every(item => item[key] === null || item[key] === "");
const HEADS = [["id", ID, "6em"], ["sentence", TEXT, "minmax(10em, 1fr)"], ["judgement", RATING, "7.2em", 1], ["score", SCORE, "5em", 1], ["cost", COST, "4.5em", 1],
  ["residual", RESIDUAL, "5.8em", 1], ["violated", RELATIONS, "11em"], ["phenomenon", PHENOMENON, "9em"]]
  .filter(([, key]) => !(key === COST && D.is_cost) && !((key === PHENOMENON || key === RESIDUAL) && isEmpty(key)));
$("items").style.setProperty("--columns", HEADS.map(([, , width]) => width).join(" "));
$("columns").textContent = [
  D.is_cost ? "score: the cost of the sentence with the sign −, at best 0." : "score: by the model; cost: what violations cost in the grammar.",
  isEmpty(RESIDUAL) ? "" : "residual: above 0, people find the sentence better than the model does; below 0, worse.",
].join(" ");
const head = document.querySelector("#items .head"), [body, rest] = document.querySelectorAll("#items .body");
head.innerHTML = HEADS.map(([name, , , n], i) => `<div role="columnheader"${n ? " class=n" : ""}><button data-c="${i}">${name}</button></div>`).join("");
const cell = (text, name, kind = "") => `<div role="cell"${kind && ` class="${kind}"`} data-name="${name}">${text}</div>`;
body.innerHTML = D.items.map((item, i) => {
  const sign = item[SIGN] !== null && item[SIGN] !== "" ? esc(item[SIGN]) : num(item[RATING], 2);
  const state = item[STATE] === 2 ? '<span class="good">✓</span>' : "✗ " + esc(item[RELATIONS]);
  const shown = { id: esc(item[ID]), sentence: `<button aria-expanded="false">${esc(item[TEXT])}</button>`, judgement: sign, score: num(item[SCORE]), cost: num(item[COST], 2),
    residual: num(item[RESIDUAL], 2), violated: state, phenomenon: esc(item[PHENOMENON]) };
  const kind = (name, n) => n ? "n" : name === "violated" && item[STATE] !== 2 ? "bad" : "";
  return `<div class="row" role="row" data-i="${i}">${HEADS.map(([name, , , n]) => cell(shown[name], name, kind(name, n))).join("")}</div>`;
}).join("");
const rows = [...body.children];
$("items").classList.toggle("many", rows.length > 500);
let order = rows.slice(), sorted = [-1, 1];
function close(row) {
  const below = row.nextElementSibling;
  if (below && below.classList.contains("detail")) below.remove();
  row.classList.remove("open");
  row.querySelector("button").setAttribute("aria-expanded", "false");
}
function open(row, stay) {
  if (row.classList.contains("open")) { if (!stay) close(row); return; }
  const item = D.items[row.dataset.i], detail = document.createElement("div");
  detail.className = "detail";
  detail.role = "row";
  detail.innerHTML = `<div role="cell"><p class="further">↔ The tree is wider than the page: scroll it sideways.</p><div class="wide" tabindex="0">${drawn(item[TREE])}</div>` +
    (item[SAID].length ? `<ul class="violations">${item[SAID].map(s => `<li>${esc(s)}</li>`).join("")}</ul>` : '<p class="good">✓ nothing is violated</p>') + "</div>";
  row.after(detail);
  const box = detail.querySelector(".wide");
  hinted(box);
  row.classList.add("open");
  row.querySelector("button").setAttribute("aria-expanded", "true");
}
// The whole row takes a click, its button the keys; a click that ends a selection of text is none.
$("items").addEventListener("click", event => {
  const row = event.target.closest(".body .row");
  if (row && (event.target.closest("button") || getSelection().isCollapsed)) open(row);
});
function refill() {
  const wanted = $("filter").value.toLowerCase(), bad = $("violated").checked;
  const first = document.createDocumentFragment(), others = document.createDocumentFragment();
  let shown = 0;
  for (const row of order) {
    const item = D.items[row.dataset.i];
    const fits = (!bad || item[STATE] < 2) && (!wanted || (item[ID] + " " + item[TEXT] + " " + item[RELATIONS] + " " + item[PHENOMENON]).toLowerCase().includes(wanted));
    if (!fits) continue;
    const detail = row.nextElementSibling, place = shown < FIRST ? first : others;
    place.append(row);
    if (detail && detail.classList.contains("detail")) place.append(detail);
    shown += 1;
  }
  body.replaceChildren(first);
  rest.replaceChildren(others);
  $("rest").hidden = shown <= FIRST;
  document.querySelector("#rest summary").textContent = `${shown - FIRST} more`;
  $("shown").textContent = shown === rows.length ? `${shown} sentences` : `${shown} of ${rows.length} sentences`;
}
head.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  const c = +button.dataset.c, key = HEADS[c][1];
  sorted = [c, sorted[0] === c ? -sorted[1] : 1];
  const nothing = value => value === null || value === "";
  order.sort((a, b) => {
    const one = D.items[a.dataset.i][key], other = D.items[b.dataset.i][key];
    if (nothing(one) || nothing(other)) return nothing(one) - nothing(other) || a.dataset.i - b.dataset.i;
    return (one < other ? -1 : one > other ? 1 : 0) * sorted[1] || a.dataset.i - b.dataset.i;
  });
  for (const each of head.children) each.removeAttribute("aria-sort");
  head.children[c].setAttribute("aria-sort", sorted[1] > 0 ? "ascending" : "descending");
  refill();
});
let waiting;
$("filter").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(refill, 120); });
$("violated").addEventListener("change", refill);
refill();
