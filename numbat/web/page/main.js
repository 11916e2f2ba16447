// The workbench: puts the parts of the page together, and asks the back end whenever something changes.

import { Analysis } from "./analysis.js";
import { HttpBackend } from "./backend.js";
import { afterPause, byId, counted, element } from "./dom.js";
import { Editor } from "./editor.js";
import { isSuite, mainOf, withFragmentCost, withStrengths } from "./files.js";
import { Phases } from "./phases.js";
import { PyodideBackend } from "./pyodide_backend.js";
import { SentenceList } from "./sentences.js";
import { EMPTY, keep, kept } from "./store.js";
import { Suite } from "./suite.js";
import { WhatIf } from "./whatif.js";

const FIRST = ["the cat sleeps", "* the cats sleeps"];

class Workbench {
  constructor(backend) {
    this.backend = backend;
    this.state = { ...EMPTY };
    this.found = new Map();
    this.good = null;
    this.editor = new Editor(byId("editor"), { changed: (text) => this.edited(text), moved: (line) => this.analysis.cite(this.state.shown, line), grammar: () => this.grammar });
    this.list = new SentenceList(byId("sentences"), { changed: (sentences) => this.typed(sentences), chose: (index) => this.chose(index) });
    this.analysis = new Analysis(byId("analysis"), {
      ask: (name, given) => this.ask(name, given), goTo: (place) => this.goTo(place), retype: (sentence) => this.list.retype(sentence), learn: (word) => this.learn(word),
      others: () => this.list.sentences, constructions: () => (this.grammar?.constructions ?? []).map((each) => each.name),
    });
    this.whatIf = new WhatIf(byId("sliders"), (numbers) => this.reweighed(numbers), () => this.writeNumbers());
    this.phases = new Phases(byId("rounds"), () => (this.good && this.list.typed.trim() ? this.ask("trace") : null));
    this.suite = new Suite(byId("verdicts"), {
      ask: (name, given) => (this.good ? this.safely(() => this.backend.call(name, { grammar: this.good, settings: { ...this.settings, seconds: 30 }, given }, name)) : null),
      goTo: (place) => this.goTo(place), take: (item) => this.take(item),
    });
    this.readSoon = afterPause(20, () => this.read());
    this.doubtsSoon = afterPause(400, () => this.check());
    this.suiteSoon = afterPause(250, () => this.judge());
    this.parseSoon = afterPause(25, () => this.parseAll());
    this.keepSoon = afterPause(300, () => this.keep());
  }

  async start() {
    this.begun = await this.backend.start();
    this.name = this.begun.name ?? (this.begun.folder ? `folder:${this.begun.grammar}` : "packaged");
    this.buttons();
    const before = kept(this.name);
    if (before && Object.keys(before.files).length) this.state = before;
    else await this.open(this.begun.folder ? null : this.begun.grammar);
    if (this.begun.folder) await this.compare();
    this.showAll();
    await this.read();
  }

  // ---- files

  /** A packaged grammar by its name, or the user's own files. */
  async open(packaged) {
    if (packaged === null) {
      const { main, files } = await this.backend.folder("open");
      this.state = { ...this.state, main, suite: "", files: Object.fromEntries(files.map((each) => [each.name, each.text])), saved: Object.fromEntries(files.map((each) => [each.name, each.digest])), shown: main };
    } else {
      const name = packaged.replace(/\.(pg|yaml)$/, "");
      const { main, files } = await this.backend.call("packaged", { given: { name } });
      this.state = { ...this.state, main, files, saved: {}, suite: "", shown: main };
    }
    if (!this.state.sentences.length) this.state.sentences = [...FIRST];
  }

  /** Files that were not edited here are as they are on the disk. */
  async compare() {
    const { files } = await this.backend.folder("open");
    for (const each of files) {
      const isEdited = each.name in this.state.files && this.state.edited?.[each.name];
      if (!isEdited) {
        this.state.files[each.name] = each.text;
        this.state.saved[each.name] = each.digest;
      }
    }
  }

  async save() {
    const { shown, files, saved } = this.state;
    if (!this.begun.folder) {
      download(shown, files[shown]);
      this.state.verdicts = this.suite.verdicts;
      this.keep();
      this.suiteSoon();
      return;
    }
    const done = await this.safely(() => this.backend.folder("save", { name: shown, text: files[shown], digest: saved[shown] ?? "" }));
    if (!done) return;
    this.state.saved[shown] = done.digest;
    this.state.edited = { ...this.state.edited, [shown]: false };
    this.say(`${shown} is saved`);
    this.state.verdicts = this.suite.verdicts;
    this.keep();
    this.suiteSoon();
    this.tabs();
  }

  /** Several files at once: grammars take the place of those that were open, lexicons and suites come beside them. */
  async opened(files) {
    this.add(Object.fromEntries(await Promise.all([...files].map(async (file) => [file.name, await file.text()]))));
    byId("files").value = "";
  }

  add(texts, digests = {}) {
    this.keep();
    const main = mainOf(texts);
    const kept = main === null ? this.state.files : {};
    this.state.files = { ...kept, ...texts };
    if (main !== null) Object.assign(this.state, { main, suite: "" });
    for (const [name, text] of Object.entries(texts)) {
      if (isSuite(name, text, this.state.files)) Object.assign(this.state, { suite: name, verdicts: {} });
      this.state.saved = { ...this.state.saved, [name]: digests[name] ?? "" };
      this.state.edited = { ...this.state.edited, [name]: false };
    }
    this.state.shown = main ?? Object.keys(texts)[0];
    this.showAll();
    this.read();
    this.keep();
  }

  /** The files of the folder, to open another one. */
  async folderFiles() {
    const place = byId("folder");
    const { files } = await this.backend.folder("list");
    place.hidden = false;
    place.append(element("option", { value: "" }, "Open from the folder …"), ...files.map((name) => element("option", { value: name }, name)));
    place.addEventListener("change", () => this.safely(async () => {
      const { name, text, digest } = await this.backend.folder("read", { name: place.value });
      place.value = "";
      this.add({ [name]: text }, { [name]: digest });
    }));
  }

  /** Judges the suite that is open, where it is looked at. */
  judge() {
    const { suite, files, verdicts } = this.state;
    if (!suite || !(suite in files) || !this.good) return;
    this.suite.done = () => {
      // The first judgement is what later ones are compared with.
      if (Object.keys(this.state.verdicts).length) return;
      this.state.verdicts = this.suite.verdicts;
      this.suite.saved = this.state.verdicts;
      this.keepSoon();
    };
    byId("suite").open ||= this.state.shown === suite;
    if (byId("suite").open) this.suite.judge(suite, files[suite], verdicts);
  }

  /** Analyses a sentence of the suite: it comes into the list. */
  take({ sentence, judgement }) {
    const typed = judgement === "ok" ? sentence : `${judgement} ${sentence}`;
    const known = this.list.sentences.indexOf(typed);
    if (known < 0) this.list.add(typed);
    this.list.choose(known < 0 ? this.list.rows.length - 1 : known, true);
    this.typed();
    byId("chosen").scrollIntoView({ block: "start" });
  }

  /** The costs of the sliders become those of the grammar's text; undo takes them back. */
  writeNumbers() {
    const { main, files, strengths, fragmentCost } = this.state;
    const { texts, left } = withStrengths(this.text.files, this.grammar, strengths);
    if (fragmentCost !== null && /\.pg$/.test(main)) texts[main] = withFragmentCost(main, texts[main], fragmentCost);
    for (const [name, text] of Object.entries(texts)) {
      if (text === files[name]) continue;
      this.showFile(name);
      this.editor.rewrite(text);
    }
    const isFragmentLeft = fragmentCost !== null && !/\.pg$/.test(main);
    Object.assign(this.state, { strengths: {}, fragmentCost: isFragmentLeft ? fragmentCost : null });
    this.say(left.length || isFragmentLeft ? `not written, change by hand: ${[...left.slice(0, 5), ...(isFragmentLeft ? ["fragment_cost"] : [])].join("; ")}` : "the costs stand in the grammar");
  }

  buttons() {
    byId("save").textContent = this.begun.folder ? "Save" : "Download";
    byId("save").addEventListener("click", () => this.save());
    byId("open").addEventListener("click", () => byId("files").click());
    byId("files").addEventListener("change", (event) => this.safely(() => this.opened([...event.target.files])));
    byId("add").addEventListener("click", () => {
      this.list.add("").input.focus();
      this.typed(this.list.sentences);
    });
    byId("model").addEventListener("change", (event) => { this.state.model = event.target.value; this.parseAnew(); });
    byId("phases").addEventListener("toggle", () => byId("phases").open && this.phases.follow());
    byId("suite").addEventListener("toggle", () => byId("suite").open && this.judge());
    document.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        this.save();
      }
    });
    this.packaged();
  }

  async packaged() {
    const place = byId("packaged");
    const { grammars, models } = await this.backend.call("grammars");
    byId("model").append(...models.map((name) => element("option", { value: name }, name)));
    byId("model").value = this.state.model;
    place.append(element("option", { value: "" }, this.begun.folder ? "your own" : "as edited"), ...grammars.map((each) => element("option", { value: each.name, title: each.about }, each.name)));
    place.value = "";
    place.addEventListener("change", () => this.safely(async () => {
      if (!place.value && !this.begun.folder) return;
      this.keep();
      await this.open(place.value || null);
      this.showAll();
      await this.read();
      this.keep();
    }));
    if (this.begun.folder) await this.folderFiles();
  }

  // ---- what is shown

  showAll() {
    byId("model").value = this.state.model;
    this.tabs();
    this.editor.show(this.state.shown, this.state.files[this.state.shown] ?? "");
    this.list.show(this.state.sentences, this.state.chosen);
  }

  tabs() {
    const names = Object.keys(this.state.files);
    byId("tabs").replaceChildren(...names.map((name) => element("button", {
      type: "button", role: "tab", "aria-selected": String(name === this.state.shown), title: name === this.state.suite ? "Suite" : name === this.state.main ? "Grammar" : "", onclick: () => this.showFile(name),
    }, this.state.edited?.[name] ? `${name} •` : name)));
  }

  showFile(name) {
    this.state.shown = name;
    this.tabs();
    this.editor.show(name, this.state.files[name]);
    this.editor.mark(this.problems.filter((each) => each.file === name));
  }

  goTo(place) {
    if (place.file in this.state.files && place.file !== this.state.shown) this.showFile(place.file);
    if (place.file === this.state.shown) this.editor.goTo(place.line, place.column);
  }

  say(text) {
    byId("told").textContent = text;
  }

  /** Does something; where the back end says no, that is shown. */
  async safely(run) {
    try {
      const done = await run();
      byId("wrong").hidden = true;
      return done;
    } catch (error) {
      byId("wrong").replaceChildren(element("p", {}, element("b", {}, error.message)), element("p", {}, error.hint ?? ""));
      byId("wrong").hidden = false;
      this.say("");
      return null;
    }
  }

  keep() {
    this.state.sentences = this.list.sentences;
    this.state.chosen = this.list.chosen;
    if (!keep(this.name, this.state)) this.say("this browser keeps nothing: save your files");
  }

  // ---- what changes

  edited(text) {
    this.state.files[this.state.shown] = text;
    if (!this.state.edited?.[this.state.shown]) {
      this.state.edited = { ...this.state.edited, [this.state.shown]: true };
      this.tabs();
    }
    this.keepSoon();
    if (this.state.shown === this.state.suite) this.suiteSoon();
    else this.readSoon();
  }

  typed() {
    this.list.tell(this.found);
    this.keepSoon();
    this.parseSoon();
  }

  chose() {
    this.keepSoon();
    this.parseSoon();
  }

  reweighed(numbers) {
    Object.assign(this.state, numbers);
    this.keepSoon();
    this.parseAnew();
  }

  learn(word) {
    const { main } = this.state;
    if (this.state.shown !== main) this.showFile(main);
    const text = this.editor.value;
    const leaves = this.grammar?.leaves ?? [];
    const category = leaves.includes("N") ? "N" : leaves[0] ?? "N";
    const form = /^[\p{L}][\p{L}\d_-]*$/u.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`;
    const found = /^lexicon:[^\n]*\n/m.exec(text);
    const at = found ? found.index + found[0].length : text.length;
    const line = `    ${form}: ${category}\n`;
    this.editor.insert(at, found ? line : `${text.endsWith("\n") ? "" : "\n"}\nlexicon:\n${line}`);
    this.say(`“${word}” is in the lexicon as ${category}: change that if it is something else`);
  }

  // ---- what is asked

  get settings() {
    const { model, without, fragmentCost, strengths } = this.state;
    return { model, without, fragment_cost: fragmentCost, strengths: Object.entries(strengths).map(([relation, cost]) => ({ relation, cost })) };
  }

  get text() {
    const files = { ...this.state.files };
    delete files[this.state.suite];  // an edit of the suite is none of the grammar
    return { main: this.state.main, files };
  }

  /** Judges the sentences by the grammar as it is now; where it has mistakes, these are shown and all else stays. Doubts come later. */
  async read() {
    const text = this.text;
    this.say("reading the grammar …");
    let answer = null;
    try {
      answer = await this.backend.call("sentences", { grammar: text, settings: { ...this.settings, seconds: 0.5 }, given: { sentences: this.unjudged(new Map()) } }, "sentences");
    } catch (error) {
      this.say("");
      if (error.kind !== "grammar") {
        await this.safely(() => { throw error; });
        return;
      }
      byId("wrong").hidden = true;
      this.tellProblems(error.problems);
      byId("checked").textContent = counted(error.problems.length, "mistake");
      this.isStale(true);
      return;
    }
    if (!answer) return;
    byId("wrong").hidden = true;
    this.say("");
    this.isStale(false);
    this.tellProblems(this.problems.filter((each) => each.severity !== "error"));
    this.good = text;
    this.found = new Map(answer.sentences.filter((row) => row.status !== "waiting").map((row) => [row.typed, row]));
    this.list.tell(this.found);
    this.doubtsSoon();
    await this.parseAll();
    this.suiteSoon();
  }

  isStale(isSo) {
    byId("chosen").classList.toggle("stale", isSo);
    byId("stale").hidden = !isSo;
  }

  tellProblems(problems) {
    this.problems = problems;
    this.editor.mark(problems.filter((each) => each.file === this.state.shown));
    byId("problems").replaceChildren(...problems.slice(0, 100).map((each) => this.problem(each)));
  }

  /** The sentences of which nothing is known yet, the chosen one first. */
  unjudged(found) {
    return [...new Set([this.list.typed, ...this.list.sentences])].filter((typed) => typed.trim() && !found.has(typed));
  }

  /** Tells doubts about the grammar, and what it holds. */
  async check() {
    const text = this.text;
    const found = await this.safely(() => this.backend.call("check", { grammar: text }, "check"));
    if (!found) return;
    this.tellProblems(found.problems);
    byId("checked").textContent = `${found.title}: ${counted(found.constructions, "construction")}, ${found.properties} properties, ${counted(found.forms, "form")}; ${counted(found.errors, "mistake")}, ${counted(found.warnings, "doubt")}`;
    this.say("");
    if (found.errors) return;
    const shown = await this.safely(() => this.backend.call("show", { grammar: text }, "show"));
    if (shown) {
      this.grammar = shown;
      const known = new Set(shown.relations.filter((each) => each.properties).map((each) => each.name));
      this.state.strengths = Object.fromEntries(Object.entries(this.state.strengths).filter(([name]) => known.has(name)));
      this.whatIf.show(shown, this.state);
    }
  }

  problem(each) {
    const where = each.line ? `${each.file}:${each.line}: ` : "";
    const more = [each.expected && `expected: ${each.expected}`, each.found && `found: ${each.found}`, each.hint].filter(Boolean).join("; ");
    return element("li", {}, element("button", { type: "button", className: each.severity, onclick: () => each.line && this.goTo(each) }, `${where}${each.message}`, more ? element("small", {}, more) : ""));
  }

  parseAnew() {
    this.found = new Map();
    this.parseAll();
    this.suiteSoon();
  }

  async parseAll() {
    if (!this.good) return;
    await Promise.all([this.parseChosen(), this.parseList()]);
  }

  async parseChosen() {
    const typed = this.list.typed;
    if (!typed.trim()) {
      this.analysis.clear("Type a sentence above.");
      return;
    }
    const answer = await this.safely(() => this.backend.call("parse", { grammar: this.good, settings: this.settings, given: { sentence: typed, n: this.analysis.number } }, "parse"));
    if (!answer) return;
    this.analysis.show(answer);
    this.analysis.cite(this.state.shown, this.editor.line);
    if (byId("phases").open) this.phases.follow();
  }

  /** Asks for the sentences of which nothing is known yet, until no one waits any more. */
  async parseList() {
    const found = this.found;
    for (;;) {
      const open = this.unjudged(found);
      if (!open.length) break;
      const answer = await this.safely(() => this.backend.call("sentences", { grammar: this.good, settings: { ...this.settings, seconds: 0.5 }, given: { sentences: open } }, "sentences"));
      if (!answer || found !== this.found) return;
      for (const row of answer.sentences) if (row.status !== "waiting") found.set(row.typed, row);
      this.list.tell(found);
      this.say(answer.waiting ? `${open.length - answer.waiting} of ${counted(open.length, "sentence")}` : "");
    }
    this.list.tell(found);
    this.tellAgreement();
  }

  tellAgreement() {
    const rows = this.list.sentences.map((typed) => this.found.get(typed)).filter((row) => row && row.agrees !== null);
    const agreed = rows.filter((row) => row.agrees).length;
    byId("agreed").textContent = rows.length ? `${agreed} of ${rows.length} are judged as the mark before them says` : "";
  }

  /** A question about the chosen sentence. */
  ask(name, given = {}) {
    if (name === "parse") return this.parseChosen();
    return this.safely(() => this.backend.call(name, { grammar: this.good, settings: this.settings, given: "one" in given ? given : { sentence: this.list.typed, ...given } }, name));
  }
}

function download(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const isAlone = document.documentElement.dataset.backend === "pyodide";
const workbench = new Workbench(isAlone ? new PyodideBackend() : new HttpBackend());
workbench.problems = [];
workbench.safely(() => workbench.start());
