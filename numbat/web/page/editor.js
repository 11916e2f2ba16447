// The editor of one text: line numbers, marks under what is wrong, and places that can be gone to.

import { element } from "./dom.js";

const LINE_HEIGHT = 21;

export class Editor {
  /** `changed(text)` is called when the user has typed, `moved(line)` when the cursor stands in another line. */
  constructor(place, { changed, moved }) {
    this.numbers = element("pre");
    this.signs = element("div");
    this.under = element("div");
    this.text = element("textarea", { spellcheck: false, wrap: "off", autocapitalize: "off", autocomplete: "off", "aria-label": "Text of the grammar" });
    this.cited = 0;
    this.problems = [];
    this.lines = 0;
    const paper = element("div", { className: "paper" }, element("div", { className: "marks", "aria-hidden": "true" }, this.under), this.text);
    const gutter = element("div", { className: "numbers", "aria-hidden": "true" }, element("pre", {}, this.signs, this.numbers));
    place.append(element("div", { className: "editor" }, gutter, paper));
    this.text.addEventListener("input", () => {
      this.count();
      changed(this.text.value);
    });
    this.text.addEventListener("scroll", () => this.scrolled());
    this.text.addEventListener("keydown", (event) => this.key(event));
    let before = 0;
    document.addEventListener("selectionchange", () => {
      if (document.activeElement !== this.text || this.line === before) return;
      before = this.line;
      moved(before);
    });
  }

  get value() {
    return this.text.value;
  }

  /** The line of the cursor, counted from 1. */
  get line() {
    return this.text.value.slice(0, this.text.selectionStart).split("\n").length;
  }

  /** Shows another text. */
  show(text) {
    if (text === this.text.value) return;
    this.text.value = text;
    this.text.setSelectionRange(0, 0);
    this.text.scrollTop = 0;
    this.problems = [];
    this.cited = 0;
    this.count();
    this.draw();
  }

  /** Marks mistakes and doubts, each with line, column, end_column, severity and message. */
  mark(problems) {
    this.problems = problems.filter((each) => each.line > 0);
    this.draw();
  }

  /** Goes to a line, which is shown in the middle. */
  goTo(line, column = 1) {
    const lines = this.text.value.split("\n");
    this.cited = line;
    this.text.scrollTop = Math.max(0, (line - 1) * LINE_HEIGHT - this.text.clientHeight / 2);
    const at = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
    this.text.focus();
    this.text.setSelectionRange(at, at);
    this.draw();
  }

  /** Puts text at a place as if it were typed, so that it can be undone. */
  insert(at, text) {
    this.text.focus();
    this.text.setSelectionRange(at, at);
    // The one way of browsers to change a text so that Ctrl-Z takes it back.
    if (!document.execCommand("insertText", false, text)) this.text.setRangeText(text, at, at, "end");
    this.text.dispatchEvent(new Event("input"));
  }

  /** Enter keeps the indentation of a line, and indents behind a colon; Tab leaves the editor, as everywhere. */
  key(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
    const before = this.text.value.slice(0, this.text.selectionStart).split("\n").at(-1);
    const indent = /^[ \t]*/.exec(before)[0] || (/:\s*$/.test(before) ? "    " : "");
    if (!indent) return;
    event.preventDefault();
    if (!document.execCommand("insertText", false, `\n${indent}`)) this.text.setRangeText(`\n${indent}`);
  }

  count() {
    const lines = this.text.value.split("\n").length;
    if (lines === this.lines) return;
    this.lines = lines;
    this.numbers.textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n");
    this.scrolled();
  }

  draw() {
    const under = [];
    if (this.cited) under.push(this.mark_at(this.cited, 1, 0, "cited"));
    const signs = [];
    for (const each of this.problems.slice(0, 200)) {
      under.push(this.mark_at(each.line, each.column, Math.max(1, each.end_column - each.column), each.severity));
      signs.push(placed(element("span", { className: `at ${each.severity}` }), each.line));
    }
    this.under.replaceChildren(...under);
    this.signs.replaceChildren(...signs);
  }

  mark_at(line, column, width, kind) {
    const made = placed(element("i", { className: kind }), line);
    if (width) {
      made.style.left = `${column - 1}ch`;
      made.style.width = `${width}ch`;
    }
    return made;
  }

  scrolled() {
    this.under.style.transform = `translate(${-this.text.scrollLeft}px, ${-this.text.scrollTop}px)`;
    this.numbers.parentElement.style.transform = `translateY(${-this.text.scrollTop}px)`;
  }
}

function placed(made, line) {
  made.style.top = `${(line - 1) * LINE_HEIGHT}px`;
  return made;
}
