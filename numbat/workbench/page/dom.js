// Makes elements of the page; their content is always text, never markup.

/** An element with its properties, its listeners (names that begin with "on") and its children, which are text or elements. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && key !== "list") made[key] = value;
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** The element of the page with an id. */
export const byId = (id) => document.getElementById(id);

/** A function that runs when it was not called for some milliseconds. */
export function afterPause(milliseconds, run) {
  let waiting = 0;
  return (...given) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => run(...given), milliseconds);
  };
}

/** "1 sentence", "2 sentences". */
export const counted = (number, one, more = `${one}s`) => `${number} ${number === 1 ? one : more}`;

/** A number with at most three decimals. */
export const figure = (number) => String(Math.round(number * 1000) / 1000);

/** Whether a score is only the cost with the other sign, so that one of the two numbers says everything. */
export const isCost = (score, cost) => Math.abs(score + cost) < 1e-6;

/** Downloads a text or a blob as a file. */
export function download(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
