// The back end of a page without a server: Python in workers (site/pyodide_worker.js), with the same calls as `numbat serve`.

import { BackendError, outcome } from "./backend.js";
import { byId, element } from "./dom.js";

const LONG = new Set(["suite", "coverage", "repair", "generate"]);
const PATIENT = new Set(["check", "show", "ready"]);
/** Marking an exercise judges some twenty sentences. */
const isMarking = (call) => call.slot === "lesson";
/** Calls that may take many seconds have a second worker, so that keystrokes never wait for them. */
const isLong = (call) => LONG.has(call.name) && !isMarking(call);
/** Calls that nobody waits for give way to others, and start again after them. */
const isPatient = (call) => PATIENT.has(call.name) || isMarking(call);
const STEPS = 4;

/** Answers by Python in this page. */
export class PyodideBackend {
  constructor() {
    this.site = JSON.parse(byId("site").textContent);
    this.parts = partsOf(this.site);
    this.numbers = 0;
    this.waiting = [];
    this.workers = [];
    this.shown = new Progress();
  }

  /** The beginning of the page: a packaged grammar, or files in `own`; Python starts meanwhile. */
  async start() {
    this.worker(0);
    return { grammar: this.site.grammar, folder: false, own: this.site.own, base: this.site.base };
  }

  /** The answer to a call; null if a newer call in the same slot replaced it. Throws BackendError. */
  async call(name, { grammar, settings = {}, given = {} } = {}, slot = "") {
    const known = this.known(name, given);
    if (known) return structuredClone(known);
    const answer = await this.answer({ call: name, given, settings, ...(grammar ? { grammar } : {}) }, slot);
    return answer === null ? null : outcome(answer);
  }

  /** The answer of the façade to a request; null if a newer one in the same slot replaced it. Throws BackendError if Python fails. */
  async answer(request, slot = "") {
    const number = ++this.numbers;
    if (slot) this.supersede(slot);
    return new Promise((resolve, reject) => {
      this.waiting.push({ number, name: request.call, request: JSON.stringify(request), slot, resolve, reject });
      this.next();
    });
  }

  /** Has the grammar read before the first edit, if that can be interrupted. */
  async getReady(grammar) {
    try {
      if (this.workers[0]?.isSuspendable) await this.call("ready", { grammar }, "ready");
    } catch {
      // Then the first edit takes longer.
    }
  }

  /** Throws BackendError, because a page without a server has no folder. */
  async folder() {
    throw new BackendError({ kind: "usage", message: "this page has no folder", hint: "open files one by one" });
  }

  /** The answer to a call that is stored in the page, null if there is none. */
  known(name, given) {
    const asked = JSON.stringify(given);
    return this.site.known.find((each) => each.call === name && JSON.stringify(each.given) === asked)?.answer ?? null;
  }

  /** Ends earlier calls in this slot: those that wait are dropped, the one at work is told to stop. */
  supersede(slot) {
    const isOld = (call) => call?.slot === slot;
    for (const call of this.waiting.filter(isOld)) call.resolve(null);
    this.waiting = this.waiting.filter((call) => !isOld(call));
    for (const worker of this.workers.filter((each) => isOld(each.call))) worker.stop();
  }

  /** Gives waiting calls to free workers. */
  next() {
    for (const call of [...this.waiting]) {
      const worker = this.placesOf(call).map((index) => this.worker(index)).find((each) => each.isFree);
      if (!worker) {
        if (!isPatient(call) && !isLong(call)) this.worker(0).giveWay();
        continue;
      }
      this.waiting.splice(this.waiting.indexOf(call), 1);
      worker.work(call);
    }
  }

  /** The workers that may take a call: both, if Python cannot be interrupted. */
  placesOf(call) {
    if (isLong(call)) return [1];
    const first = this.workers[0];
    return first?.isReady && !first.isSuspendable ? [0, 1] : [0];
  }

  worker(index) {
    this.workers[index] ??= new PythonWorker(this.parts, {
      told: (text, step) => index === 0 && this.shown.tell(text, step),
      free: (again) => {
        // It gets a new number, because the worker remembers the number that was stopped.
        if (again) this.waiting.push({ ...again, number: ++this.numbers, isPutOff: false });
        this.next();
      },
      ended: (message) => this.ended(index, message),
    });
    return this.workers[index];
  }

  /** Replaces a worker that ended; if it could not even start, the waiting calls fail. */
  ended(index, message) {
    const { isReady } = this.workers[index];
    this.shown.tell("", STEPS);
    this.workers[index] = undefined;
    if (isReady) {
      this.next();
      return;
    }
    const stuck = this.waiting.filter((call) => this.placesOf(call).includes(index));
    this.waiting = this.waiting.filter((call) => !stuck.includes(call));
    for (const call of stuck) call.reject(ended(`Python did not start: ${message}`, "use a Firefox or Chromium of this year; what you typed is kept in this browser"));
  }
}

/** A worker, which does one call at a time. */
class PythonWorker {
  constructor(parts, { told, free, ended }) {
    Object.assign(this, { told, free, ended, isReady: false, isSuspendable: false, call: null, step: 0 });
    this.told("Unpacking Python", ++this.step);
    this.start(parts).catch((error) => this.broken(error.message));
  }

  async start(parts) {
    this.made = new Worker(await workerAddress());
    this.made.onmessage = ({ data }) => this.heard(data);
    this.made.onerror = (event) => this.broken(event.message || "the worker ended");
    this.made.postMessage({ parts });
  }

  get isFree() {
    return this.isReady && !this.call;
  }

  work(call) {
    this.call = call;
    this.made.postMessage({ number: call.number, request: call.request });
  }

  /** Ends the call without an answer; the worker is free when it has stopped. */
  stop() {
    this.call.isOver = true;
    this.call.resolve(null);
    this.made.postMessage({ stop: this.call.number });
  }

  /** Postpones a call that nobody waits for. */
  giveWay() {
    if (!this.call || !isPatient(this.call) || this.call.isPutOff) return;
    this.call.isPutOff = true;
    this.made.postMessage({ stop: this.call.number });
  }

  heard(data) {
    if (data.progress) this.told(data.progress, ++this.step);
    else if (data.failed) this.broken(data.failed);
    else if (data.ready) {
      Object.assign(this, { isReady: true, isSuspendable: data.isSuspendable });
      this.told("", STEPS);
      this.free();
    } else if (data.broken) this.broken(data.broken);
    else {
      const { call } = this;
      const answer = JSON.parse(data.answer);
      const again = answer.superseded && call.isPutOff && !call.isOver;
      this.call = null;
      if (!again) call.resolve(answer);
      this.free(again ? call : null);
    }
  }

  /** Ends this worker; the next call gets a new one. */
  broken(message) {
    this.made?.terminate();
    this.call?.reject(ended(`Python has stopped: ${message}`, "it starts again; what you typed is kept in this browser"));
    this.ended(message);
  }
}

/** The progress of the start, shown in the head of the page. */
class Progress {
  tell(text, step) {
    this.place ??= byId("told").parentElement.appendChild(element("span", { id: "starting", role: "status" }));
    this.place.replaceChildren(...(text ? [element("progress", { max: STEPS, value: step, "aria-hidden": "true" }), ` ${text} …`] : []));
  }
}

function ended(message, hint) {
  return new BackendError({ kind: "ended", message, hint });
}

/** The content or the address of each part: in this page, or beside it. */
function partsOf(site) {
  return Object.fromEntries(site.parts.map((name) => {
    const here = document.getElementById(`part-${name}`);
    return [name, here ? { content: here.textContent.trim() } : { address: new URL(`${name}.part`, document.baseURI).href }];
  }));
}

/** The address of the worker's script: a blob, so that the policy of this page also applies to the worker. */
async function workerAddress() {
  const here = globalThis.numbatScripts?.["pyodide_worker.js"];
  if (here) return here;
  const found = await fetch("pyodide_worker.js");
  return URL.createObjectURL(new Blob([await found.text()], { type: "text/javascript" }));
}
