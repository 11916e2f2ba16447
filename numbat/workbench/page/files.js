// The files of the page: grammars, lexicons and suites; writing costs, weights and words into a grammar.

/** Whether a file holds judged sentences: a list, or a table that no grammar names as its lexicon. */
export function isSuite(name, text, files) {
  if (/\.(pg|ya?ml)$/.test(name)) return false;
  if (/\.(txt|csv|jsonl)$/.test(name)) return true;
  const isNamed = Object.entries(files).some(([other, content]) => /\.(pg|ya?ml)$/.test(other) && content.includes(name.split("/").at(-1)));
  return !isNamed && /^[^\n]*\b(sentence|judge?ment)\b/i.test(text);
}

/** The first file of a grammar that is opened: the one that no other includes. */
export function mainOf(files) {
  const grammars = Object.keys(files).filter((name) => /\.(pg|ya?ml)$/.test(name));
  const isIncluded = (name) => grammars.some((other) => other !== name && files[other].includes(name));
  return grammars.find((name) => !isIncluded(name)) ?? grammars[0] ?? null;
}

/** The example sentences in the comments of a grammar; an example that is followed by a rule gets a star. */
export function examplesIn(text) {
  const matches = [...text.matchAll(/^#.*\bnumbat parse\b[^"\n]*"([^"\n]+)"(.*)$/gm)];
  return [...new Set(matches.map(([, sentence, comment]) => (/\b(?:must|requires)\b/.test(comment) ? `* ${sentence}` : sentence)))].slice(0, 6);
}

const NUMBER = "(?:\\d+(?:\\.\\d+)?|\\.\\d+)";

/** A line with other numbers after its property; null if the property does not end in this line. */
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

/** The changed numbers of a property, from the strengths of the property and of its relation; null if nothing changes. */
function wantedOf(construction, { relation, property, cost, weight }, strengths) {
  const said = { ...strengths[relation], ...strengths[`${construction}: ${property}`] };
  const wanted = { weight: said.weight ?? weight, cost: said.cost ?? cost };
  if (wanted.weight === weight && wanted.cost === cost) return null;
  // A cost that is not stated equals the weight, so a new weight needs the cost beside it.
  return wanted.weight === weight ? { cost: wanted.cost } : wanted;
}

/** The texts of the files with these numbers, and the properties that could not be changed because they span several lines or share a line with others. */
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

/** The position and the text with which a word is inserted into the lexicon of a grammar, and the position of its category. */
export function withEntry(text, name, word, category) {
  const isYaml = /\.ya?ml$/.test(name);
  const form = /^[\p{L}][\p{L}\d_-]*$/u.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`;
  const line = `${isYaml ? "  " : "    "}${form}: ${category}\n`;
  const found = /^lexicon:[^\n]*\n/m.exec(text);
  const at = found ? found.index + found[0].length : text.length;
  const whole = found ? line : `${text === "" || text.endsWith("\n") ? "" : "\n"}${isYaml ? "" : "\n"}lexicon:\n${line}`;
  return { at, text: whole, from: at + whole.length - 1 - category.length };
}

/** The text of a grammar's first file with another fragment cost. */
export function withFragmentCost(text, cost) {
  const stated = /^fragment_cost:.*$/m;
  if (stated.test(text)) return text.replace(stated, `fragment_cost: ${cost}`);
  return `fragment_cost: ${cost}\n${text}`;
}

/** Whether a file is an exercise. */
export const isExercise = (name) => /\.exercise\.ya?ml$/.test(name);
