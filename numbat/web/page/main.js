// The workbench: puts the parts of the page together, and asks the back end whenever something changes.

import { Analysis } from "./analysis.js";
import { HttpBackend } from "./backend.js";
import { afterPause, byId, counted, element } from "./dom.js";
import { Editor } from "./editor.js";
import { SentenceList } from "./sentences.js";
import { EMPTY, keep, kept } from "./store.js";
import { WhatIf } from "./whatif.js";

const MODELS = ["cost", "density", "completeness", "precision", "quality", "satisfaction", "violation-density"];
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
    });
    this.whatIf = new WhatIf(byId("sliders"), (numbers) => this.reweighed(numbers));
    this.checkSoon = afterPause(120, () => this.check());
    this.parseSoon = afterPause(25, () => this.parseAll());
    this.keepSoon = afterPause(300, () => this.keep());
  }

  async start() {
    this.begun = await this.backend.start();
    this.name = this.begun.folder ? `folder:${this.begun.grammar}` : "packaged";
    this.buttons();
    const before = kept(this.name);
    if (before && Object.keys(before.files).length) this.state = before;
    else await this.open(this.begun.folder ? null : this.begun.grammar);
    if (this.begun.folder) await this.compare();
    this.showAll();
    await this.check();
  }

  // ---- files

  /** A packaged grammar by its name, or the user's own files. */
  async open(packaged) {
    if (packaged === null) {
      const { main, files } = await this.backend.folder("open");
      this.state = { ...this.state, main, files: Object.fromEntries(files.map((each) => [each.name, each.text])), saved: Object.fromEntries(files.map((each) => [each.name, each.digest])), shown: main };
    } else {
      const name = packaged.replace(/\.(pg|yaml)$/, "");
      const { main, files } = await this.backend.call("packaged", { given: { name } });
      this.state = { ...this.state, main, files, saved: {}, shown: main };
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
      return;
    }
    const done = await this.safely(() => this.backend.folder("save", { name: shown, text: files[shown], digest: saved[shown] ?? "" }));
    if (!done) return;
    this.state.saved[shown] = done.digest;
    this.state.edited = { ...this.state.edited, [shown]: false };
    this.say(`${shown} is saved`);
    this.keep();
    this.tabs();
  }

  async opened(files) {
    for (const file of files) {
      const text = await file.text();
      if (/\.(txt|csv)$/.test(file.name)) this.state.sentences = text.split(/\r?\n/).filter((line) => line.trim()).slice(0, 2000);
      else {
        if (/\.(pg|yaml|yml)$/.test(file.name)) this.state.main = file.name;
        this.state.files = /\.tsv$/.test(file.name) ? { ...this.state.files, [file.name]: text } : { [file.name]: text };
        this.state.shown = file.name;
      }
    }
    this.showAll();
    this.check();
    this.keep();
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
    byId("model").append(...MODELS.map((name) => element("option", { value: name }, name)));
    byId("model").addEventListener("change", (event) => { this.state.model = event.target.value; this.parseAnew(); });
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
    const { grammars } = await this.backend.call("grammars");
    place.append(element("option", { value: "" }, this.begun.folder ? "your own" : "as edited"), ...grammars.map((each) => element("option", { value: each.name, title: each.about }, each.name)));
    place.value = "";
    place.addEventListener("change", () => this.safely(async () => {
      if (!place.value && !this.begun.folder) return;
      await this.open(place.value || null);
      this.showAll();
      await this.check();
      this.keep();
    }));
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
      type: "button", role: "tab", "aria-selected": String(name === this.state.shown), onclick: () => this.showFile(name),
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
    this.checkSoon();
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
    return { main: this.state.main, files: { ...this.state.files } };
  }

  /** Looks for mistakes in the grammar; if there is none, everything is parsed by it. */
  async check() {
    const text = this.text;
    this.say("reading the grammar …");
    const found = await this.safely(() => this.backend.call("check", { grammar: text }, "check"));
    if (!found) return;
    this.problems = found.problems;
    this.editor.mark(found.problems.filter((each) => each.file === this.state.shown));
    byId("problems").replaceChildren(...found.problems.slice(0, 100).map((each) => this.problem(each)));
    byId("checked").textContent = `${found.title}: ${counted(found.constructions, "construction")}, ${found.properties} properties, ${counted(found.forms, "form")}; ${counted(found.errors, "mistake")}, ${counted(found.warnings, "doubt")}`;
    byId("chosen").classList.toggle("stale", found.errors > 0);
    byId("stale").hidden = found.errors === 0;
    this.say("");
    if (found.errors) return;
    this.good = text;
    const shown = await this.safely(() => this.backend.call("show", { grammar: text }, "show"));
    if (shown) {
      this.grammar = shown;
      const known = new Set(shown.relations.filter((each) => each.properties).map((each) => each.name));
      this.state.strengths = Object.fromEntries(Object.entries(this.state.strengths).filter(([name]) => known.has(name)));
      this.whatIf.show(shown, this.state);
    }
    this.parseAnew();
  }

  problem(each) {
    const where = each.line ? `${each.file}:${each.line}: ` : "";
    const more = [each.expected && `expected: ${each.expected}`, each.found && `found: ${each.found}`, each.hint].filter(Boolean).join("; ");
    return element("li", {}, element("button", { type: "button", className: each.severity, onclick: () => each.line && this.goTo(each) }, `${where}${each.message}`, more ? element("small", {}, more) : ""));
  }

  parseAnew() {
    this.found = new Map();
    this.parseAll();
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
  }

  /** Asks for the sentences of which nothing is known yet, until no one waits any more. */
  async parseList() {
    const found = this.found;
    for (;;) {
      const open = [...new Set(this.list.sentences)].filter((typed) => typed.trim() && !found.has(typed));
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
    return this.safely(() => this.backend.call(name, { grammar: this.good, settings: this.settings, given: { sentence: this.list.typed, ...given } }, name));
  }
}

function download(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const workbench = new Workbench(new HttpBackend());
workbench.problems = [];
workbench.safely(() => workbench.start());
