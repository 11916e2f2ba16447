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

/** A line with another cost; null where the end of the property is not in it. */
export function withCost(line, cost) {
  const [, code, gap, comment] = /^((?:[^"#]|"(?:[^"\\]|\\.)*")*?)(\s*)(#.*)?$/.exec(line) ?? [null, line, "", ""];
  const signs = code.replace(/"(?:[^"\\]|\\.)*"/g, "");
  const depth = [...signs].reduce((sum, sign) => sum + ("[({".includes(sign) ? 1 : "])}".includes(sign) ? -1 : 0), 0);
  if (depth !== 0 || !code.trim()) return null;
  const stated = /\bcost\s+\d+(?:\.\d+)?/;
  const changed = stated.test(signs) ? code.replace(stated, `cost ${cost}`) : `${code} cost ${cost}`;
  return `${changed}${gap}${comment ?? ""}`;
}

/** The texts of the files with these costs by relation, and the places whose line cannot be changed. */
export function withStrengths(files, grammar, strengths) {
  const texts = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.split("\n")]));
  const left = [];
  const seen = new Set();
  for (const construction of grammar.constructions) {
    for (const { relation, cost, place, property } of construction.properties) {
      const wanted = strengths[relation];
      if (wanted === undefined || wanted === cost) continue;
      const where = place && `${place.file}:${place.line}`;
      if (where && seen.has(where)) continue;
      const line = place && texts[place.file]?.[place.line - 1];
      const changed = line === undefined || line === null || /\.ya?ml$/.test(place.file) ? null : withCost(line, wanted);
      if (changed === null) left.push(`${construction.name}: ${property}`);
      else {
        texts[place.file][place.line - 1] = changed;
        seen.add(where);
      }
    }
  }
  return { texts: Object.fromEntries(Object.entries(texts).map(([name, lines]) => [name, lines.join("\n")])), left };
}

/** The text of a grammar's first file with another cost of fragments. */
export function withFragmentCost(name, text, cost) {
  const stated = /^fragment_cost:.*$/m;
  if (stated.test(text)) return text.replace(stated, `fragment_cost: ${cost}`);
  return `fragment_cost: ${cost}\n${text}`;
}
