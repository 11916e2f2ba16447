// Sessions in the local storage of the browser, one for each grammar, so that a reload restores everything that the user typed.

import { isState } from "./link.js";

const KEY = "numbat.workbench/1";

/** All pages from the disk have the same origin, so their key contains the path. */
const CURRENT = `${KEY}.current${location.protocol === "file:" ? location.pathname : ""}`;

/** The initial state. `strengths` are changed costs and weights, by relation or by property; `packaged` is the grammar that the files come from;
 * `look` has the settings of the tree view, with the categories whose phrases are folded. */
export const EMPTY = {
  main: "", files: {}, saved: {}, edited: {}, packaged: "", sentences: [], chosen: 0, model: "cost", strengths: {}, fragmentCost: null, without: [], shown: "", suite: "", verdicts: {}, lesson: null,
  look: { shape: "auto", features: "some", folded: [] },
};

/** The session stored under a name, null if there is none. */
export function kept(name) {
  try {
    const found = JSON.parse(localStorage.getItem(`${KEY}:${name}`));
    return isState(found) && Object.keys(found.files).length ? { ...structuredClone(EMPTY), ...found } : null;
  } catch {
    return null;
  }
}

/** Stores a session; returns false if the storage is full or forbidden. */
export function keep(name, state) {
  try {
    localStorage.setItem(`${KEY}:${name}`, JSON.stringify(state));
    sessionStorage.setItem(CURRENT, name);
    return true;
  } catch {
    return false;
  }
}

/** The name of the session that this tab of the browser showed last; empty if none. */
export function current() {
  try {
    return sessionStorage.getItem(CURRENT) ?? "";
  } catch {
    return "";
  }
}
