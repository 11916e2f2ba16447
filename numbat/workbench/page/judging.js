// Requests to the back end when the grammar or the sentences change, and the display of the answers.

import { byId, counted, element } from "./dom.js";
import { knownStrengths, strengthsOf } from "./whatif.js";

/** Seconds after which the page tells how many sentences of a suite wait. */
const SUITE_SECONDS = 3;

export class Judging {
  /** `bench` is the workbench, whose state is judged; `asked` is the number of trees that were asked for. */
  constructor(bench) {
    Object.assign(this, { bench, asked: 0, found: new Map(), good: null, grammar: null, problems: [], reading: null });
  }

  /** Forgets everything, for another session. */
  forget() {
    byId("checked").textContent = "";
    byId("problems").replaceChildren();
    Object.assign(this, { found: new Map(), good: null, grammar: null, problems: [], reading: null });
  }

  get settings() {
    const { model, without, fragmentCost, strengths } = this.bench.state;
    return { model, without, fragment_cost: fragmentCost, strengths: strengthsOf(strengths, this.grammar) };
  }

  get text() {
    const files = { ...this.bench.state.files };
    delete files[this.bench.state.suite];  // an edit of the suite does not change the grammar
    return { main: this.bench.state.main, files };
  }

  /** Judges the sentences with the current grammar, the chosen one first; if it has mistakes, these are shown and all else stays. */
  async read() {
    const text = this.text;
    this.reading = text;
    this.bench.say("reading the grammar …");
    const answer = this.bench.backend.call("sentences", { grammar: text, settings: { ...this.settings, seconds: 0.5 }, given: { sentences: this.unjudged(new Map()) } }, "sentences");
    const tree = this.treeOf(text).catch(() => null);  // the other request reports the mistakes of the grammar
    const { asked } = this;
    try {
      this.begin(text, await answer);
    } catch (error) {
      this.tellError(error);
    }
    if (this.reading === text) this.reading = null;
    if (this.good !== text) return;
    const shown = await tree;
    // Meanwhile a newer tree may have been asked for, of the old grammar: then it is asked for again.
    if (shown && asked === this.asked) this.showTree(shown);
    else await this.parseChosen();
    await this.parseList();
    this.bench.doubtsSoon();
    this.bench.suiteSoon();
  }

  /** Takes the first answer for a grammar without mistakes; does nothing if a newer text replaced it. */
  begin(text, answer) {
    if (!answer) return;
    this.bench.isRight("sentences");
    this.bench.say("");
    this.isStale(false);
    this.tellProblems(this.problems.filter((each) => each.severity !== "error"));
    this.good = text;
    this.found = new Map(answer.sentences.filter((row) => row.status !== "waiting").map((row) => [row.typed, row]));
    this.bench.list.tell(this.found);
  }

  tellError(error) {
    this.bench.say("");
    if (error.kind !== "grammar") {
      this.bench.tellWrong(error, "sentences");
      return;
    }
    this.bench.isRight("sentences");
    this.tellProblems(error.problems);
    byId("checked").textContent = counted(error.problems.length, "mistake");
    this.isStale(true);
  }

  isStale(isSo) {
    byId("chosen").classList.toggle("stale", isSo);
    byId("stale").hidden = !isSo;
  }

  tellProblems(problems) {
    this.problems = problems;
    this.bench.editor.mark(problems.filter((each) => each.file === this.bench.state.shown));
    byId("problems").replaceChildren(...problems.slice(0, 100).map((each) => this.problem(each)));
  }

  problem(each) {
    const where = each.line ? `${each.file}:${each.line}: ` : "";
    const more = [each.expected && `expected: ${each.expected}`, each.found && `found: ${each.found}`, each.hint].filter(Boolean).join("; ");
    return element("li", {}, element("button", { type: "button", className: each.severity, onclick: () => each.line && this.bench.files.goTo(each) }, `${where}${each.message}`, more ? element("small", {}, more) : ""));
  }

  /** The sentences without an answer, the chosen one first. */
  unjudged(found) {
    return [...new Set([this.bench.list.typed, ...this.bench.list.sentences])].filter((typed) => typed.trim() && !found.has(typed));
  }

  /** Shows the warnings about the grammar, and its sizes. */
  async check() {
    const text = this.text;
    const found = await this.bench.safely(() => this.bench.backend.call("check", { grammar: text }, "check"), "check");
    if (!found) return;
    this.tellProblems(found.problems);
    byId("checked").textContent = `${found.title}: ${counted(found.constructions, "construction")}, ${found.properties} properties, ${counted(found.forms, "form")}; ${counted(found.errors, "mistake")}, ${counted(found.warnings, "doubt")}`;
    this.bench.say("");
    if (found.errors) return;
    const shown = await this.bench.safely(() => this.bench.backend.call("show", { grammar: text }, "show"), "show");
    if (shown) {
      this.grammar = shown;
      this.bench.state.strengths = knownStrengths(this.bench.state.strengths, shown);
      this.bench.whatIf.show(shown, this.bench.state);
    }
  }

  parseAnew() {
    this.found = new Map();
    this.parseAll();
    this.bench.suiteSoon();
  }

  /** Asks for the missing answers; while a grammar is being read, from that one. */
  async parseAll() {
    if (this.reading) {
      await this.read();
      return;
    }
    if (!this.good) return;
    await Promise.all([this.parseChosen(), this.parseList()]);
  }

  async parseChosen() {
    this.showTree(await this.bench.safely(() => this.treeOf(this.good), "parse"));
  }

  /** The parses of the chosen sentence; none if it is empty, null if a newer request replaced this one. */
  async treeOf(grammar) {
    const { list, analysis, backend } = this.bench;
    this.asked += 1;
    if (!list.typed.trim()) return { parses: [] };
    return backend.call("parse", { grammar, settings: this.settings, given: { sentence: list.typed, n: analysis.number, ...analysis.askedOf(list.typed) } }, "parse");
  }

  showTree(answer) {
    if (!answer) return;
    if (!answer.parses.length) {
      this.bench.analysis.clear("Type a sentence above.");
      return;
    }
    this.bench.analysis.show(answer);
    this.bench.analysis.cite(this.bench.state.shown, this.bench.editor.line);
    if (byId("phases").open) this.bench.phases.follow();
  }

  /** Asks for the sentences without an answer, until none is left. */
  async parseList() {
    const found = this.found;
    for (;;) {
      const open = this.unjudged(found);
      if (!open.length) break;
      const answer = await this.bench.safely(() => this.bench.backend.call("sentences", { grammar: this.good, settings: { ...this.settings, seconds: 0.5 }, given: { sentences: open } }, "sentences"), "sentences");
      if (!answer || found !== this.found) return;
      for (const row of answer.sentences) if (row.status !== "waiting") found.set(row.typed, row);
      this.bench.list.tell(found);
      this.bench.say(answer.waiting ? `${open.length - answer.waiting} of ${counted(open.length, "sentence")}` : "");
    }
    this.bench.list.tell(found);
    this.tellAgreement();
  }

  /** Shows how many marks the grammar agrees with; not in a lesson, which marks its sentences itself and ignores fragments. */
  tellAgreement() {
    const rows = this.bench.list.sentences.map((typed) => this.found.get(typed)).filter((row) => row && row.agrees !== null);
    const agreed = rows.filter((row) => row.agrees).length;
    byId("agreed").textContent = rows.length && !this.bench.state.lesson ? `${agreed} of ${rows.length} are judged as their marks say` : "";
  }

  /** Makes a call about the chosen sentence. */
  ask(name, given = {}) {
    if (name === "parse") return this.parseChosen();
    return this.bench.safely(() => this.bench.backend.call(name, { grammar: this.good, settings: this.settings, given: "one" in given ? given : { sentence: this.bench.list.typed, ...given } }, name), name);
  }

  /** Judges the open suite if it is visible. */
  judgeSuite() {
    this.bench.lesson.mark();
    const { suite, files, verdicts } = this.bench.state;
    if (!suite || !Object.hasOwn(files, suite) || !this.good) return;
    this.bench.suite.done = () => {
      // Later verdicts are compared with the first ones.
      if (Object.keys(this.bench.state.verdicts).length) return;
      this.bench.state.verdicts = this.bench.suite.verdicts;
      this.bench.suite.saved = this.bench.state.verdicts;
      this.bench.keepSoon();
    };
    byId("suite").open ||= this.bench.state.shown === suite;
    if (byId("suite").open) this.bench.suite.judge(suite, files[suite], verdicts);
  }

  /** Makes a call about the suite, again and again until no sentence waits; `tell` receives how many do. */
  async askOfSuite(name, given, slot = name, tell = () => {}) {
    while (this.good) {
      const answer = await this.bench.safely(() => this.bench.backend.call(name, { grammar: this.good, settings: { ...this.settings, seconds: SUITE_SECONDS }, given }, slot), slot);
      if (!answer?.waiting) return answer;
      tell(answer.waiting);
    }
    return null;
  }

  /** The best parse of a sentence, for the session file. */
  parseOf(typed) {
    if (!this.good) return null;
    return this.bench.safely(() => this.bench.backend.call("parse", { grammar: this.good, settings: this.settings, given: { sentence: typed } }));
  }
}
