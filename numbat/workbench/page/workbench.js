// The workbench: connects the parts of the page.

import { Analysis } from "./analysis.js";
import { afterPause, byId, element } from "./dom.js";
import { Editor } from "./editor.js";
import { Judging } from "./judging.js";
import { Lesson } from "./lesson.js";
import { OpenFiles } from "./open_files.js";
import { Phases } from "./phases.js";
import { SentenceList } from "./sentences.js";
import { Sessions } from "./sessions.js";
import { Sharing } from "./sharing.js";
import { EMPTY } from "./store.js";
import { Suite } from "./suite.js";
import { WhatIf } from "./whatif.js";

export class Workbench {
  /** `again(session)` makes this one-file page with a session in it; null if the page has several files. */
  constructor(backend, again = null) {
    this.backend = backend;
    this.state = structuredClone(EMPTY);
    this.sessions = new Sessions(this);
    this.sharing = new Sharing(this, again);
    this.lesson = new Lesson(this);
    this.files = new OpenFiles(this);
    this.judging = new Judging(this);
    const { files, judging } = this;
    const goTo = (place) => files.goTo(place);
    this.editor = new Editor(byId("editor"), { changed: (text) => this.edited(text), moved: (line) => this.analysis.cite(this.state.shown, line), grammar: () => judging.grammar });
    this.list = new SentenceList(byId("sentences"), { changed: () => this.typed(), chose: () => this.chose() });
    this.analysis = new Analysis(byId("analysis"), {
      ask: (name, given) => judging.ask(name, given), goTo, retype: (sentence) => this.list.retype(sentence), learn: (word) => files.learn(word),
      others: () => this.list.sentences, constructions: () => (judging.grammar?.constructions ?? []).map((each) => each.name),
      look: () => this.state.look, keep: () => this.keepSoon(), command: (number) => this.command(number), say: (text) => this.say(text),
    });
    this.whatIf = new WhatIf(byId("sliders"), (numbers) => this.reweighed(numbers), () => files.writeNumbers());
    this.phases = new Phases(byId("rounds"), () => (judging.good && this.list.typed.trim() ? judging.ask("trace") : null));
    this.suite = new Suite(byId("verdicts"), { ask: (name, given, tell) => judging.askOfSuite(name, given, name, tell), goTo, take: (item) => this.take(item) });
    this.readSoon = afterPause(20, () => judging.read());
    this.doubtsSoon = afterPause(400, () => judging.check());
    this.suiteSoon = afterPause(250, () => judging.judgeSuite());
    this.parseSoon = afterPause(25, () => judging.parseAll());
    this.keepSoon = afterPause(300, () => this.keep());
  }

  async start() {
    this.begun = await this.backend.start();
    this.listen();
    const wrong = await this.sessions.begin();
    await this.showSession();
    if (wrong) this.tellWrong(wrong, "link");
  }

  /** Shows the open session, from its files to its lesson. */
  async showSession() {
    this.judging.forget();
    this.showSettings();
    this.files.list();
    this.suite.clear();
    byId("suite").open = Boolean(this.state.suite);
    this.editor.forget();
    this.editor.show(this.state.shown, this.state.files[this.state.shown] ?? "");
    this.list.show(this.state.sentences, this.state.chosen);
    this.list.tell(this.judging.found);
    await Promise.all([this.judging.read(), this.lesson.show()]);
    this.lesson.mark();
    this.keep();
    this.backend.getReady?.(this.judging.text);
  }

  showSettings() {
    const { model, lesson, packaged } = this.state;
    byId("model").value = model;
    byId("packaged").value = lesson ? `exercise:${lesson.name.replace(/\.exercise\.ya?ml$/, "")}` : packaged ? `packaged:${packaged}` : "";
    if (byId("packaged").selectedIndex < 0) byId("packaged").value = "";
    byId("anew").hidden = !(lesson || packaged || this.begun.folder || this.begun.own);
  }

  listen() {
    const { files, judging } = this;
    byId("save").textContent = this.begun.folder ? "Save" : "Download";
    byId("save").addEventListener("click", () => files.save());
    byId("open").addEventListener("click", () => byId("files").click());
    byId("shown").addEventListener("change", (event) => files.show(event.target.value));
    byId("files").addEventListener("change", (event) => this.safely(() => files.opened([...event.target.files])));
    byId("anew").addEventListener("click", () => this.askTwice(byId("anew"), "Lose what you typed?", () => this.safely(() => files.anew())));
    byId("add").addEventListener("click", () => {
      this.list.add("").input.focus();
      this.typed();
    });
    byId("model").addEventListener("change", (event) => { this.state.model = event.target.value; judging.parseAnew(); });
    byId("phases").addEventListener("toggle", () => byId("phases").open && this.phases.follow());
    byId("suite").addEventListener("toggle", () => byId("suite").open && judging.judgeSuite());
    addEventListener("pagehide", () => this.keep());
    document.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        files.save();
      }
    });
    this.safely(() => files.packaged());
  }

  say(text) {
    byId("told").textContent = text;
  }

  /** Runs a function; an error is shown until a run with the same `about` succeeds. */
  async safely(run, about = "") {
    try {
      const done = await run();
      this.isRight(about);
      return done;
    } catch (error) {
      this.tellWrong(error, about);
      return null;
    }
  }

  /** Hides the error about something; any answer shows that the server is back. */
  isRight(about) {
    if (this.wrong !== about && this.wrong !== "gone") return;
    this.wrong = null;
    byId("wrong").hidden = true;
  }

  tellWrong(error, about) {
    this.wrong = error.kind === "gone" ? "gone" : about;
    const problems = (error.problems ?? []).map((each) => `${each.file}:${each.line}: ${each.message}${each.hint ? ` — ${each.hint}` : ""}`);
    const told = problems.length ? element("ul", {}, problems.slice(0, 20).map((each) => element("li", {}, each))) : [element("p", {}, element("b", {}, error.message)), element("p", {}, error.hint ?? "")];
    byId("wrong").replaceChildren(...[told].flat());
    byId("wrong").hidden = false;
    this.say("");
  }

  /** Runs a function that cannot be undone only at the second click. */
  askTwice(button, question, run) {
    const before = button.dataset.says ?? button.textContent;
    const isAsked = button.textContent === question;
    button.dataset.says = before;
    button.textContent = isAsked ? before : question;
    if (isAsked) run();
    else setTimeout(() => { button.textContent = before; }, 5000);
  }

  keep() {
    this.sessions.keep();
  }

  /** The command line that parses the chosen sentence with the saved grammar. */
  command(number) {
    const { main, packaged, edited, look, without } = this.state;
    const isEdited = Object.values(edited).some(Boolean);
    const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
    const options = [...(number > 1 ? ["-n", String(number)] : []), ...(look.features === "all" ? ["--all-features"] : []), ...without.flatMap((each) => ["--without", each])];
    return ["numbat", "parse", "-g", quoted(packaged && !isEdited ? packaged : main), ...options, "--", quoted(this.list.typed.trim())].join(" ");
  }

  // ---- changes

  edited(text) {
    this.isRight("link");
    const { shown, main, lesson } = this.state;
    if (shown === main && !lesson && isAnother(this.state.files[main], text)) this.files.askOfSentences(text, this.list.sentences);
    this.state.files[this.state.shown] = text;
    if (!this.state.edited[this.state.shown]) {
      this.state.edited[this.state.shown] = true;
      this.files.list();
    }
    this.keepSoon();
    if (this.state.shown === this.state.suite) this.suiteSoon();
    else this.readSoon();
  }

  typed() {
    this.isRight("link");
    this.list.tell(this.judging.found);
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
    this.judging.parseAnew();
  }

  /** Puts a sentence of the suite into the list, and analyses it. */
  take({ sentence, judgement }) {
    const typed = judgement === "ok" ? sentence : `${judgement} ${sentence}`;
    const known = this.list.sentences.indexOf(typed);
    if (known < 0) this.list.add(typed);
    this.list.choose(known < 0 ? this.list.rows.length - 1 : known, true);
    this.typed();
    byId("chosen").scrollIntoView({ block: "start" });
  }
}

/** Whether a text is another one altogether: it has none of the longer lines of the old one. */
function isAnother(before, text) {
  const lines = (each) => new Set((each ?? "").split("\n").map((line) => line.trim()).filter((line) => line.length > 12));
  const [old, now] = [lines(before), lines(text)];
  return old.size > 2 && now.size > 2 && ![...old].some((line) => now.has(line));
}
