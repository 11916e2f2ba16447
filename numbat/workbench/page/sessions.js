// Sessions: of a link, the user's folder, files, a packaged grammar or an exercise. Each is stored under its name.

import { sumOf } from "./differences.js";
import { byId } from "./dom.js";
import { stateIn, stateOf } from "./link.js";
import { sessionIn } from "./session_page.js";
import { current, EMPTY, keep, kept } from "./store.js";

const FIRST = ["the cat sleeps", "* the cats sleeps"];

export class Sessions {
  /** `bench` is the workbench, whose state is that of the open session. */
  constructor(bench) {
    Object.assign(this, { bench, name: "" });
    addEventListener("hashchange", () => location.reload());
  }

  /** Opens the first session; returns the error of a link that cannot be read, else null. */
  async begin() {
    const { begun, files } = this.bench;
    let wrong = null;
    try {
      const link = await this.linked();
      if (link) {
        this.take(`link:${sumOf(JSON.stringify(link))}`, link);
        return null;
      }
    } catch (error) {
      wrong = error;
    }
    const last = current();
    const kind = last.split(":")[0];
    const isHere = kind === "folder" ? begun.folder : kind === "page" ? last === this.ownName : ["packaged", "file", "exercise"].includes(kind);
    if (isHere && kept(last)) this.become(last);
    else if (begun.folder) await this.open(`folder:${begun.grammar}`, () => files.ofFolder());
    else if (begun.own) await this.own();
    else await this.packaged(begun.grammar.replace(/\.(pg|yaml)$/, ""));
    if (begun.folder) await files.compare();
    return wrong;
  }

  /** The session in the address or in the page itself, null if there is none. Throws LinkError. */
  async linked() {
    const texts = (name) => this.bench.files.packagedTexts(name);
    const written = document.querySelector("script#session")?.textContent.trim();
    return (await stateOf(location.hash, texts)) ?? (written ? stateIn(written, texts) : null);
  }

  /** Opens a packaged grammar where it was left, or the original one. */
  packaged(name, isAnew = false) {
    return this.open(`packaged:${name}`, () => this.bench.files.ofPackaged(name), isAnew);
  }

  /** Opens the files in the page where they were left, or the original ones. */
  own(isAnew = false) {
    return this.open(this.ownName, () => this.bench.files.ofPage(), isAnew);
  }

  /** The name of the session of the files in the page; other texts have another name. */
  get ownName() {
    return `page:${sumOf(JSON.stringify(this.bench.begun.own ?? null))}`;
  }

  /** Opens a session as it was stored, else a new one with the partial state that `make` returns. */
  async open(name, make, isAnew = false) {
    const made = !isAnew && kept(name) ? null : { sentences: [...FIRST], model: this.bench.state.model, ...(await make()) };
    this.become(name, made);
  }

  /** Opens a session from elsewhere, whose files are not in a folder yet. */
  take(name, state) {
    const edited = Object.fromEntries(Object.keys(state.files).map((each) => [each, true]));
    this.become(name, kept(name) ? null : { ...state, edited });
  }

  /** Stores the open session and changes to another one, the given or the stored one. */
  become(name, state = null) {
    if (this.name) {
      this.keep();
      leaveLink();
    }
    this.name = name;
    byId("replaced").hidden = true;
    this.bench.state = state ? { ...structuredClone(EMPTY), ...state } : kept(name);
  }

  keep() {
    const { state, list } = this.bench;
    state.sentences = list.sentences;
    state.chosen = list.chosen;
    if (!keep(this.name, state)) this.bench.say("this browser stores nothing: save your files");
  }

  /** Opens the session in a file that the workbench wrote. Throws LinkError, and an error for any other page. */
  async reopen(text) {
    const written = sessionIn(text);
    if (!written) throw Object.assign(new Error("this page contains no session"), { hint: "open a file that was saved with Share in a workbench" });
    const found = await stateIn(written, (name) => this.bench.files.packagedTexts(name));
    this.take(`link:${sumOf(written)}`, found);
  }
}

/** Removes the session from the address, so that a reload opens the current one. */
function leaveLink() {
  try {
    if (location.hash) history.replaceState(null, "", location.href.split("#")[0]);
  } catch {
    // Then a reload opens the link again.
  }
}
