// What the user typed, kept in the browser's own store, so that a reload brings all back: a session for each grammar.

import { isState } from "./link.js";

const KEY = "numbat.workbench/1";

/** Pages from the disk are of one origin, but a tab that goes to another one begins with that. */
const CURRENT = `${KEY}.current${location.protocol === "file:" ? location.pathname : ""}`;

/** What is there at the beginning. `strengths` are other costs and weights, by relation or by property; `packaged` is the grammar that the files were made of;
 * `look` is how trees are looked at, with the categories whose phrases are folded. */
export const EMPTY = {
  main: "", files: {}, saved: {}, edited: {}, packaged: "", sentences: [], chosen: 0, model: "cost", strengths: {}, fragmentCost: null, without: [], shown: "", suite: "", verdicts: {}, lesson: null,
  look: { shape: "auto", features: "some", folded: [] },
};

/** The session that was kept under a name, null where there is none. */
export function kept(name) {
  try {
    const found = JSON.parse(localStorage.getItem(`${KEY}:${name}`));
    return isState(found) && Object.keys(found.files).length ? { ...structuredClone(EMPTY), ...found } : null;
  } catch {
    return null;
  }
}

/** Keeps a session; says whether that was possible, for the store may be full or forbidden. */
export function keep(name, state) {
  try {
    localStorage.setItem(`${KEY}:${name}`, JSON.stringify(state));
    sessionStorage.setItem(CURRENT, name);
    return true;
  } catch {
    return false;
  }
}

/** The name of the session that this tab of the browser has shown last; empty where it has shown none. */
export function current() {
  try {
    return sessionStorage.getItem(CURRENT) ?? "";
  } catch {
    return "";
  }
}
