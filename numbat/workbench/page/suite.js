// A suite: verdicts on its sentences, those that changed since the last save on top, and its coverage of the grammar.

import { counted, element } from "./dom.js";

const MOST_SHOWN = 200;
const ORDER = { fail: 0, undecided: 1, pass: 2 };

export class Suite {
  /** `ask(name, given, tell)` asks the back end and tells how many sentences wait, `goTo(place)` shows a line of a file, `take(sentence)` shows a sentence in the list. */
  constructor(place, { ask, goTo, take }) {
    Object.assign(this, { place, ask, goTo, take });
    this.none = [...place.childNodes];
    this.asked = 0;
    this.clear();
  }

  /** Shows that no suite is open. */
  clear() {
    Object.assign(this, { name: null, items: [], saved: {}, covered: null, asked: this.asked + 1 });
    this.place.replaceChildren(...this.none);
  }

  /** Judges the text of a suite as a whole; a newer text or grammar ends it. */
  async judge(name, text, saved) {
    const asked = ++this.asked;
    Object.assign(this, { name, text, saved: saved ?? {} });
    let answer = { items: [] };
    if (text.trim()) {
      answer = await this.ask("suite", { text, name }, (waiting) => asked === this.asked && this.draw(` (${counted(waiting, "sentence")} to go …)`));
      if (!answer || asked !== this.asked) return;
    }
    this.items = answer.items;
    this.draw("");
    this.done?.();
  }

  /** The verdicts by sentence, which are stored when the suite or the grammar is saved. */
  get verdicts() {
    return Object.fromEntries(this.items.map((each) => [key(each), each.verdict]));
  }

  hasChanged(item) {
    const before = this.saved[key(item)];
    return before !== undefined && before !== item.verdict;
  }

  draw(progress) {
    const count = (verdict) => this.items.filter((each) => each.verdict === verdict).length;
    const sorted = [...this.items].sort((one, other) => Number(this.hasChanged(other)) - Number(this.hasChanged(one)) || ORDER[one.verdict] - ORDER[other.verdict] || one.line - other.line);
    const changed = sorted.filter((each) => this.hasChanged(each)).length;
    const naming = this.items.filter((each) => each.property !== null).length;
    const other = naming ? `; bad for another reason: ${this.items.filter((each) => each.instead.length).length} of ${naming} that name a property` : "";
    const says = `${this.name}: ${count("pass")} pass, ${count("fail")} fail, ${count("undecided")} undecided${other}; ${changed} changed since the last save${progress}`;
    const bar = element("meter", { min: 0, max: Math.max(1, this.items.length), value: count("pass"), "aria-label": "Sentences that pass" });
    const cover = element("button", { type: "button", onclick: () => this.cover() }, "What does it cover?");
    this.covered ??= element("div", { "aria-live": "polite" });
    this.place.replaceChildren(element("p", { id: "suite-says" }, says), element("p", {}, bar, " ", cover),
      element("ul", { className: "plain verdicts" }, sorted.slice(0, MOST_SHOWN).map((each) => this.row(each))),
      sorted.length > MOST_SHOWN ? element("p", { className: "faint" }, `and ${counted(sorted.length - MOST_SHOWN, "sentence")} more${sorted[MOST_SHOWN].verdict === "pass" ? ", which pass" : ""}`) : "", this.covered);
  }

  row(item) {
    const before = this.saved[key(item)];
    const mark = { pass: "✓", fail: "✗", undecided: "?" }[item.verdict];
    const why = [this.hasChanged(item) ? `was ${before}` : "", item.reason, ...item.explained].filter(Boolean).join("; ");
    const sentence = element("button", { type: "button", className: item.verdict, dir: "auto", onclick: () => this.take(item), title: "Analyse this sentence" },
      `${mark} ${item.judgement === "ok" ? "" : `${item.judgement} `}${item.sentence}`);
    const line = element("button", { type: "button", className: "line", "aria-label": `Line ${item.line} of ${this.name}`, onclick: () => this.goTo({ file: this.name, line: item.line, column: 1 }) }, String(item.line));
    return element("li", { className: this.hasChanged(item) ? "changed" : "" }, line, sentence, why ? element("small", {}, why) : "");
  }

  async cover() {
    this.covered.replaceChildren(element("p", { className: "faint" }, "…"));
    const found = await this.ask("coverage", { text: this.text, name: this.name });
    if (!found) return;
    const rows = [...found.properties].sort((one, other) => one.satisfied + one.violated - other.satisfied - other.violated);
    this.covered.replaceChildren(
      element("p", {}, `${found.never_evaluated} of ${counted(found.properties.length, "property", "properties")} are not tested by any sentence.`),
      element("table", {}, element("thead", {}, element("tr", {}, ["Property", "satisfied", "violated"].map((each) => element("th", { scope: "col" }, each)))),
        element("tbody", {}, rows.map((each) => element("tr", { className: each.satisfied + each.violated ? "" : "never" },
          element("td", {}, element("button", { type: "button", onclick: () => each.place && this.goTo(each.place) }, `${each.construction}: ${each.property}`)),
          element("td", {}, String(each.satisfied)), element("td", {}, String(each.violated)))))));
  }
}

const key = (item) => `${item.judgement} ${item.sentence}`;
