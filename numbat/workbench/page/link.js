// A session as the fragment of a link: texts and settings, compressed; a packaged grammar is stored as its name and the differences.

import { edited, editsOf, sumOf } from "./differences.js";

const SCHEMA = "numbat.session/1";
const MARK = "#session=";
/** Length above which mail and chat programs may cut a link, and length above which a browser may not open it. */
export const LONG = 8_000;
export const TOO_LONG = 60_000;
const LARGEST = 4_000_000;

/** The parts of the state in a link, with the test that each value must pass. */
const isText = (value) => typeof value === "string";
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isEachText = (value) => Array.isArray(value) && value.every(isText);
const isObject = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);
/** File names have a suffix, so none is a name that all objects have, such as `constructor` or `__proto__`. */
const isName = (value) => isText(value) && value.length <= 500 && /[^/]\.[A-Za-z0-9]+$/.test(value);
const isNameOrNone = (value) => value === "" || isName(value);
const isEdit = (value) => Array.isArray(value) && value.length === 3 && [value[0], value[1]].every((each) => Number.isInteger(each) && each >= 0) && isEachText(value[2]);
const isWritten = (value) => isText(value) || (isObject(value) && isText(value.sum) && Array.isArray(value.edits) && value.edits.every(isEdit));
const FIELDS = {
  main: isNameOrNone, shown: isNameOrNone, suite: isNameOrNone, model: isText, packaged: isText, sentences: isEachText, without: isEachText, chosen: (value) => Number.isInteger(value) && value >= 0,
  fragmentCost: (value) => value === null || isNumber(value), strengths: (value) => isObject(value) && Object.values(value).every((each) => isObject(each) && Object.values(each).every(isNumber)),
  lesson: (value) => value === null || (isObject(value) && isText(value.name) && isText(value.text) && [value.step, value.hints].every((each) => Number.isInteger(each) && each >= 0)),
};

/** An error in a link, with a message for the user. */
export class LinkError extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/** The fragment for a state; `packagedTexts(name)` returns the files of a packaged grammar. */
export async function fragmentOf(state, packagedTexts) {
  const base = state.packaged ? await packagedTexts(state.packaged) : {};
  const files = Object.fromEntries(Object.entries(state.files).map(([name, text]) => [name, shortened(text, base[name])]));
  return MARK + await packed(written({ ...state, files }));
}

/** A state as JSON, which `stateIn` reads. */
export function written(state) {
  return JSON.stringify({ schema: SCHEMA, ...Object.fromEntries([...Object.keys(FIELDS), "files"].map((name) => [name, state[name]])) });
}

function shortened(text, base) {
  const edits = base === undefined ? null : editsOf(base, text);
  return edits ? { sum: sumOf(base), edits } : text;
}

/** The state in a fragment; null if the fragment is not a session. Throws LinkError. */
export async function stateOf(fragment, packagedTexts) {
  if (!fragment.startsWith(MARK)) return null;
  return stateIn(await unpacked(fragment.slice(MARK.length)), packagedTexts);
}

/** The state in JSON that `written` made. Throws LinkError. */
export async function stateIn(json, packagedTexts) {
  const broken = new LinkError("this link is broken", "copy the whole link: some programs cut long ones");
  let read;
  try {
    read = JSON.parse(json);
  } catch {
    throw broken;
  }
  if (read?.schema !== SCHEMA) throw new LinkError("this link was made by another version of Numbat", "open it with that version, or ask for the files");
  const isRight = Object.entries(FIELDS).every(([name, fits]) => fits(read[name])) && isFiles(read.files, isWritten) && (Object.hasOwn(read.files, read.main) || read.packaged);
  if (!isRight) throw broken;
  const base = new Map(Object.values(read.files).every(isText) ? [] : Object.entries(await packagedTexts(read.packaged)));
  const files = Object.fromEntries(Object.entries(read.files).map(([name, given]) => [name, isText(given) ? given : whole(given, base.get(name), read.packaged)]));
  return { ...Object.fromEntries(Object.keys(FIELDS).map((name) => [name, read[name]])), files };
}

/** Whether a value maps file names to values that pass a test. */
const isFiles = (value, fits) => isObject(value) && Object.entries(value).every(([name, each]) => isName(name) && fits(each));

/** Whether a value has the shape of a stored state: every field has the type that the page expects. */
export function isState(value) {
  const isEach = (given, fits) => given === undefined || (isObject(given) && Object.entries(given).every(([name, each]) => isName(name) && fits(each)));
  const isWhole = isObject(value) && isFiles(value.files, isText) && Object.entries(FIELDS).every(([name, fits]) => value[name] === undefined || fits(value[name]));
  return isWhole && isEach(value.saved, isText) && isEach(value.edited, (each) => typeof each === "boolean") && (value.verdicts === undefined || isObject(value.verdicts));
}

function whole({ sum, edits }, base, packaged) {
  if (base === undefined || sumOf(base) !== sum) {
    throw new LinkError(`this link was made with another version of the grammar ${packaged}`, "open it with that version of Numbat, or ask for the files");
  }
  return edited(base, edits);
}

async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const signs = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(signs).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text that was packed. A small link may expand to much text, so unpacking stops at the maximal size of a session. */
async function unpacked(signs) {
  try {
    const bytes = Uint8Array.from(atob(signs.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    for (let size = 0; size <= LARGEST;) {
      const { done, value } = await reader.read();
      if (done) return await new Blob(parts).text();
      parts.push(value);
      size += value.length;
    }
    reader.cancel();
  } catch {
    // The link was cut on its way.
  }
  throw new LinkError("this link is broken", "copy the whole link: some programs cut long ones");
}
