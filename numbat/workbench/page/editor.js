// The editor: highlighted text with line numbers, marks under mistakes, completion, and an undo history for each file.

import {
  autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap, Compartment, Decoration, defaultKeymap, drawSelection, EditorSelection, EditorState, EditorView,
  highlightActiveLine, highlightSelectionMatches, HighlightStyle, history, historyKeymap, keymap, lineNumbers, lintGutter, lintKeymap, search, searchKeymap, setDiagnostics,
  StateEffect, StateField, syntaxHighlighting, tags, yaml,
} from "./codemirror.js";
import { element } from "./dom.js";
import { completionsFrom, notation } from "./notation.js";

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.definitionKeyword], color: "var(--blue)", fontWeight: "600" },
  { tag: [tags.heading, tags.definition(tags.propertyName)], color: "var(--violet)", fontWeight: "600" },
  { tag: [tags.string, tags.number], color: "var(--green)" },
  { tag: tags.operator, color: "var(--red)" },
  { tag: [tags.propertyName, tags.atom], color: "var(--amber)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "14px" },
  "&.cm-focused": { outline: "2px solid var(--blue)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: '"Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace', lineHeight: "21px", scrollbarColor: "var(--faint) var(--soft)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--soft)", color: "var(--faint)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--soft) 60%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--blue-soft)" },
  ".cm-cited": { backgroundColor: "var(--blue-soft)" },
  ".cm-lintRange-error": { background: "var(--red-soft)", borderBottom: "2px solid var(--red)" },
  ".cm-lintRange-warning": { background: "var(--amber-soft)", borderBottom: "2px solid var(--amber)" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--soft)", color: "var(--ink)", border: "1px solid var(--line)", fontFamily: "inherit" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--blue-soft)", color: "var(--ink)" },
  ".cm-completionDetail": { color: "var(--faint)" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--red)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--amber)" },
  ".cm-searchMatch": { backgroundColor: "var(--amber-soft)" },
  ".cm-matchingBracket": { backgroundColor: "var(--blue-soft) !important" },
});

const cite = StateEffect.define();
const citation = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(cite)) return Decoration.set([Decoration.line({ class: "cm-cited" }).range(effect.value)]);
    }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class Editor {
  /** `changed(text)` is called when the user typed, `moved(line)` when the cursor moved to another line; `grammar()` returns the answer to `show`. */
  constructor(place, { changed, moved, grammar }) {
    this.states = new Map();
    this.name = null;
    this.isShowing = false;
    let before = 0;
    const listener = EditorView.updateListener.of((update) => {
      if (this.isShowing) return;
      if (update.docChanged) changed(this.value);
      if ((update.selectionSet || update.docChanged) && this.line !== before) {
        before = this.line;
        moved(before);
      }
    });
    this.language = new Compartment();
    this.extensions = [
      lineNumbers(), lintGutter(), history(), drawSelection(), EditorState.allowMultipleSelections.of(true), bracketMatching(), closeBrackets(), highlightActiveLine(),
      highlightSelectionMatches(), search({ top: true }), autocompletion({ override: [completionsFrom(grammar)] }), citation, THEME, syntaxHighlighting(COLOURS), listener,
      // Tab leaves the editor, because keyboard users need a way out.
      keymap.of([{ key: "Enter", run: indented }, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({ "aria-label": "Text of the grammar; Tab leaves it", autocapitalize: "off", spellcheck: "false" }),
    ];
    // In a shadow tree the editor's styles are objects and not text, which the page's security policy requires.
    const host = element("div", { className: "editor" });
    place.append(host);
    const root = host.attachShadow({ mode: "open" });
    this.view = new EditorView({ root, parent: root, state: this.fresh("", "") });
    host.editorView = this.view;
  }

  fresh(name, text) {
    return EditorState.create({ doc: text, extensions: [...this.extensions, this.language.of(/\.ya?ml$/.test(name) ? yaml() : /\.pg$/.test(name) ? notation : [])] });
  }

  get value() {
    return this.view.state.doc.toString();
  }

  /** The line of the cursor, counted from 1. */
  get line() {
    const { state } = this.view;
    return state.doc.lineAt(state.selection.main.head).number;
  }

  /** Forgets the histories of all files, for another session. */
  forget() {
    this.states.clear();
    this.name = null;
  }

  /** Shows the text of a file; each file has its own history. */
  show(name, text) {
    if (name === this.name && text === this.value) return;
    if (this.name !== null) this.states.set(this.name, this.view.state);
    const known = this.states.get(name);
    this.name = name;
    this.isShowing = true;
    this.view.setState(known && known.doc.toString() === text ? known : this.fresh(name, text));
    this.isShowing = false;
  }

  /** Marks errors and warnings, each with line, column, end_column, severity, message and hint. */
  mark(problems) {
    const { doc } = this.view.state;
    const marks = problems.filter((each) => each.line > 0 && each.line <= doc.lines).slice(0, 200).map((each) => {
      const line = doc.line(each.line);
      const from = Math.min(line.from + offset(line.text, each.column), line.to);
      const to = Math.min(Math.max(from + 1, line.from + offset(line.text, each.end_column)), line.to);
      return { from, to: Math.max(from, to), severity: each.severity, message: [each.message, each.hint].filter(Boolean).join("\n") };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** Goes to a line and shows it in the middle. */
  goTo(number, column = 1) {
    const { doc } = this.view.state;
    const line = doc.line(Math.max(1, Math.min(number, doc.lines)));
    const at = Math.min(line.from + offset(line.text, column), line.to);
    this.view.dispatch({ selection: { anchor: at }, effects: [cite.of(line.from), EditorView.scrollIntoView(at, { y: "center" })] });
    this.view.focus();
  }

  /** Replaces text as if it were typed, so that it can be undone. */
  replace(changes) {
    this.view.dispatch({ changes, userEvent: "input" });
  }

  /** Sets another text, changing only the lines that differ, so that marks and the cursor stay. */
  rewrite(text) {
    const before = this.view.state.doc;
    const lines = text.split("\n");
    if (lines.length !== before.lines) {
      this.replace({ from: 0, to: before.length, insert: text });
      return;
    }
    this.replace(lines.flatMap((line, i) => {
      const { from, to, text: old } = before.line(i + 1);
      return old === line ? [] : [{ from, to, insert: line }];
    }));
  }

  /** Inserts text and selects a part of it for editing. */
  insert(at, text, from, length) {
    this.replace({ from: at, insert: text });
    this.view.dispatch({ selection: EditorSelection.range(from, from + length), scrollIntoView: true });
    this.view.focus();
  }
}

/** The offset, in UTF-16 units, of a column that counts characters. */
function offset(text, column) {
  return [...text].slice(0, column - 1).join("").length;
}

/** Makes Enter keep the indentation of a line, and indent after a colon. */
function indented(view) {
  const { state } = view;
  const { head, empty } = state.selection.main;
  if (!empty || state.selection.ranges.length > 1) return false;
  const line = state.doc.lineAt(head);
  const before = line.text.slice(0, head - line.from);
  const indent = /^[ \t]*/.exec(before)[0] || (/:\s*$/.test(before) ? "    " : "");
  if (!indent) return false;
  view.dispatch({ changes: { from: head, insert: `\n${indent}` }, selection: EditorSelection.cursor(head + 1 + indent.length), userEvent: "input", scrollIntoView: true });
  return true;
}
