// Prints the pieces of lines with their kinds, as the page's editor (`page`) or the TextMate grammar (`textmate`) tells them.
//
// node colours_in_node.mjs page|textmate ROOT < lines as JSON

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [kind, root] = process.argv.slice(2);
const lines = JSON.parse(readFileSync(0, "utf8"));

/** What a mode of CodeMirror reads a line through: the methods that the page's mode uses. */
class Line {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }
  sol = () => this.at === 0;
  column = () => this.at;
  eatSpace() {
    const begun = this.at;
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
    return this.at > begun;
  }
  match(pattern, consumes = true) {
    const found = this.text.slice(this.at).match(pattern);
    if (!found || found.index) return null;
    if (consumes) this.at += found[0].length;
    return found;
  }
  next = () => this.text[this.at++];
}

async function byPage() {
  const source = readFileSync(join(root, "numbat/workbench/page/notation.js"), "utf8");
  const alone = source.replace(/^import .*$/m, "const StreamLanguage = { define: (mode) => mode };");
  const { notation } = await import(`data:text/javascript,${encodeURIComponent(alone)}`);
  const named = { propertyName: "property", atom: "value", variableName: "name" };
  const state = notation.startState();
  return lines.map((text) => {
    const [line, found] = [new Line(text), []];
    while (line.at < text.length) {
      const begun = line.at;
      const style = notation.token(line, state);
      if (style) found.push([text.slice(begun, line.at), named[style] ?? style]);
    }
    return found;
  });
}

async function byTextMate() {
  const require = createRequire(join(root, "tools/textmate/package.json"));
  const { Registry, parseRawGrammar } = require("vscode-textmate");
  const oniguruma = require("vscode-oniguruma");
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
  const file = join(root, "editors/vscode/syntaxes/numbat.tmLanguage.json");
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(readFileSync(file, "utf8"), file),
  });
  const grammar = await registry.loadGrammar("source.numbat");
  const named = [
    ["comment", "comment"], ["entity.name.class", "heading"], ["string", "string"], ["constant.numeric", "number"],
    ["keyword.operator", "operator"], ["keyword.control", "keyword"], ["variable.other.property", "property"],
    ["constant.other", "value"], ["variable.other", "name"], ["punctuation", "punctuation"],
  ];
  let state = null; // what a line leaves open colours the next one
  return lines.map((text) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(text, state);
    state = ruleStack;
    return tokens.flatMap(({ startIndex, endIndex, scopes }) => {
      const scope = scopes.at(-1);
      const piece = text.slice(startIndex, endIndex);
      const found = named.find(([begun]) => scope.startsWith(begun));
      return found ? [[piece, found[1]]] : piece.trim() ? [[piece, scope]] : [];
    });
  });
}

console.log(JSON.stringify(await (kind === "page" ? byPage() : byTextMate())));
