// What the user typed, kept in the browser's own store, so that a reload brings all back.

const KEY = "numbat.workbench/1";

/** What is there at the beginning. */
export const EMPTY = { main: "", files: {}, saved: {}, sentences: [], chosen: 0, model: "cost", strengths: {}, fragmentCost: null, without: [], shown: "", suite: "", verdicts: {} };

/** What was kept under a name, such as that of the grammar that the page was started with; null where there is nothing. */
export function kept(name) {
  try {
    const found = JSON.parse(localStorage.getItem(`${KEY}:${name}`));
    return found && typeof found === "object" ? { ...EMPTY, ...found } : null;
  } catch {
    return null;
  }
}

/** Keeps it; says whether that was possible, for the store may be full or forbidden. */
export function keep(name, state) {
  try {
    localStorage.setItem(`${KEY}:${name}`, JSON.stringify(state));
    return true;
  } catch {
    return false;
  }
}
