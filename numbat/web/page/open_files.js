// The files that are open: grammars, lexicons and suites, from the package, the user's folder or disk; and what is written into them.

import { byId, download, element } from "./dom.js";
import { isSuite, mainOf, withFragmentCost, withStrengths } from "./files.js";

const FIRST = ["the cat sleeps", "* the cats sleeps"];

export class OpenFiles {
  /** `bench` is the workbench, in whose state the files are. */
  constructor(bench) {
    this.bench = bench;
  }

  /** A packaged grammar by its name, or the user's own files. */
  async open(packaged) {
    if (packaged === null) {
      const { main, files } = await this.bench.backend.folder("open");
      this.bench.state = { ...this.bench.state, main, suite: "", files: Object.fromEntries(files.map((each) => [each.name, each.text])), saved: Object.fromEntries(files.map((each) => [each.name, each.digest])), shown: main };
    } else {
      const name = packaged.replace(/\.(pg|yaml)$/, "");
      const { main, files } = await this.bench.backend.call("packaged", { given: { name } });
      this.bench.state = { ...this.bench.state, main, files, saved: {}, suite: "", shown: main };
    }
    if (!this.bench.state.sentences.length) this.bench.state.sentences = [...FIRST];
  }

  /** Files that were not edited here are as they are on the disk. */
  async compare() {
    const { files } = await this.bench.backend.folder("open");
    for (const each of files) {
      const isEdited = each.name in this.bench.state.files && this.bench.state.edited?.[each.name];
      if (!isEdited) {
        this.bench.state.files[each.name] = each.text;
        this.bench.state.saved[each.name] = each.digest;
      }
    }
  }

  async save() {
    const { shown, files, saved } = this.bench.state;
    if (!this.bench.begun.folder) {
      download(shown, files[shown]);
      this.bench.state.verdicts = this.bench.suite.verdicts;
      this.bench.keep();
      this.bench.suiteSoon();
      return;
    }
    const done = await this.bench.safely(() => this.bench.backend.folder("save", { name: shown, text: files[shown], digest: saved[shown] ?? "" }));
    if (!done) return;
    this.bench.state.saved[shown] = done.digest;
    this.bench.state.edited = { ...this.bench.state.edited, [shown]: false };
    this.bench.say(`${shown} is saved`);
    this.bench.state.verdicts = this.bench.suite.verdicts;
    this.bench.keep();
    this.bench.suiteSoon();
    this.tabs();
  }

  /** Several files at once: grammars take the place of those that were open, lexicons and suites come beside them. */
  async opened(files) {
    this.add(Object.fromEntries(await Promise.all([...files].map(async (file) => [file.name, await file.text()]))));
    byId("files").value = "";
  }

  add(texts, digests = {}) {
    this.bench.keep();
    const main = mainOf(texts);
    const kept = main === null ? this.bench.state.files : {};
    this.bench.state.files = { ...kept, ...texts };
    if (main !== null) Object.assign(this.bench.state, { main, suite: "" });
    for (const [name, text] of Object.entries(texts)) {
      if (isSuite(name, text, this.bench.state.files)) Object.assign(this.bench.state, { suite: name, verdicts: {} });
      this.bench.state.saved = { ...this.bench.state.saved, [name]: digests[name] ?? "" };
      this.bench.state.edited = { ...this.bench.state.edited, [name]: false };
    }
    this.bench.state.shown = main ?? Object.keys(texts)[0];
    this.bench.showAll();
    this.bench.judging.read();
    this.bench.keep();
  }

  /** The files of the folder, to open another one. */
  async folderFiles() {
    const place = byId("folder");
    const { files } = await this.bench.backend.folder("list");
    place.hidden = false;
    place.append(element("option", { value: "" }, "Open from the folder …"), ...files.map((name) => element("option", { value: name }, name)));
    place.addEventListener("change", () => this.bench.safely(async () => {
      const { name, text, digest } = await this.bench.backend.folder("read", { name: place.value });
      place.value = "";
      this.add({ [name]: text }, { [name]: digest });
    }));
  }

  async packaged() {
    const place = byId("packaged");
    const { grammars, models } = await this.bench.backend.call("grammars");
    byId("model").append(...models.map((name) => element("option", { value: name }, name)));
    byId("model").value = this.bench.state.model;
    place.append(element("option", { value: "" }, this.bench.begun.folder ? "your own" : "as edited"), ...grammars.map((each) => element("option", { value: each.name, title: each.about }, each.name)));
    place.value = "";
    place.addEventListener("change", () => this.bench.safely(async () => {
      if (!place.value && !this.bench.begun.folder) return;
      this.bench.keep();
      await this.open(place.value || null);
      this.bench.showAll();
      await this.bench.judging.read();
      this.bench.keep();
    }));
    if (this.bench.begun.folder) await this.folderFiles();
  }

  tabs() {
    const names = Object.keys(this.bench.state.files);
    byId("tabs").replaceChildren(...names.map((name) => element("button", {
      type: "button", role: "tab", "aria-selected": String(name === this.bench.state.shown), title: name === this.bench.state.suite ? "Suite" : name === this.bench.state.main ? "Grammar" : "", onclick: () => this.show(name),
    }, this.bench.state.edited?.[name] ? `${name} •` : name)));
  }

  show(name) {
    this.bench.state.shown = name;
    this.tabs();
    this.bench.editor.show(name, this.bench.state.files[name]);
    this.bench.editor.mark(this.bench.judging.problems.filter((each) => each.file === name));
  }

  goTo(place) {
    if (place.file in this.bench.state.files && place.file !== this.bench.state.shown) this.show(place.file);
    if (place.file === this.bench.state.shown) this.bench.editor.goTo(place.line, place.column);
  }

  /** The costs of the sliders become those of the grammar's text; undo takes them back. */
  writeNumbers() {
    const { main, files, strengths, fragmentCost } = this.bench.state;
    const { texts, left } = withStrengths(this.bench.judging.text.files, this.bench.judging.grammar, strengths);
    if (fragmentCost !== null && /\.pg$/.test(main)) texts[main] = withFragmentCost(main, texts[main], fragmentCost);
    for (const [name, text] of Object.entries(texts)) {
      if (text === files[name]) continue;
      this.show(name);
      this.bench.editor.rewrite(text);
    }
    const isFragmentLeft = fragmentCost !== null && !/\.pg$/.test(main);
    Object.assign(this.bench.state, { strengths: {}, fragmentCost: isFragmentLeft ? fragmentCost : null });
    this.bench.say(left.length || isFragmentLeft ? `not written, change by hand: ${[...left.slice(0, 5), ...(isFragmentLeft ? ["fragment_cost"] : [])].join("; ")}` : "the costs stand in the grammar");
  }

  learn(word) {
    const { main } = this.bench.state;
    if (this.bench.state.shown !== main) this.show(main);
    const text = this.bench.editor.value;
    const leaves = this.bench.judging.grammar?.leaves ?? [];
    const category = leaves.includes("N") ? "N" : leaves[0] ?? "N";
    const form = /^[\p{L}][\p{L}\d_-]*$/u.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`;
    const found = /^lexicon:[^\n]*\n/m.exec(text);
    const at = found ? found.index + found[0].length : text.length;
    const line = `    ${form}: ${category}\n`;
    this.bench.editor.insert(at, found ? line : `${text.endsWith("\n") ? "" : "\n"}\nlexicon:\n${line}`);
    this.bench.say(`“${word}” is in the lexicon as ${category}: change that if it is something else`);
  }
}
