// What if: other costs and weights of relations, single properties and fragments, and heuristics switched off. Scores and trees follow.

import { counted, element, figure } from "./dom.js";

const HEURISTICS = ["H1", "H2", "H3", "H4", "H5"];
const HIGHEST = 20;
const NUMBERS = ["cost", "weight"];

export class WhatIf {
  /** `changed({ strengths, fragmentCost, without })` is called when a slider or a switch was moved, `write()` puts the numbers into the grammar. */
  constructor(place, changed, write) {
    Object.assign(this, { place, changed, write, open: new Set() });
    this.numbers = { strengths: {}, fragmentCost: null, without: [] };
  }

  /** Shows the sliders of a grammar, an answer to `show`, with the numbers that were set before. */
  show(grammar, numbers) {
    this.grammar = grammar;
    this.numbers = { strengths: structuredClone(numbers.strengths), fragmentCost: numbers.fragmentCost, without: [...numbers.without] };
    const relations = grammar.relations.filter((each) => each.properties).map((each) => this.relation(each));
    const fragments = this.slider("Cost of fragment", this.numbers.fragmentCost, grammar.fragment_cost, (value) => { this.numbers.fragmentCost = value; });
    const back = element("button", { type: "button", onclick: () => { this.show(grammar, { strengths: {}, fragmentCost: null, without: [] }); this.tell(); } }, "As in the grammar");
    const into = element("button", { type: "button", onclick: () => this.write() }, "Write into the grammar");
    this.place.replaceChildren(
      element("p", { className: "faint" }, "The cost of a violation and the weight of a satisfied property, for each relation and for single properties. Numbers in brackets are those of the grammar."),
      element("div", { className: "sliders" }, element("b", {}, "Relation"), element("b", {}, "cost"), element("b", {}, "weight"), ...relations),
      element("div", { className: "sliders" }, element("span", {}, "fragment"), fragments), this.switches(), element("div", { className: "row" }, back, into));
  }

  /** The sliders of a relation, and below them those of its properties, which are made when they are opened. */
  relation({ name, symbol }) {
    const label = `${name} ${symbol}`.trim();
    const properties = this.propertiesOf(name);
    const more = element("div", { className: "sliders" });
    const fill = () => more.childElementCount || more.append(...properties.map((each) => this.pair(each.key, each.key, each)).flat());
    const details = element("details", { open: this.open.has(name), ontoggle: () => {
      if (details.open) fill();
      this.open[details.open ? "add" : "delete"](name);
    } }, element("summary", {}, counted(properties.length, "property", "properties")), more);
    if (details.open) fill();
    return [...this.pair(name, label, Object.fromEntries(NUMBERS.map((number) => [number, this.usual(properties, number)]))), details];
  }

  propertiesOf(relation) {
    return this.grammar.constructions.flatMap(({ name, properties }) => properties.filter((each) => each.relation === relation).map((each) => ({ key: `${name}: ${each.property}`, ...each })));
  }

  /** The number that most properties of a relation have in the grammar. */
  usual(properties, number) {
    const often = new Map();
    for (const each of properties) often.set(each[number], (often.get(each[number]) ?? 0) + 1);
    return [...often].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 1;
  }

  /** A name with sliders for its cost and weight. */
  pair(key, label, usual) {
    const set = (number) => (value) => { this.numbers.strengths[key] = { ...this.numbers.strengths[key], [number]: value }; };
    const name = (number) => `${number[0].toUpperCase()}${number.slice(1)} of ${label}`;
    return [element("span", {}, label), ...NUMBERS.map((number) => this.slider(name(number), this.numbers.strengths[key]?.[number] ?? null, usual[number], set(number)))];
  }

  slider(name, value, usual, set) {
    const shown = element("output", {}, value === null ? `(${figure(usual)})` : figure(value));
    const range = element("input", { type: "range", min: Math.min(0, usual), max: Math.max(HIGHEST, 2 * usual), step: 0.5, "aria-label": name });
    range.value = String(value ?? usual);
    range.addEventListener("input", () => {
      shown.textContent = figure(Number(range.value));
      set(Number(range.value));
      this.tell();
    });
    return element("div", { className: "slider" }, range, shown);
  }

  switches() {
    return element("p", { className: "switches" }, "Heuristics: ", HEURISTICS.map((name) => {
      const box = element("input", { type: "checkbox", checked: !this.numbers.without.includes(name) });
      box.addEventListener("change", () => {
        this.numbers.without = HEURISTICS.filter((each) => (each === name ? !box.checked : this.numbers.without.includes(each)));
        this.tell();
      });
      return element("label", {}, box, ` ${name}`);
    }));
  }

  tell() {
    this.changed(this.numbers);
  }
}

/** The numbers as the back end takes them: those of relations first, because later ones override them. */
export function strengthsOf(strengths, grammar) {
  const relations = new Set(grammar?.relations.map((each) => each.name) ?? []);
  const named = Object.entries(strengths).map(([name, numbers]) => ({ ...(isRelation(name, relations) ? { relation: name } : { property: name }), ...numbers }));
  return named.sort((one, other) => Number("property" in one) - Number("property" in other));
}

const isRelation = (name, relations) => relations.has(name) || !name.includes(": ");

/** The numbers of the relations and properties that the grammar still has. */
export function knownStrengths(strengths, grammar) {
  const known = new Set([...grammar.relations.filter((each) => each.properties).map((each) => each.name), ...grammar.constructions.flatMap(({ name, properties }) => properties.map((each) => `${name}: ${each.property}`))]);
  return Object.fromEntries(Object.entries(strengths).filter(([name]) => known.has(name)));
}
