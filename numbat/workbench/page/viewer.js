// The view of the chosen parse: a tree that fits its place and can be zoomed, moved, folded and shown on the full screen; or an outline; dependencies beside it.

import { element } from "./dom.js";
import { arcsOf, outlineOf, treeOf } from "./tree.js";

/** Scale below which letters are smaller than nine pixels: then `auto` shows an outline. */
const LEGIBLE = 0.56;
const STEP = 1.25;
const SMALLEST = 0.1;
const LARGEST = 4;
const STRIDE = 60;

export class Viewer {
  /** `look()` returns the look of the session: its `shape` is `auto`, `tree` or `outline`, its `features` are `some`, `all` or `none`, `folded` are categories; `changed(isDrawnAnew)` is called when it has changed, `pointed(number, goesOn)` when a constituent was clicked. */
  constructor({ look, changed, pointed }) {
    Object.assign(this, { look, changed, pointed, flipped: new Set(), scale: null, isFull: false, isBehind: false });
    this.observer = new ResizeObserver(() => this.fit());
    addEventListener("keydown", (event) => event.key === "Escape" && this.isFull && this.full(false));
    document.addEventListener("fullscreenchange", () => !document.fullscreenElement && this.isFull && this.full(false));
  }

  /** The part of a request about the drawing. */
  get asked() {
    const { features, folded } = this.look();
    return { features, folded, flipped: [...this.flipped] };
  }

  /** Forgets single folds, because another parse has other constituent numbers. */
  forget() {
    this.flipped.clear();
    this.scale = null;
  }

  /** The element that shows a view of a parse. */
  show(view) {
    this.view = view;
    this.isBehind = false;
    this.tree = treeOf(view, this.pointed);
    const outline = outlineOf(view, this.pointed);
    this.outline = outline;
    // The toggle event comes later, perhaps when another parse is shown, whose constituents have other numbers.
    for (const each of outline.querySelectorAll("details")) {
      let { open } = each;
      each.addEventListener("toggle", () => {
        // There is one such event when it is made, too, perhaps when the folds of the look have changed.
        if (outline === this.outline && each.open !== open) this.toggled(each);
        ({ open } = each);
      });
    }
    for (const each of this.tree.querySelectorAll("svg .constituent")) this.handle(each);
    const { dependencies } = view.language ?? {};
    this.panes = [this.pane(this.tree.querySelector(".tree")), ...(dependencies ? [this.pane(arcsOf(dependencies))] : [])];
    this.views = element("div", { className: "views" }, element("div", {}, this.tree, this.outline), this.panes.slice(1).map((each) => each.box));
    this.whole = element("div", { className: "viewer" }, this.bar(), this.views);
    this.whole.classList.toggle("full", this.isFull);
    this.observer.disconnect();
    this.observer.observe(this.views);
    return this.whole;
  }

  bar() {
    const { features } = this.look();
    const button = (name, title, run, pressed = null) => element("button", { type: "button", title, onclick: run, ...(pressed === null ? {} : { "aria-pressed": String(pressed) }) }, name);
    this.shapes = ["tree", "outline"].map((each) => button(each === "tree" ? "Tree" : "Outline", each === "tree" ? "Draw a tree" : "An indented list, for long sentences and small screens", () => this.take({ shape: each }), false));
    const choice = element("select", { "aria-label": "Features in the tree" }, [["some", "Features"], ["all", "All features"], ["none", "No features"]].map(([value, name]) => element("option", { value, selected: value === features }, name)));
    choice.addEventListener("change", () => this.take({ features: choice.value }));
    this.zooms = element("span", { className: "zooms" }, button("−", "Smaller (key −)", () => this.zoom(1 / STEP)), button("Fit", "Fit the width (key 0)", () => this.fitted()), button("+", "Larger (key +)", () => this.zoom(STEP)));
    return element("div", { className: "row bar" }, this.shapes, choice, this.zooms, button("Full screen", "The whole window; press Escape to leave", () => this.full(!this.isFull), this.isFull), this.folds());
  }

  /** A button for each category of phrases, which folds all of them, here and in other sentences. */
  folds() {
    const { folded } = this.look();
    const names = [...new Set(phrasesOf(this.view).map((each) => each.construction)), ...folded.filter((each) => !phrasesOf(this.view).some((other) => other.construction === each))];
    const toggle = (name) => {
      const { folded } = this.look();  // it may have changed since it was drawn
      this.flipped.clear();
      this.take({ folded: folded.includes(name) ? folded.filter((each) => each !== name) : [...folded, name] });
    };
    const buttons = names.map((name) => element("button", { type: "button", "aria-pressed": String(folded.includes(name)), title: `Fold all ${name}, in all sentences`, onclick: () => toggle(name) }, name));
    const opened = this.whole?.querySelector(".folds")?.open ?? folded.length > 0;
    return names.length ? element("details", { className: "folds", open: opened }, element("summary", {}, "Fold …"), buttons) : "";
  }

  /** Changes the look; some changes do not need a new drawing. */
  take(change) {
    Object.assign(this.look(), change);
    const isDrawnAnew = !("shape" in change) || this.isBehind;
    this.changed(isDrawnAnew);
    if (!isDrawnAnew) this.fit();
  }

  /** Adds a sign at the corner of a phrase that folds and unfolds it. */
  handle(group) {
    const number = Number(group.dataset.number);
    if (!phrasesOf(this.view).some((each) => each.id === number)) return;
    const isFolded = group.classList.contains("folded");
    const { x, y, width } = Object.fromEntries(["x", "y", "width"].map((name) => [name, Number(group.querySelector("rect").getAttribute(name))]));
    const made = (name, given) => Object.entries(given).reduce((each, [key, value]) => (each.setAttribute(key, value), each), document.createElementNS(group.namespaceURI, name));
    const sign = made("g", { class: "fold" });
    const text = made("text", { x: x + width, y });
    text.textContent = isFolded ? "+" : "−";
    const title = made("title", {});
    title.textContent = isFolded ? "Unfold" : "Fold";
    sign.append(title, made("circle", { cx: x + width, cy: y, r: 8 }), text);
    sign.addEventListener("click", (event) => {
      event.stopPropagation();
      this.flip(number);
      this.changed(true);
    });
    group.append(sign);
  }

  flip(number) {
    if (!this.flipped.delete(number)) this.flipped.add(number);
  }

  /** Takes note that a part of the outline was opened or closed; the tree follows when it is shown again. */
  toggled(details) {
    const number = Number(details.firstElementChild.dataset.number);
    const each = phrasesOf(this.view).find((phrase) => phrase.id === number);
    const isFolded = this.look().folded.includes(each.construction) !== this.flipped.has(number);
    if (isFolded === !details.open) return;
    this.flip(number);
    this.isBehind = true;
  }

  // ---- size and place

  /** A box in which a drawing is zoomed and moved. */
  pane(box) {
    const drawing = box.querySelector("svg");
    const natural = { width: Number(drawing.getAttribute("width")), height: Number(drawing.getAttribute("height")) };
    const pane = { box, drawing, natural };
    box.setAttribute("aria-label", `${box.getAttribute("aria-label").split(";")[0]}; the keys + − 0 zoom it and the arrows move it`);
    box.addEventListener("keydown", (event) => this.key(event, box));
    box.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? STEP : 1 / STEP, pane, event);
    }, { passive: false });
    this.fingers(pane);
    return pane;
  }

  key(event, box) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const does = { "+": () => this.zoom(STEP), "=": () => this.zoom(STEP), "-": () => this.zoom(1 / STEP), "−": () => this.zoom(1 / STEP), 0: () => this.fitted(), f: () => this.full(!this.isFull) };
    if (event.key in moves) box.scrollBy(...moves[event.key].map((each) => each * STRIDE));
    else if (event.key in does) does[event.key]();
    else return;
    event.preventDefault();
  }

  /** Two fingers zoom the drawing, and a mouse drags it; the browser itself scrolls it with one finger. */
  fingers(pane) {
    const { box } = pane;
    const down = new Map();
    const apart = () => {
      const [one, other] = [...down.values()];
      return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    };
    let before = 0;
    box.addEventListener("pointerdown", (event) => {
      down.set(event.pointerId, event);
      if (down.size === 2) before = apart();
    });
    box.addEventListener("pointermove", (event) => {
      const last = down.get(event.pointerId);
      if (!last) return;
      down.set(event.pointerId, event);
      if (down.size === 2) {
        const now = apart();
        this.zoom(now / before, pane, event);
        before = now;
      } else if (event.pointerType === "mouse") box.scrollBy(last.clientX - event.clientX, last.clientY - event.clientY);
    });
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) box.addEventListener(name, (event) => down.delete(event.pointerId));
  }

  /** The scale at which a drawing fits the width of its box. */
  fitting({ box, natural }) {
    const room = box.clientWidth || box.parentElement.parentElement.clientWidth - 2;
    return Math.min(this.isFull ? 2 : 1, Math.max(SMALLEST, room / natural.width));
  }

  fitted() {
    this.scale = null;
    this.fit();
  }

  /** Shows the tree or the outline, and sets the sizes of the drawings. */
  fit() {
    const { shape } = this.look();
    const isOutline = shape === "outline" || (shape === "auto" && this.scale === null && this.fitting(this.panes[0]) < LEGIBLE);
    this.tree.hidden = isOutline;
    this.outline.hidden = !isOutline;
    this.zooms.hidden = isOutline && this.panes.length < 2;
    for (const [i, button] of this.shapes.entries()) button.setAttribute("aria-pressed", String((i === 1) === isOutline));
    for (const pane of this.panes) this.size(pane, this.scale ?? this.fitting(pane));
  }

  size({ drawing, natural }, scale) {
    drawing.setAttribute("width", natural.width * scale);
    drawing.setAttribute("height", natural.height * scale);
  }

  /** Zooms all drawings; the point under the pointer stays where it is, else the middle. */
  zoom(factor, pane = this.panes[0], event = null) {
    const { box } = pane;
    const old = this.scale ?? this.fitting(pane);
    this.scale = Math.min(LARGEST, Math.max(SMALLEST, old * factor));
    const edge = box.getBoundingClientRect();
    const at = event ? [event.clientX - edge.x, event.clientY - edge.y] : [edge.width / 2, edge.height / 2];
    const point = [box.scrollLeft + at[0], box.scrollTop + at[1]].map((each) => (each * this.scale) / old);
    this.fit();
    box.scrollTo(point[0] - at[0], point[1] - at[1]);
  }

  /** Shows the view on the full screen or in its place; without permission it fills the window. */
  full(isFull) {
    this.isFull = isFull;
    this.whole.classList.toggle("full", isFull);
    this.whole.querySelector("[aria-pressed][title^='The whole']").setAttribute("aria-pressed", String(isFull));
    if (isFull) this.whole.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
    this.fitted();
    if (isFull) this.panes[0].box.focus();
  }
}

/** The phrases in the JSON of a parse. */
function phrasesOf(view) {
  const found = [];
  const waiting = [...view.parse.constituents];
  while (waiting.length) {
    const each = waiting.pop();
    if (each.daughters.length) found.unshift(each);
    waiting.push(...each.daughters);
  }
  return found;
}
