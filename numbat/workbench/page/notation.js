// The notation of grammars for the editor: highlighting and completion.

import { StreamLanguage } from "./codemirror.js";

const TOP = ["grammar", "language", "version", "authors", "source", "include", "lexicon_file", "leaves", "roots", "tree_features", "fragment_cost",
  "node_cost", "unary_limit", "types", "features", "semantics", "tokens", "marks", "lexicon", "guess", "names", "spelling", "relation", "template", "all",
  "override", "without", "profile"];
const MARKS = ["cost", "weight", "hard", "at", "lemma", "head", "inherit", "const", "from", "if", "not", "and", "or", "says", "but", "for", "each",
  "like", "with", "without", "election", "termination"];
const RELATIONS = ["oblig", "uniq", "requires", "excludes", "obligation", "uniqueness"];
const SIGN = /^(?:=>|~>|->|<=|<>|[<>⇒⇝→≺⊗↛&|*])/u;

/** The notation of `.pg` files. */
export const notation = StreamLanguage.define({
  name: "numbat",
  startState: () => ({ begins: true, bracket: 0 }),
  token(stream, state) {
    if (stream.sol()) state.begins = true;
    if (stream.eatSpace()) return null;
    const isTop = state.begins && stream.column() === 0;
    state.begins = false;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return isTop ? "heading" : "string";
    if (stream.match(/^\d+(?:[.,]\d+)?/)) return "number";
    if (stream.match(/^e\.g\./)) return "keyword";
    if (stream.match(SIGN)) return "operator";
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}\p{M}_'’-]*/u);
    if (word) {
      if (isTop) return TOP.includes(word[0]) ? "keyword" : "heading";
      if (state.bracket) return stream.match(/^\s*=/, false) ? "propertyName" : "atom";
      if (RELATIONS.includes(word[0])) return "operator";
      return MARKS.includes(word[0]) ? "keyword" : "variableName";
    }
    const sign = stream.next();
    if (sign === "[") state.bracket += 1;
    if (sign === "]") state.bracket = Math.max(0, state.bracket - 1);
    return "punctuation";
  },
});

/** The completions at the cursor: features and their values in brackets, settings at the start of a line, else categories and relations. */
export function completionsFrom(grammar) {
  return (context) => {
    const word = context.matchBefore(/[\p{L}\p{N}_-]*/u);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, word.from - line.from);
    if (before.includes("#")) return null;
    return { from: word.from, options: options(grammar(), before), validFor: /^[\p{L}\p{N}_-]*$/u };
  };
}

function options(grammar, before) {
  const all = (labels, type, detail) => labels.map((label) => ({ label, type, detail }));
  const features = grammar?.features ?? [];
  if (before.lastIndexOf("[") > before.lastIndexOf("]")) {
    const named = /([\p{L}\p{N}_-]+)=(?:[^,\]]*\|)?$/u.exec(before);
    const feature = named && features.find((each) => each.name === named[1]);
    if (feature) return all(feature.values, "enum", feature.name);
    return [...features.map((each) => ({ label: each.name, type: "property", detail: "feature", apply: `${each.name}=` })), ...features.flatMap((each) => all(each.values, "enum", each.name))];
  }
  const categories = [...all((grammar?.constructions ?? []).map((each) => each.name), "class", "construction"), ...all(grammar?.leaves ?? [], "variable", "leaf")];
  if (!before.trim()) {
    const settings = before ? [] : all(TOP, "keyword", "setting");
    return [...settings, ...categories, ...all(RELATIONS.slice(0, 2), "function", "relation")];
  }
  const relations = (grammar?.relations ?? []).flatMap((each) => [{ label: each.name, type: "function", detail: each.symbol || "relation", apply: each.symbol || each.name }]);
  return [...categories, ...relations, ...all(["cost", "weight", "hard"], "keyword", "strength"), ...all(["e.g."], "keyword", "examples")];
}
