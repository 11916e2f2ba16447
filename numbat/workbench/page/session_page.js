// A session as one HTML file: a page with the contents of the workbench; or, for a one-file workbench, that page again with the session in it.

import { scoreOf } from "./analysis.js";
import { counted, element, figure } from "./dom.js";
import { outlineOf, treeOf } from "./tree.js";

const MOST_TREES = 40;
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const MORE_STYLE = "main { display: block; max-width: 60rem; } pre { overflow-x: auto; border: 1px solid var(--line); border-radius: 5px; padding: .5rem; } article { margin: 1.5rem 0; } svg.numbat .constituent { cursor: auto; }";

/** The session in the text of a page, as JSON; null if it has none. */
export function sessionIn(text) {
  return /<script id="session"[^>]*>([^<]+)<\/script>/.exec(text)?.[1].trim() || null;
}

/** The page as text. `analyses` are [typed, answer of `parse`] of its sentences, `session` is the state as JSON. */
export function sessionPage({ title, files, analyses, session, scale }) {
  const made = document.implementation.createHTMLDocument(title);
  made.documentElement.lang = "en";
  made.head.prepend(element("meta", { charset: "utf-8" }), element("meta", { "http-equiv": "Content-Security-Policy", content: POLICY }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }));
  made.body.append(
    element("header", {}, element("h1", {}, title)),
    element("main", {},
      element("p", { className: "faint" }, `Made by the workbench of Numbat, which can open this file. Scores: ${scale}.`),
      element("h2", {}, "Sentences"), analyses.slice(0, MOST_TREES).map(([typed, answer]) => analysis(typed, answer)),
      analyses.length > MOST_TREES ? element("p", {}, `and ${counted(analyses.length - MOST_TREES, "sentence")} more`, element("ul", {}, analyses.slice(MOST_TREES).map(([typed]) => element("li", { dir: "auto" }, typed)))) : "",
      Object.entries(files).map(([name, text]) => [element("h2", {}, name), element("pre", { dir: "auto" }, text)])),
    inert(session),
  );
  // The security policy of this page forbids style elements, also in a new document, so the style is added to the text.
  const style = `<style>${styles()}\n${MORE_STYLE}</style></head>`;
  return `<!doctype html>\n${made.documentElement.outerHTML.replace("</head>", () => style)}\n`;
}

function analysis(typed, answer) {
  const view = answer?.parses[0];
  if (!view) return element("article", {}, element("h3", { dir: "auto" }, typed), element("p", {}, "not analysed"));
  return element("article", {}, element("h3", { dir: "auto" }, typed), element("p", {}, `${view.summary}${scoreOf(view)}`), treeOf(view, () => {}),
    element("details", {}, element("summary", {}, "Outline"), outlineOf(view, () => {})),
    element("ul", {}, [...view.fragments, ...view.violations.map((each) => `${each.says} — cost ${figure(each.cost)}`), ...(view.diagnoses ?? []), ...(view.prices ?? [])].map((says) => element("li", {}, says))));
}

/** The styles of this page as text. */
function styles() {
  return [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join("\n");
}

/** The element with the session: JSON that no browser runs, and that cannot end the element. */
function inert(session) {
  return element("script", { id: "session", type: "application/json" }, session.replaceAll("<", "\\u003c"));
}

/** Remembers the original one-file page; returns a function that makes that page with a session in it. */
export function wholePage() {
  const body = document.body.cloneNode(true);
  return (session) => {
    const root = document.documentElement.cloneNode(true);
    root.querySelector("script#session")?.remove();
    const scripts = [...root.querySelectorAll("body script")];
    const fresh = body.cloneNode(true);
    for (const each of fresh.querySelectorAll("script")) each.remove();
    root.querySelector("body").replaceChildren(...fresh.childNodes, inert(session), ...scripts);
    return `<!doctype html>\n${root.outerHTML}\n`;
  };
}
