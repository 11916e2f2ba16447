// Sharing: a link that contains the session, and the session as a file.

import { byId, counted, download, element } from "./dom.js";
import { fragmentOf, LONG, TOO_LONG, written } from "./link.js";
import { sessionPage } from "./session_page.js";

export class Sharing {
  /** `bench` is the workbench; `again(session)` makes this page with a session, null if the page has several files. */
  constructor(bench, again) {
    Object.assign(this, { bench, again });
    this.place = byId("sharing");
    byId("share").addEventListener("click", () => this.show());
  }

  /** The address of the page for others: that of `--base`, else the current one. */
  get base() {
    return this.bench.begun.base || document.documentElement.dataset.base || location.href.split("#")[0];
  }

  /** Whether only this computer can open the page, because it is a file or served here. */
  get isHere() {
    const { protocol, hostname } = new URL(this.base);
    return protocol === "file:" || ["127.0.0.1", "localhost"].includes(hostname);
  }

  async show() {
    this.bench.keep();
    const fragment = await this.bench.safely(() => fragmentOf(this.bench.state, (name) => this.bench.files.packagedTexts(name)));
    if (!fragment) return;
    const link = `${this.base}${fragment}`;
    const field = element("input", { type: "text", readOnly: true, value: link, "aria-label": "Link to this session", onfocus: (event) => event.target.select() });
    const told = element("p", { id: "link-told", role: "status" }, this.told(link));
    const copy = element("button", { type: "button", onclick: async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(link);
        told.textContent = "The link is copied.";
      } catch {
        told.textContent = "This browser does not let pages copy: press Ctrl-C.";
      }
    } }, "Copy");
    const isGood = link.length <= TOO_LONG;
    this.place.replaceChildren(
      element("h2", { id: "sharing-title" }, "Share this session"),
      element("p", { className: "faint" }, "Grammar, sentences and settings are in the link itself: no server keeps them."),
      isGood ? element("div", { className: "row" }, field, copy) : "", told,
      element("div", { className: "row" },
        element("button", { type: "button", onclick: () => this.save() }, "Save as one HTML file"),
        element("button", { type: "button", onclick: () => this.place.close() }, "Close")));
    this.place.showModal();
  }

  told(link) {
    if (link.length > TOO_LONG) return `A link of ${link.length.toLocaleString("en")} characters is too long for browsers: save the session as a file and send the file.`;
    const long = link.length > LONG ? " Many programs cut links of this length: a file is safer." : "";
    const verb = document.documentElement.dataset.backend === "pyodide" ? "site" : "serve";
    const here = this.isHere ? ` It opens on this computer only; numbat ${verb} --base ADDRESS makes links to a page that others can reach.` : "";
    return `${counted(link.length, "character")}.${long}${here}`;
  }

  /** The session as one HTML file. */
  async save() {
    const { bench } = this;
    bench.keep();
    const session = written(bench.state);
    const { main, files, model } = bench.state;
    const name = `${main.replace(/\.[a-z]+$/, "") || "session"}.html`;
    if (this.again) {
      download(name, this.again(session), "text/html");
      return;
    }
    const analyses = [];
    for (const typed of bench.list.sentences.filter((each) => each.trim())) analyses.push([typed, await bench.judging.parseOf(typed)]);
    download(name, sessionPage({ title: main, files, analyses, session, scale: model }), "text/html");
    bench.say(`the session is in ${name}`);
  }
}
