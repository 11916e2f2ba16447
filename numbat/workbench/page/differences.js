// Differences between two texts, line by line, and a text restored from a base and the differences.

const MOST_DIFFERENT = 300;

/** The edits from `base` to `text`: [first line, number of lines removed, new lines]; null if too much differs. */
export function editsOf(base, text) {
  const old = base.split("\n");
  const lines = text.split("\n");
  const paths = pathsThrough(old, lines);
  return paths && joined(stepsOf(paths, old.length, lines.length), lines);
}

/** The base after the edits. */
export function edited(base, edits) {
  const lines = base.split("\n");
  for (const [start, removed, put] of [...edits].reverse()) lines.splice(start, removed, ...put);
  return lines.join("\n");
}

/** A short hash of a text. */
export function sumOf(text) {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return `${text.length}-${(sum >>> 0).toString(36)}`;
}

/** The furthest position on each diagonal after 0, 1, … edits, until both texts end (Myers 1986). */
function pathsThrough(old, lines) {
  const reached = new Map([[1, 0]]);
  const paths = [];
  for (let edits = 0; edits <= MOST_DIFFERENT; edits++) {
    paths.push(new Map(reached));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isDown(reached, diagonal, edits) ? reached.get(diagonal + 1) : reached.get(diagonal - 1) + 1;
      while (x < old.length && x - diagonal < lines.length && old[x] === lines[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= old.length && x - diagonal >= lines.length) return paths;
    }
  }
  return null;
}

const isDown = (reached, diagonal, edits) => diagonal === -edits || (diagonal !== edits && reached.get(diagonal - 1) < reached.get(diagonal + 1));

/** The single steps in order: a line removed at x, or line y inserted before x. */
function stepsOf(paths, x, y) {
  const steps = [];
  for (let edits = paths.length - 1; edits > 0; edits--) {
    const reached = paths[edits];
    const down = isDown(reached, x - y, edits);
    const diagonal = down ? x - y + 1 : x - y - 1;
    x = reached.get(diagonal);
    y = x - diagonal;
    steps.unshift(down ? { at: x, put: y } : { at: x, put: null });
  }
  return steps;
}

function joined(steps, lines) {
  const edits = [];
  for (const { at, put } of steps) {
    const last = edits.at(-1);
    const goesOn = last && last[0] + last[1] === at;
    const edit = goesOn ? last : [at, 0, []];
    if (!goesOn) edits.push(edit);
    if (put === null) edit[1] += 1;
    else edit[2].push(lines[put]);
  }
  return edits;
}
