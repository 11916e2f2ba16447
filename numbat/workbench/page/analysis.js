// The analysis of the chosen sentence: its tree, its violations, other parses, questions about it.

import { counted, download, element, figure, isCost } from "./dom.js";
import { constituentOf, pngOf, point, treeOf } from "./tree.js";
import { Viewer } from "./viewer.js";

export class Analysis {
  /** `ask(name, given)` makes a call about the chosen sentence, `goTo(place)` shows a line of the grammar, `retype(sentence)` accepts a proposal,
   * `learn(word)` adds a word to the lexicon, `others()` returns the sentences to compare with, `constructions()` the names of constructions, `look()` the look
   * of trees, which `keep()` stores, `command(number)` the command line for the parses; `say(text)` shows a message. */
  constructor(place, given) {
    Object.assign(this, given, { place });
    this.viewer = new Viewer({ look: this.look, pointed: (number, goesOn) => this.clicked(number, goesOn), changed: (isDrawnAnew) => {
      this.keep();
      if (isDrawnAnew) this.ask("parse");
    } });
    this.isBeside = false;
    this.number = 1;
    this.rank = 0;
    this.answer = null;
  }

  /** The look of the tree of a sentence; single folds are forgotten when the sentence is another one. */
  askedOf(typed) {
    if (this.answer?.typed !== typed) this.viewer.flipped.clear();
    return this.viewer.asked;
  }

  /** Shows the parses of a sentence. */
  show(answer) {
    const isSame = this.answer && this.answer.typed === answer.typed;
    this.answer = answer;
    if (!isSame || this.rank >= answer.parses.length) this.rank = 0;
    if (!isSame) this.viewer.scale = null;
    this.draw();
  }

  /** Shows that there is nothing to analyse. */
  clear(text = "") {
    this.answer = null;
    this.place.replaceChildren(element("p", { className: "faint" }, text));
  }

  get view() {
    return this.answer.parses[this.rank];
  }

  draw() {
    const { view } = this;
    const score = scoreOf(view);
    this.tree = this.viewer.show(view);
    this.items = view.violations.map((each) => this.violation(each));
    this.answers = element("div", { "aria-live": "polite" });
    this.suggestion = element("p", { className: "suggestion", "aria-live": "polite" });
    this.place.replaceChildren(
      element("p", { className: "printed", dir: "auto" }, this.answer.typed),
      element("p", {}, view.summary, score),
      this.parses(),
      this.isBeside && this.answer.parses.length > 1 ? this.beside() : this.tree,
      view.language?.judgement ? element("p", {}, view.language.judgement) : "",
      view.fragments.length ? element("ul", {}, view.fragments.map((each) => element("li", {}, each))) : "",
      element("ul", { className: "plain violations" }, this.items),
      element("ul", { className: "plain" }, (view.diagnoses ?? []).map((each) => element("li", { dir: "auto" }, each))),
      this.suggestion,
      element("ul", { className: "plain faint" }, (view.prices ?? []).map((each) => element("li", {}, each))),
      this.unknown(),
      this.questions(),
      this.answers,
      this.exports(),
    );
    this.viewer.fit();
    this.suggest();
  }

  /** Shows behind the violations of a sentence the change that repairs it best; a click takes it. */
  async suggest() {
    const { suggestion } = this;
    if (!this.view.violations.length) return;
    const found = await this.ask("repair", { edits: 1, most: 1 });
    const [best] = found?.repairs ?? [];
    if (best) suggestion.replaceChildren(element("button", { type: "button", onclick: () => this.retype(best.sentence) }, `→ ${best.says}`));
  }

  /** Shows another parse; its constituents have other numbers. */
  take(rank) {
    this.rank = rank;
    if (!this.viewer.flipped.size) this.draw();
    else {
      this.viewer.forget();
      this.ask("parse");
    }
  }

  /** A violation: pointing at it marks the daughters in conflict, a click goes to its line in the grammar. */
  violation(each) {
    const show = () => point(this.tree, each);
    const hide = () => point(this.tree, null);
    const button = element("button", { type: "button", onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide, onclick: () => each.place && this.goTo(each.place) },
      `${each.says} — cost ${figure(each.cost)}`);
    return element("li", {}, button);
  }

  /** Marks the violations of the properties in a line of the grammar. */
  cite(file, line) {
    if (!this.answer || !this.items) return;
    for (const [i, each] of this.view.violations.entries()) {
      this.items[i].classList.toggle("cited", Boolean(each.place) && each.place.file === file && each.place.line === line);
    }
  }

  parses() {
    const wanted = element("input", { type: "number", min: 1, max: 9, value: String(this.number), "aria-label": "How many parses" });
    wanted.addEventListener("change", () => {
      this.number = Math.max(1, Math.min(9, Number(wanted.value) || 1));
      this.ask("parse");
    });
    const ranks = this.answer.parses.map((each, i) =>
      element("button", { type: "button", "aria-pressed": String(i === this.rank), onclick: () => this.take(i) }, `${i + 1}. ${differs(each, this.answer.parses[0])}`));
    const beside = element("button", { type: "button", "aria-pressed": String(this.isBeside), onclick: () => { this.isBeside = !this.isBeside; this.draw(); } }, "Side by side");
    return element("div", { className: "row" }, element("label", {}, "Best parses ", wanted), ranks.length > 1 ? [ranks, beside] : "");
  }

  /** All parses beside each other, each with what only it violates and what it violates less than the best. */
  beside() {
    const best = this.answer.parses[0];
    return element("div", { className: "beside" }, this.answer.parses.map((each, i) => element("figure", {}, element("figcaption", {}, `${i + 1}. cost ${figure(each.parse.cost.total)}`),
      treeOf(each, (number, goesOn) => { this.rank = i; this.clicked(number, goesOn); }), i ? differences(each, best) : "")));
  }

  unknown() {
    const words = [...new Set([...this.view.unknown, ...this.view.guessed])];
    if (!words.length) return "";
    const buttons = words.map((word) => element("button", { type: "button", onclick: () => this.learn(word) }, `Add “${word}” to the lexicon`));
    return element("div", { className: "row" }, "Not in the lexicon:", buttons);
  }

  questions() {
    this.constituent = element("input", { type: "text", placeholder: "0-2:NP or the cat:NP", "aria-label": "Why not this constituent", list: "forms" });
    this.forms = element("datalist", { id: "forms" });
    const others = this.others().filter((each) => each.trim() && each !== this.answer.typed);
    const other = element("select", { "aria-label": "Compare with" }, element("option", { value: "" }, "Compare with …"), others.slice(0, 200).map((each) => element("option", { value: each }, each)));
    other.addEventListener("change", () => other.value && this.answered("contrast", { one: this.answer.typed, other: other.value }, (found) => this.contrast(found)));
    const whyNot = () => this.answered("why-not", { constituent: this.constituent.value }, (found) => this.whyNot(found));
    this.constituent.addEventListener("keydown", (event) => event.key === "Enter" && whyNot());
    return element("div", { className: "row" },
      element("label", {}, "Phrase ", this.constituent), this.forms,
      element("button", { type: "button", onclick: whyNot }, "Why not?"),
      element("button", { type: "button", onclick: () => this.answered("repair", { edits: 1 }, (found) => this.repairs(found)) }, "Suggest changes"),
      element("button", { type: "button", onclick: () => this.answered("explain", {}, (found) => this.losses(found)) }, "Why this score?"), other);
  }

  /** Buttons to save the current tree as a file or copy it. */
  exports() {
    const save = ([name, form]) => element("button", { type: "button", onclick: () => this.save(form) }, name);
    const copy = element("select", { "aria-label": "Copy the tree as" }, element("option", { value: "" }, "Copy as …"), [...FORMS, ["Command line", "command"]].map(([name, form]) => element("option", { value: form }, name)));
    copy.addEventListener("change", () => {
      this.copy(copy.value, copy.selectedOptions[0].textContent);
      copy.value = "";
    });
    return element("div", { className: "row exports" }, "The tree as a file:", FORMS.map(save), copy);
  }

  /** The tree in a form, as a blob; null if the call was superseded or failed. */
  async written(form) {
    const text = { bracket: () => `${this.view.brackets}\n`, json: () => `${JSON.stringify(this.view.parse, null, 2)}\n`, command: () => `${this.command(this.number)}\n` }[form];
    if (text) return new Blob([text()], { type: TYPES[form] });
    const found = await this.ask("tree", { rank: this.rank + 1, form: form === "png" ? "svg" : form, ...this.viewer.asked });
    if (!found) return null;
    return form === "png" ? pngOf(found.text) : new Blob([found.text], { type: TYPES[form] });
  }

  async save(form) {
    const blob = await this.written(form);
    if (blob) download(`tree.${ENDINGS[form]}`, blob);
  }

  /** Copies the tree into the clipboard: a picture as such, all else as text. */
  async copy(form, name) {
    const blob = await this.written(form);
    if (!blob) return;
    try {
      if (form === "png") await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      else await navigator.clipboard.writeText(await blob.text());
      this.say(`${name}: copied`);
    } catch {
      this.say("this browser does not let pages copy: save the file instead");
    }
  }

  contrast(found) {
    const { one, other } = found;
    const rows = (kind) => found[kind].map((each) => element("li", {}, `${each.construction}: ${each.property} ${kind} ${Math.abs(each.more_in_A)} times more in ${each.more_in_A > 0 ? "the first" : "the second"}`));
    const column = (view, name) => element("figure", {}, element("figcaption", { dir: "auto" }, `${name}: ${view.parse.sentence ?? ""} — ${view.summary}`), treeOf(view, () => {}));
    return [element("div", { className: "beside" }, column(one, "first"), column(other, "second")), element("ul", {}, rows("violated"), rows("satisfied"))];
  }

  /** Puts a clicked constituent into the question; with the shift key, extends the last span to it. */
  clicked(number, goesOn = false) {
    const each = constituentOf(this.view, number);
    if (!each) return;
    const before = goesOn ? this.span : null;
    const start = Math.min(each.start, before?.start ?? each.start);
    const end = Math.max(each.end, before?.end ?? each.end);
    this.span = { start, end };
    this.constituent.value = `${start}-${end}:${before ? "" : each.construction}`;
    this.forms.replaceChildren(...this.constructions().map((name) => element("option", { value: `${start}-${end}:${name}` })));
    this.constituent.focus();
    if (before) this.constituent.setSelectionRange(this.constituent.value.length, this.constituent.value.length);
    else this.constituent.select();
  }

  async answered(name, given, tell) {
    this.answers.replaceChildren(element("p", { className: "faint" }, "…"));
    const found = await this.ask(name, given);
    this.answers.replaceChildren(found ? element("div", { className: "answer" }, tell(found)) : "");
  }

  whyNot(found) {
    const parts = [element("p", {}, found.says)];
    if (found.forced) parts.push(treeOf(found.forced, () => {}), element("ul", {}, found.forced.violations.map((each) => element("li", {}, each.says))));
    return parts;
  }

  repairs(found) {
    if (!found.repairs.length) return [this.unknown(), element("p", {}, found.status || "No single change improves this sentence.")];
    return [this.unknown(), element("ul", {}, found.repairs.map((each) => element("li", {},
      element("button", { type: "button", onclick: () => this.retype(each.sentence) }, `Take “${each.sentence}”`),
      ` ${each.edits.map((edit) => edit.says).join("; ")}; gains ${figure(each.gain)}`,
      each.well_formed ? ", then well-formed" : `, then ${counted(each.violated, "violation")}`,
      each.doubts.length ? element("small", {}, ` (${each.doubts.join("; ")})`) : "")))];
  }

  losses(found) {
    if (!found.losses.length) return [element("p", {}, "Nothing is violated.")];
    return [element("ul", {}, found.losses.map((each) => element("li", {}, `${Math.round(each.share * 100)}%, ${figure(each.value)}: ${each.sentences.join(" ")}`)))];
  }
}

const FORMS = [["SVG", "svg"], ["PNG", "png"], ["LaTeX", "latex"], ["Brackets", "bracket"], ["JSON", "json"]];
const ENDINGS = { svg: "svg", png: "png", latex: "tex", bracket: "txt", json: "json" };
const TYPES = { svg: "image/svg+xml", latex: "text/plain", bracket: "text/plain", json: "application/json", command: "text/plain" };

/** A score as it stands behind the summary of a parse, which has the cost. */
export function scoreOf({ score, parse }) {
  return score && !isCost(score.value, parse.cost.total) ? `; ${score.model} ${figure(score.value)}` : "";
}

/** The violations that only one of two parses has. */
function differences(view, best) {
  const lines = (one, other) => {
    const theirs = new Set(other.violations.map((each) => each.says));
    return one.violations.filter((each) => !theirs.has(each.says)).map((each) => each.says);
  };
  return element("ul", {}, lines(view, best).map((each) => element("li", {}, `only here: ${each}`)), lines(best, view).map((each) => element("li", {}, `not here: ${each}`)));
}

/** A short text on the violations of a parse that the best one does not have. */
function differs(view, best) {
  if (view === best) return `cost ${figure(view.parse.cost.total)}`;
  const mine = view.violations.map((each) => `${each.construction}: ${each.property}`);
  const theirs = best.violations.map((each) => `${each.construction}: ${each.property}`);
  const more = mine.filter((each) => !theirs.includes(each));
  return `cost ${figure(view.parse.cost.total)}${more.length ? `, violates ${more.slice(0, 2).join(", ")}${more.length > 2 ? ", …" : ""}` : ""}`;
}
