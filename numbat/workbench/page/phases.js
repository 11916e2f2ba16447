// The eight phases of parsing a sentence, round by round: what entered each phase, what left it, and what was dropped by which heuristic.

import { counted, element, figure } from "./dom.js";

const MOST = 40;

export class Phases {
  /** `ask()` returns the trace of the chosen sentence, null if there is none. */
  constructor(place, ask) {
    Object.assign(this, { place, ask, number: 0, trace: null });
  }

  /** Shows the phases of the chosen sentence. */
  async follow() {
    const found = await this.ask();
    if (!found) return;
    this.trace = found.trace;
    this.number = Math.min(this.number, this.trace.rounds.length - 1);
    this.draw();
  }

  go(step) {
    this.number = Math.max(0, Math.min(this.trace.rounds.length, this.number + step));
    this.draw();
    this.place.querySelector(step < 0 ? "button" : "button:nth-of-type(2)").focus();
  }

  draw() {
    const { trace, number } = this;
    const isLast = number === trace.rounds.length;
    const back = element("button", { type: "button", disabled: number === 0, onclick: () => this.go(-1) }, "‹ Previous round");
    const on = element("button", { type: "button", disabled: isLast, onclick: () => this.go(1) }, number + 1 === trace.rounds.length ? "Solution ›" : "Next round ›");
    const where = element("b", { role: "status" }, isLast ? "Solution" : `Round ${number + 1} of ${trace.rounds.length}`);
    this.place.replaceChildren(element("div", { className: "row" }, back, on, where), ...(isLast ? this.solution() : this.round(trace.rounds[number])));
  }

  round(round) {
    const waiting = round.waiting.map((each) => this.candidate(each));
    return [
      element("div", { className: "store" }, this.pool("New in the store", round.new), this.pool("In the store before", round.old)),
      element("ol", { className: "phases", start: 2 }, round.phases.map((each) => this.phase(each))),
      element("div", { className: "store" },
        element("div", {}, element("b", {}, `Elected (${round.elected.length})`), element("ul", {}, round.elected.map((each) => this.candidate(each)))),
        element("div", {}, element("b", {}, `Waiting candidates (${round.waiting.length})`), element("ul", {}, waiting.slice(0, MOST), rest(waiting)))),
    ];
  }

  phase(phase) {
    const came = phase.entered === null ? "" : `${phase.entered} in, `;
    const drops = Object.entries(phase.drops).map(([by, number]) => element("span", { className: "drop" }, `, ${by} drops ${number}`));
    const passed = phase.passed.map((each) => element("li", {}, this.item(each)));
    const dropped = phase.dropped.map((each) => element("li", {}, element("s", {}, this.item(each)), ` ${each.heuristic ?? ""}: ${each.reason}`));
    const head = element("summary", {}, `${phase.name}: ${came}${phase.left} out`, drops);
    return element("li", {}, element("details", {}, head,
      element("ul", {}, passed.slice(0, MOST), rest(passed)), dropped.length ? element("p", {}, "Dropped:") : "", dropped.length ? element("ul", {}, dropped.slice(0, MOST), rest(dropped)) : ""));
  }

  /** An assignment or a constituent that a phase passes on, with its properties. */
  item(each) {
    const whole = each.assignment ? each.assignment.map((number) => this.named(number)).join(" + ") : each.constituent === undefined ? "" : this.named(each.constituent);
    const sets = ["properties", "satisfied", "violated"].filter((name) => Array.isArray(each[name]) && each[name].length)
      .map((name) => `${name}: ${each[name].map((number) => this.property(number)).join("; ")}`);
    return [each.construction, whole, ...sets].filter(Boolean).join(" — ");
  }

  property(each) {
    const number = typeof each === "number" ? each : each.number ?? each.property;
    const found = this.trace.properties.find((one) => one.number === number);
    return found ? `${found.construction}: ${found.property}` : String(number);
  }

  named(number) {
    const each = this.trace.constituents.find((one) => one.id === number);
    return each ? `${each.construction} ${each.form ? `“${each.form}”` : `${each.start}–${each.end}`}` : String(number);
  }

  candidate({ constituent, built_in: round, beaten }) {
    const each = this.trace.constituents.find((one) => one.id === constituent);
    const says = `${this.named(constituent)}, cost ${figure(each.cost)}, built in round ${round}${beaten.length ? `, preferred to ${counted(beaten.length, "other")}` : ""}`;
    return element("li", { className: each.violated.length ? "violating" : "" }, says);
  }

  pool(title, numbers) {
    return element("div", {}, element("b", {}, `${title} (${numbers.length})`), element("p", {}, numbers.map((number) => this.named(number)).join(", ") || "nothing"));
  }

  solution() {
    const { solution } = this.trace;
    const best = solution.best.map((each) => element("li", {}, `${each.constituents.map((number) => this.named(number)).join(" + ")}: cost ${figure(each.cost)}`));
    return [element("p", {}, solution.spans ? "One constituent spans the sentence." : "No constituent spans the sentence: it is cut into fragments."), element("ol", {}, best),
      solution.ended_by ? element("p", {}, `Ended by: ${solution.ended_by}`) : ""];
  }
}

function rest(items) {
  return items.length > MOST ? element("li", { className: "faint" }, `and ${items.length - MOST} more`) : "";
}
