// The files of the page: grammars, lexicons and suites, and what of them changes when numbers are written into a grammar.

/** Whether a file holds judged sentences: a list, or a table that no grammar names as its lexicon. */
export function isSuite(name, text, files) {
  if (/\.(pg|ya?ml)$/.test(name)) return false;
  if (/\.(txt|csv|jsonl)$/.test(name)) return true;
  const isNamed = Object.entries(files).some(([other, content]) => /\.(pg|ya?ml)$/.test(other) && content.includes(name.split("/").at(-1)));
  return !isNamed && /^[^\n]*\b(sentence|judge?ment)\b/i.test(text);
}

/** Whether a file is the first one of a grammar that is opened: the one that includes others or is the only one. */
export function mainOf(files) {
  const grammars = Object.keys(files).filter((name) => /\.(pg|ya?ml)$/.test(name));
  const isIncluded = (name) => grammars.some((other) => other !== name && files[other].includes(name));
  return grammars.find((name) => !isIncluded(name)) ?? grammars[0] ?? null;
}

/** The sentences that the comments of a grammar give as examples; one beside which a rule is told has a star. */
export function examplesIn(text) {
  const found = [...text.matchAll(/^#.*\bnumbat parse\b[^"\n]*"([^"\n]+)"(.*)$/gm)];
  return [...new Set(found.map(([, sentence, told]) => (/\b(?:must|requires)\b/.test(told) ? `* ${sentence}` : sentence)))].slice(0, 6);
}

const NUMBER = "(?:\\d+(?:\\.\\d+)?|\\.\\d+)";

/** A line with other numbers behind its property; null where the end of the property is not in it. */
export function withNumbers(line, numbers) {
  const [, code, gap, comment] = /^((?:[^"#]|"(?:[^"\\]|\\.)*")*?)(\s*)(#.*)?$/.exec(line) ?? [null, line, "", ""];
  const signs = code.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => " ".repeat(quoted.length));
  const depth = [...signs].reduce((sum, sign) => sum + ("[({".includes(sign) ? 1 : "])}".includes(sign) ? -1 : 0), 0);
  if (depth !== 0 || !code.trim()) return null;
  let changed = code;
  for (const [word, value] of Object.entries(numbers)) {
    const stated = new RegExp(`\\b${word}\\s+${NUMBER}`);
    const at = stated.exec(changed.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => " ".repeat(quoted.length)));
    changed = at ? `${changed.slice(0, at.index)}${word} ${value}${changed.slice(at.index + at[0].length)}` : `${changed} ${word} ${value}`;
  }
  return `${changed}${gap}${comment ?? ""}`;
}

/** The other numbers of a property, by what is said of it and of its relation; null where nothing is said. */
function wantedOf(construction, { relation, property, cost, weight }, strengths) {
  const said = { ...strengths[relation], ...strengths[`${construction}: ${property}`] };
  const wanted = { weight: said.weight ?? weight, cost: said.cost ?? cost };
  if (wanted.weight === weight && wanted.cost === cost) return null;
  // A cost that is not written is the weight: who writes a weight writes the cost beside it.
  return wanted.weight === weight ? { cost: wanted.cost } : wanted;
}

/** The texts of the files with these numbers, and the properties whose line cannot have them: it spans several, or is shared with others. */
export function withStrengths(files, grammar, strengths) {
  const texts = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.split("\n")]));
  const lines = new Map();
  for (const { name, properties } of grammar.constructions) {
    for (const each of properties) {
      const where = each.place ? `${each.place.file}:${each.place.line}` : `${name}: ${each.property}`;
      const wanted = wantedOf(name, each, strengths);
      lines.set(where, [...(lines.get(where) ?? []), { ...each, label: `${name}: ${each.property}`, wanted }]);
    }
  }
  const left = [];
  for (const properties of lines.values()) {
    const [{ place, wanted }] = properties;
    const isOne = properties.every((each) => JSON.stringify(each.wanted) === JSON.stringify(wanted));
    if (isOne && !wanted) continue;
    const line = isOne && place && !/\.ya?ml$/.test(place.file) ? texts[place.file]?.[place.line - 1] : undefined;
    const changed = line === undefined ? null : withNumbers(line, wanted);
    if (changed === null) left.push(...properties.filter((each) => each.wanted).map((each) => each.label));
    else texts[place.file][place.line - 1] = changed;
  }
  return { texts: Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.join("\n")])), left };
}

/** Where a word goes into the lexicon of a grammar, with which text, and where its category begins in that. */
export function withEntry(text, name, word, category) {
  const isYaml = /\.ya?ml$/.test(name);
  const form = /^[\p{L}][\p{L}\d_-]*$/u.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`;
  const line = `${isYaml ? "  " : "    "}${form}: ${category}\n`;
  const found = /^lexicon:[^\n]*\n/m.exec(text);
  const at = found ? found.index + found[0].length : text.length;
  const whole = found ? line : `${text === "" || text.endsWith("\n") ? "" : "\n"}${isYaml ? "" : "\n"}lexicon:\n${line}`;
  return { at, text: whole, from: at + whole.length - 1 - category.length };
}

/** The text of a grammar's first file with another cost of fragments. */
export function withFragmentCost(text, cost) {
  const stated = /^fragment_cost:.*$/m;
  if (stated.test(text)) return text.replace(stated, `fragment_cost: ${cost}`);
  return `fragment_cost: ${cost}\n${text}`;
}

/** Whether a file is an exercise. */
export const isExercise = (name) => /\.exercise\.ya?ml$/.test(name);
