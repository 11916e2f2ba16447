// What if: other costs of relations and fragments, heuristics that are off. Scores and trees follow.

import { element, figure } from "./dom.js";

const HEURISTICS = ["H1", "H2", "H3", "H4", "H5"];
const HIGHEST = 20;

export class WhatIf {
  /** `changed({ strengths, fragmentCost, without })` when a slider or a switch was moved, `write()` puts the costs into the grammar. */
  constructor(place, changed, write) {
    Object.assign(this, { place, changed, write });
    this.numbers = { strengths: {}, fragmentCost: null, without: [] };
  }

  /** Shows the sliders of a grammar, as `show` tells of it, with the numbers that were set before. */
  show(grammar, numbers) {
    this.grammar = grammar;
    this.numbers = { strengths: { ...numbers.strengths }, fragmentCost: numbers.fragmentCost, without: [...numbers.without] };
    const used = grammar.relations.filter((each) => each.properties);
    const sliders = used.map((each) => this.slider(`${each.name} ${each.symbol}`.trim(), this.numbers.strengths[each.name] ?? null, this.usual(each.name), (value) => this.set(each.name, value)));
    const fragments = this.slider("fragment", this.numbers.fragmentCost, grammar.fragment_cost, (value) => { this.numbers.fragmentCost = value; this.tell(); });
    const switches = HEURISTICS.map((name) => {
      const box = element("input", { type: "checkbox", checked: !this.numbers.without.includes(name) });
      box.addEventListener("change", () => {
        this.numbers.without = HEURISTICS.filter((each) => (each === name ? !box.checked : this.numbers.without.includes(each)));
        this.tell();
      });
      return element("label", {}, box, ` ${name}`);
    });
    const back = element("button", { type: "button", onclick: () => { this.show(grammar, { strengths: {}, fragmentCost: null, without: [] }); this.tell(); } }, "As in the grammar");
    const into = element("button", { type: "button", onclick: () => this.write() }, "Write into the grammar");
    this.place.replaceChildren(element("p", { className: "faint" }, "The cost of a violation of each relation, and of a fragment."), ...sliders, fragments,
      element("p", { className: "switches" }, "Heuristics: ", switches), element("div", { className: "row" }, back, into));
  }

  /** The cost that most properties of a relation have in the grammar. */
  usual(relation) {
    const often = new Map();
    for (const construction of this.grammar.constructions) {
      for (const each of construction.properties) if (each.relation === relation) often.set(each.cost, (often.get(each.cost) ?? 0) + 1);
    }
    return [...often].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 1;
  }

  slider(name, value, usual, set) {
    const shown = element("output", {}, value === null ? `(${figure(usual)})` : figure(value));
    const range = element("input", { type: "range", min: 0, max: HIGHEST, step: 0.5, "aria-label": `Cost of ${name}` });
    range.value = String(value ?? usual);
    range.addEventListener("input", () => {
      shown.textContent = figure(Number(range.value));
      set(Number(range.value));
    });
    return element("label", { className: "slider" }, name, range, shown);
  }

  set(relation, value) {
    this.numbers.strengths[relation] = value;
    this.tell();
  }

  tell() {
    this.changed(this.numbers);
  }
}
