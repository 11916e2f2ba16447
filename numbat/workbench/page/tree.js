// A parse as a drawing, and as nested lists for screen readers.

import { element } from "./dom.js";

/** The drawing and the lists; `pointed(number, goesOn)` is called when a constituent was clicked, `goesOn` is true for the shift key. */
export function treeOf(view, pointed) {
  const drawing = drawingOf(view.svg);
  drawing.setAttribute("aria-hidden", "true");
  for (const group of drawing.querySelectorAll("[data-number]")) {
    group.addEventListener("click", (event) => pointed(Number(group.dataset.number), event.shiftKey));
  }
  const box = element("div", { className: "tree", tabIndex: 0, role: "group", "aria-label": "Tree; it scrolls" }, drawing);
  if (Number(drawing.getAttribute("width")) > 900) box.classList.add("wide");
  return element("div", {}, box, element("div", { className: "sr" }, listOf(view.parse.constituents, violatedIn(view))));
}

/** The outline of a parse: nested lists that open and close; `pointed` is called when a word was clicked. */
export function outlineOf(view, pointed) {
  const made = new DOMParser().parseFromString(view.outline, "application/xhtml+xml").documentElement;
  const outline = document.importNode(made, true);
  for (const word of outline.querySelectorAll("li[data-number]")) word.addEventListener("click", (event) => pointed(Number(word.dataset.number), event.shiftKey));
  return outline;
}

/** Dependencies as arcs, in a box that scrolls. */
export function arcsOf(svg) {
  return element("div", { className: "tree", tabIndex: 0, role: "group", "aria-label": "Dependencies; they scroll" }, drawingOf(svg));
}

/** The drawing as an element; Numbat makes it, and all words in it are text. */
function drawingOf(svg) {
  const made = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  return document.importNode(made, true);
}

function violatedIn(view) {
  const found = new Map();
  for (const each of view.violations) found.set(each.constituent, (found.get(each.constituent) ?? 0) + 1);
  return found;
}

function listOf(constituents, violated) {
  return element("ul", {}, constituents.map((each) => {
    const number = violated.get(each.id);
    const told = `${each.construction}${each.form === null ? "" : ` ${each.form}`}${number ? `, ${number} violated` : ""}`;
    return element("li", {}, told, each.daughters.length ? listOf(each.daughters, violated) : null);
  }));
}

/** Marks the daughters of a violation and its constituent; without a violation, removes all marks. */
export function point(place, violation) {
  for (const group of place.querySelectorAll("svg [data-number], .outline [data-number]")) {
    const number = Number(group.dataset.number);
    group.classList.toggle("in-conflict", Boolean(violation) && violation.elements.includes(number));
    group.classList.toggle("place", Boolean(violation) && violation.constituent === number);
  }
}

/** The constituent with a number. */
export function constituentOf(view, number) {
  const waiting = [...view.parse.constituents];
  while (waiting.length) {
    const each = waiting.pop();
    if (each.id === number) return each;
    waiting.push(...each.daughters);
  }
  return null;
}

const SCALE = 2;

/** A drawing as a picture, with twice the resolution of the screen. */
export async function pngOf(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = element("canvas", { width: image.width * SCALE, height: image.height * SCALE });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
