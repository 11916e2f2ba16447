// The list of sentences, one in each row, with their status.

import { counted, element, figure, isCost } from "./dom.js";

const SIGNS = { "well-formed": "✓", violations: "✗", fragments: "⋯", unreadable: "!", waiting: "…", "no words": "" };

export class SentenceList {
  /** `changed(sentences)` is called when a sentence was typed, `chose(index)` when another row was entered. */
  constructor(place, { changed, chose }) {
    this.place = place;
    this.changed = changed;
    this.chose = chose;
    this.rows = [];
    this.chosen = 0;
  }

  get sentences() {
    return this.rows.map((row) => row.input.value);
  }

  /** Shows other sentences. */
  show(sentences, chosen = 0) {
    this.rows = [];
    this.place.replaceChildren();
    for (const sentence of sentences.length ? sentences : [""]) this.add(sentence);
    this.choose(Math.min(chosen, this.rows.length - 1));
  }

  /** Adds a row after the row of this index. */
  add(sentence, index = this.rows.length - 1) {
    const row = {};
    row.input = element("textarea", { rows: 1, dir: "auto", spellcheck: false, autocomplete: "off", "aria-label": "Sentence", maxLength: 2000 });
    // Behind the field stands its text, which is as high as the field must be.
    row.box = element("div", { className: "grows" }, row.input);
    write(row, sentence);
    row.status = element("span", { className: "status" });
    const remove = element("button", { type: "button", className: "remove", title: "Remove this sentence", "aria-label": "Remove this sentence", onclick: () => this.remove(row) }, "×");
    row.line = element("li", {}, row.box, row.status, remove);
    row.input.addEventListener("input", () => {
      write(row, row.input.value);
      this.changed(this.sentences);
    });
    row.input.addEventListener("focus", () => this.choose(this.rows.indexOf(row), true));
    row.input.addEventListener("keydown", (event) => this.key(event, row));
    row.input.addEventListener("paste", (event) => this.paste(event, row));
    this.rows.splice(index + 1, 0, row);
    const before = this.rows[index + 2];
    this.place.insertBefore(row.line, before ? before.line : null);
    return row;
  }

  remove(row) {
    const index = this.rows.indexOf(row);
    if (this.rows.length === 1) write(row, "");
    else {
      this.rows.splice(index, 1);
      row.line.remove();
    }
    this.changed(this.sentences);
    this.rows[Math.min(index, this.rows.length - 1)].input.focus();
  }

  choose(index, told = false) {
    if (index < 0) return;
    for (const [i, row] of this.rows.entries()) {
      row.line.classList.toggle("chosen", i === index);
      if (i === index) row.line.setAttribute("aria-current", "true");
      else row.line.removeAttribute("aria-current");
    }
    if (told && index !== this.chosen) {
      this.chosen = index;
      this.chose(index);
    }
    this.chosen = index;
  }

  /** The text of the chosen sentence. */
  get typed() {
    return this.rows[this.chosen]?.input.value ?? "";
  }

  /** Replaces the text of the chosen sentence. */
  retype(sentence) {
    write(this.rows[this.chosen], sentence);
    this.changed(this.sentences);
  }

  key(event, row) {
    const index = this.rows.indexOf(row);
    if (event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      this.add("").input.focus();
      this.changed(this.sentences);
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const next = this.rows[index + (event.key === "ArrowUp" ? -1 : 1)];
      const before = row.input.selectionStart;
      // Inside a sentence of several lines the key moves the cursor, unless it is in the first or last of them.
      if (next) setTimeout(() => (!isWrapped(row.input) || row.input.selectionStart === before) && next.input.focus());
    } else if (event.key === "Backspace" && row.input.value === "" && this.rows.length > 1) {
      event.preventDefault();
      this.remove(row);
    }
  }

  /** Splits pasted text into sentences, one in each row. */
  paste(event, row) {
    const lines = sentencesOf(event.clipboardData.getData("text"));
    if (lines.length < 2) return;
    event.preventDefault();
    let index = this.rows.indexOf(row);
    if (row.input.value === "") write(row, lines.shift());
    for (const line of lines) this.add(line, index++);
    this.changed(this.sentences);
  }

  /** Shows the status of each sentence; `found` maps texts to answers. */
  tell(found) {
    for (const row of this.rows) {
      const known = found.get(row.input.value);
      const says = known ? JSON.stringify(known) : "";
      if (row.says === says) continue;
      row.says = says;
      row.status.className = `status ${known ? known.status.replace(" ", "-") : ""}`;
      row.status.replaceChildren(...(known ? said(known) : []));
      row.status.title = known ? known.summary : "";
    }
  }
}

/** Puts a text into the field of a row, as one line. */
function write(row, text) {
  const line = text.replace(/\s*[\r\n]+\s*/g, " ");
  if (row.input.value !== line) row.input.value = line;
  row.box.dataset.text = line;
}

const isWrapped = (field) => field.clientHeight > 2.2 * parseFloat(getComputedStyle(field).fontSize);

function said(known) {
  const parts = [];
  if (known.agrees === false) parts.push(element("span", { className: "differs", title: "The grammar disagrees with the mark before the sentence" }, "≠ "));
  if (known.status === "no words") return [];
  const number = known.violated ? counted(known.violated, "violation") : known.status;
  parts.push(element("b", {}, SIGNS[known.status]), ` ${known.status === "fragments" ? "fragments" : number}`);
  if (known.score !== null && known.status !== "well-formed") parts.push(`, ${isCost(known.score, known.cost) ? `cost ${figure(known.cost)}` : figure(known.score)}`);
  if (known.unknown.length) parts.push(`, unknown: ${known.unknown.join(", ")}`);
  if (known.stopped_by) parts.push(", limit reached");
  return parts;
}

const MARKED = /^[*?#✓√]/u;
const ENDED = /[.!?…][”’»")\]]*$/u;
const SHORT = /(^|\s)(\p{L}|Mr|Mrs|Ms|Dr|Mme|Prof)\.$/u;

/** The sentences of a text: wrapped lines are joined, running text is split; a line with a mark stays as it is. */
export function sentencesOf(text) {
  const lines = [];
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    const before = lines.at(-1);
    if (before && /^\p{Ll}/u.test(line) && before.length > 30 && !ENDED.test(before)) lines[lines.length - 1] = `${before} ${line}`;
    else if (line) lines.push(line);
  }
  if (!Intl.Segmenter) return lines;
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  return lines.flatMap((line) => {
    if (MARKED.test(line)) return [line];
    const sentences = [];
    for (const { segment } of segmenter.segment(line)) {
      const sentence = segment.trim();
      if (sentences.length && SHORT.test(sentences.at(-1))) sentences[sentences.length - 1] += ` ${sentence}`;
      else if (sentence) sentences.push(sentence);
    }
    return sentences;
  });
}
