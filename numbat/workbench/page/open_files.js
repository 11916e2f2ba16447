// The open files: grammars, lexicons and suites, from the package, the user's folder or disk; and how they are changed and saved.

import { byId, download, element } from "./dom.js";
import { examplesIn, isExercise, isSuite, mainOf, withEntry, withFragmentCost, withStrengths } from "./files.js";

export class OpenFiles {
  /** `bench` is the workbench, whose state has the files. */
  constructor(bench) {
    this.bench = bench;
  }

  /** The beginning of a session with the grammar of the user's folder. */
  async ofFolder() {
    const { main, files } = await this.bench.backend.folder("open");
    const texts = Object.fromEntries(files.map((each) => [each.name, each.text]));
    const begun = await this.begunWith(main, texts);
    return isExercise(main) ? begun : this.withSuite({ ...begun, saved: Object.fromEntries(files.map((each) => [each.name, each.digest])) });
  }

  /** The state of a session with the suite that lies beside the grammar, unless it has one. */
  async withSuite(state) {
    const { file } = state.suite ? {} : await this.bench.backend.folder("suite");
    if (!file || Object.hasOwn(state.files, file.name)) return state;
    const { name, text, digest } = file;
    return { ...state, suite: name, verdicts: {}, files: { ...state.files, [name]: text }, saved: { ...state.saved, [name]: digest } };
  }

  /** The beginning of a session with the files in the page itself. */
  ofPage() {
    const { main, files } = this.bench.begun.own;
    return this.begunWith(main, { ...files });
  }

  async begunWith(main, texts) {
    if (isExercise(main)) return this.bench.lesson.begun({ name: main, text: texts[main] });
    return { ...beginningOf(texts[main]), main, shown: main, files: texts };
  }

  /** The beginning of a session with a packaged grammar. */
  async ofPackaged(name) {
    const { main, files } = await this.bench.backend.call("packaged", { given: { name } });
    return { ...beginningOf(files[main]), main, shown: main, files, packaged: name };
  }

  /** The texts of a packaged grammar, by the names of its files. */
  async packagedTexts(name) {
    return (await this.bench.backend.call("packaged", { given: { name } })).files;
  }

  /** Reads files that were not edited here again from the disk, and a suite that the session lacks. */
  async compare() {
    const { saved, edited, files } = this.bench.state;
    for (const name of Object.keys(saved).filter((each) => saved[each] && !edited[each])) {
      try {
        const { text, digest } = await this.bench.backend.folder("read", { name });
        files[name] = text;
        saved[name] = digest;
      } catch {
        edited[name] = true;  // the file is gone, so this text is all that is left
      }
    }
    if (this.bench.sessions.name === `folder:${this.bench.begun.grammar}`) this.bench.state = await this.withSuite(this.bench.state);
  }

  async save() {
    const { shown, files, saved } = this.bench.state;
    if (this.bench.begun.folder) {
      const done = await this.bench.safely(() => this.bench.backend.folder("save", { name: shown, text: files[shown], digest: saved[shown] ?? "" }));
      if (!done) return;
      this.bench.state.saved[shown] = done.digest;
      this.bench.state.edited[shown] = false;
      this.bench.say(`${shown} saved`);
      this.list();
    } else download(shown, files[shown]);
    this.bench.state.verdicts = this.bench.suite.verdicts;
    this.bench.keep();
    this.bench.suiteSoon();
  }

  /** Opens several files at once: a grammar replaces the open one, lexicons and suites are added; an exercise or a session is opened. */
  async opened(files) {
    const texts = Object.fromEntries(await Promise.all([...files].map(async (file) => [file.name, await file.text()])));
    byId("files").value = "";
    await this.add(texts);
  }

  async add(texts, digests = {}) {
    const { sessions, lesson } = this.bench;
    const page = Object.keys(texts).find((name) => /\.html?$/.test(name));
    const exercise = Object.keys(texts).find(isExercise);
    if (page) await sessions.reopen(texts[page]);
    else if (exercise) await lesson.open({ name: exercise, text: texts[exercise] });
    else this.beside(texts, digests);
    await this.bench.showSession();
  }

  beside(texts, digests) {
    const main = mainOf(texts);
    if (main !== null) {
      const { sentences, chosen, model } = { ...this.bench.state, sentences: this.bench.list.sentences };
      this.bench.sessions.become(`${digests[main] ? "folder" : "file"}:${main}`, { main, sentences, chosen, model });
      this.askOfSentences(texts[main], sentences);
    }
    const { state } = this.bench;
    Object.assign(state.files, texts);
    for (const [name, text] of Object.entries(texts)) {
      if (isSuite(name, text, state.files)) Object.assign(state, { suite: name, verdicts: {} });
      state.saved[name] = digests[name] ?? "";
      state.edited[name] = false;
    }
    state.shown = main ?? Object.keys(texts)[0];
  }

  /** Asks whether the sentences of the previous grammar should be replaced. */
  askOfSentences(text, before) {
    const place = byId("replaced");
    const examples = examplesIn(text);
    const shown = JSON.stringify(before);
    place.hidden = !before.some((each) => each.trim()) || shown === JSON.stringify(examples);
    const button = (name, run) => element("button", { type: "button", onclick: () => { place.hidden = true; run?.(); } }, name);
    const take = (sentences) => () => {
      this.bench.list.show(sentences);
      this.bench.typed();
    };
    place.replaceChildren("These sentences belong to the previous grammar. ",
      examples.length ? button("Use the examples of this one", take(examples)) : button("Remove them", take([""])), " ", button("Keep them"));
  }

  /** Fills the list of the files in the folder. */
  async folderFiles() {
    const place = byId("folder");
    const { files } = await this.bench.backend.folder("list");
    place.hidden = false;
    place.append(element("option", { value: "" }, "Open from the folder …"), ...files.map((name) => element("option", { value: name }, name)));
    place.addEventListener("change", () => this.bench.safely(async () => {
      const { name, text, digest } = await this.bench.backend.folder("read", { name: place.value });
      place.value = "";
      await this.add({ [name]: text }, { [name]: digest });
    }));
  }

  /** Fills the lists of packaged grammars, exercises and models. */
  async packaged() {
    const place = byId("packaged");
    const { grammars, exercises, models } = await this.bench.backend.call("grammars");
    byId("model").append(...models.map((name) => element("option", { value: name }, name)));
    const group = (label, kind, each) => element("optgroup", { label }, each.map(({ name, about, title }) => element("option", { value: `${kind}:${name}`, title: about ?? title }, title ?? name)));
    place.append(element("option", { value: "" }, this.bench.begun.folder ? "your own" : this.bench.begun.own?.main ?? "your files"), group("Grammars", "packaged", grammars), group("Exercises", "exercise", exercises));
    this.bench.showSettings();
    place.addEventListener("change", () => this.bench.safely(() => this.choose(place.value)));
    if (this.bench.begun.folder) await this.folderFiles();
  }

  async choose(value) {
    const { sessions, lesson, begun } = this.bench;
    const [kind, name] = value.split(":");
    if (kind === "packaged") await sessions.packaged(name);
    else if (kind === "exercise") await lesson.open({ name });
    else if (begun.folder) await sessions.open(`folder:${begun.grammar}`, () => this.ofFolder());
    else if (begun.own) await sessions.own();
    await this.bench.showSession();
  }

  /** Starts the session over: with the original grammar, or as it is on the disk. */
  async anew() {
    const { sessions, lesson, state, begun } = this.bench;
    if (state.lesson) await lesson.open(state.lesson, true);
    else if (state.packaged) await sessions.packaged(state.packaged, true);
    else if (begun.folder) await sessions.open(`folder:${begun.grammar}`, () => this.ofFolder(), true);
    else if (begun.own) await sessions.own(true);
    await this.bench.showSession();
  }

  /** Fills the list of the open files, of which the editor shows one. */
  list() {
    const { main, files, suite, shown, edited } = this.bench.state;
    const names = Object.keys(files);
    const said = (name) => `${name}${name === suite ? " – judged sentences" : name === main && names.length > 1 ? " – first file" : ""}${edited[name] ? " (changed)" : ""}`;
    byId("shown").replaceChildren(...names.map((name) => element("option", { value: name }, said(name))));
    byId("shown").value = shown;
    byId("of").textContent = names.length > 1 ? `one of ${names.length} files` : "";
  }

  show(name) {
    this.bench.state.shown = name;
    this.list();
    this.bench.editor.show(name, this.bench.state.files[name]);
    this.bench.editor.mark(this.bench.judging.problems.filter((each) => each.file === name));
  }

  goTo(place) {
    if (Object.hasOwn(this.bench.state.files, place.file) && place.file !== this.bench.state.shown) this.show(place.file);
    if (place.file === this.bench.state.shown) this.bench.editor.goTo(place.line, place.column);
  }

  /** Writes the costs and weights of the sliders into the grammar's text, which can be undone. */
  writeNumbers() {
    const { main, files, strengths, fragmentCost } = this.bench.state;
    const { texts, left } = withStrengths(this.bench.judging.text.files, this.bench.judging.grammar, strengths);
    const isWritable = /\.pg$/.test(main);
    if (fragmentCost !== null && isWritable) texts[main] = withFragmentCost(texts[main], fragmentCost);
    for (const [name, text] of Object.entries(texts)) {
      if (text === files[name]) continue;
      this.show(name);
      this.bench.editor.rewrite(text);
    }
    const isLeft = fragmentCost !== null && !isWritable;
    Object.assign(this.bench.state, { strengths: {}, fragmentCost: isLeft ? fragmentCost : null });
    this.bench.say(left.length || isLeft ? `not written, please change by hand: ${[...left.slice(0, 5), ...(isLeft ? ["fragment_cost"] : [])].join("; ")}` : "the numbers are in the grammar");
  }

  /** Puts a word into the lexicon, as a noun if the grammar has nouns, and selects its category for editing. */
  learn(word) {
    const { main } = this.bench.state;
    if (this.bench.state.shown !== main) this.show(main);
    const leaves = this.bench.judging.grammar?.leaves ?? [];
    const category = leaves.includes("N") ? "N" : leaves[0] ?? "N";
    const { at, text, from } = withEntry(this.bench.editor.value, main, word, category);
    this.bench.editor.insert(at, text, from, category.length);
    this.bench.say(`“${word}” is in the lexicon as ${category}: type to change the category`);
  }
}

/** The first sentences of a session: the examples in the grammar. */
function beginningOf(text) {
  const examples = examplesIn(text);
  return examples.length ? { sentences: examples } : {};
}
