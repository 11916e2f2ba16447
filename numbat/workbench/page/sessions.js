// Which session is open: that of a link, of the user's folder, of files, of a packaged grammar or of an exercise. Each is kept by its name.

import { sumOf } from "./differences.js";
import { byId } from "./dom.js";
import { stateIn, stateOf } from "./link.js";
import { sessionIn } from "./session_page.js";
import { current, EMPTY, keep, kept } from "./store.js";

const FIRST = ["the cat sleeps", "* the cats sleeps"];

export class Sessions {
  /** `bench` is the workbench, whose state is that of the session. */
  constructor(bench) {
    Object.assign(this, { bench, name: "" });
    addEventListener("hashchange", () => location.reload());
  }

  /** Opens the session to begin with; gives what is wrong with a link that cannot be read, else null. */
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

  /** The session in the address or in the page itself, null where there is none. Throws LinkError. */
  async linked() {
    const texts = (name) => this.bench.files.packagedTexts(name);
    const written = document.querySelector("script#session")?.textContent.trim();
    return (await stateOf(location.hash, texts)) ?? (written ? stateIn(written, texts) : null);
  }

  /** A packaged grammar: as it was left, or as it comes. */
  packaged(name, isAnew = false) {
    return this.open(`packaged:${name}`, () => this.bench.files.ofPackaged(name), isAnew);
  }

  /** The files that the page brings along: as they were left, or as they come. */
  own(isAnew = false) {
    return this.open(this.ownName, () => this.bench.files.ofPage(), isAnew);
  }

  /** The session of the page's own files: another text of them has another name. */
  get ownName() {
    return `page:${sumOf(JSON.stringify(this.bench.begun.own ?? null))}`;
  }

  /** The session of a name as it was kept, else what `make` gives: a part of a state. */
  async open(name, make, isAnew = false) {
    const made = !isAnew && kept(name) ? null : { sentences: [...FIRST], model: this.bench.state.model, ...(await make()) };
    this.become(name, made);
  }

  /** A session from elsewhere, whose files are in no folder yet. */
  take(name, state) {
    const edited = Object.fromEntries(Object.keys(state.files).map((each) => [each, true]));
    this.become(name, kept(name) ? null : { ...state, edited });
  }

  /** Goes over to another session, which was kept where it is not given; the one before is kept. */
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
    if (!keep(this.name, state)) this.bench.say("this browser keeps nothing: save your files");
  }

  /** The session in a file that the workbench has written. Throws LinkError, and an error for another page. */
  async reopen(text) {
    const written = sessionIn(text);
    if (!written) throw Object.assign(new Error("this page holds no session"), { hint: "open a file that was saved by Share in a workbench" });
    const found = await stateIn(written, (name) => this.bench.files.packagedTexts(name));
    this.take(`link:${sumOf(written)}`, found);
  }
}

/** The address loses the session of its link, so that a reload brings the one that is open now. */
function leaveLink() {
  try {
    if (location.hash) history.replaceState(null, "", location.href.split("#")[0]);
  } catch {
    // Then a reload brings the link again.
  }
}
