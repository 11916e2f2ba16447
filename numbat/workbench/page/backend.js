// The back end over HTTP: call(name, request, slot) answers a request of the façade. pyodide_backend.js has the one without a server.

/** An error of the back end: `kind`, `message`, `hint`, `problems` with their places. */
export class BackendError extends Error {
  constructor(error) {
    super(error.message);
    Object.assign(this, { kind: "", hint: "", problems: [] }, error);
  }
}

/** Answers over HTTP, from `numbat serve`. */
export class HttpBackend {
  constructor() {
    // Pages of one browser do not supersede each other, and each has its own process.
    this.page = Math.random().toString(36).slice(2, 10);
    this.newest = new Map();
  }

  /** The options of the server: { grammar, folder, base }. */
  start() {
    return this.post("start", {});
  }

  /** The answer to a call; null if a newer call in the same slot replaced it. Throws BackendError. */
  async call(name, { grammar, settings = {}, given = {} } = {}, slot = "") {
    const place = `call?page=${this.page}` + (slot ? `&slot=${encodeURIComponent(slot)}` : "");
    const asked = { call: name, given, settings, ...(grammar ? { grammar } : {}) };
    const number = (this.newest.get(slot) ?? 0) + 1;
    this.newest.set(slot, number);
    for (;;) {
      const answer = await this.post(place, asked);
      const isNewest = this.newest.get(slot) === number;
      // Two requests may arrive in the wrong order: then the newest one is sent again.
      if (answer.superseded && isNewest) continue;
      // So may two answers: an old one would replace the newest on the page.
      return slot && !isNewest ? null : outcome(answer);
    }
  }

  /** Has the grammar read before the first edit; all other requests go first. */
  async getReady(grammar) {
    try {
      await this.call("ready", { grammar }, "ready");
    } catch {
      // Then the first edit takes longer.
    }
  }

  /** A call about the user's files: list, open, read, save. Throws BackendError. */
  async folder(name, given = {}) {
    return outcome(await this.post(`folder?page=${this.page}`, { call: name, given }));
  }

  async post(place, body) {
    let response;
    try {
      response = await fetch(place, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    } catch {
      throw new BackendError({ kind: "gone", message: "Numbat does not answer", hint: "is numbat serve still running? What you typed is kept in this browser." });
    }
    if (!response.ok) throw new BackendError({ kind: "refused", message: (await response.text()).trim(), hint: "use the link that numbat serve printed" });
    return response.json();
  }
}

/** The content of an answer; null if a newer call replaced it. Throws BackendError. */
export function outcome(answer) {
  if (answer.error) throw new BackendError(answer.error);
  return answer.superseded ? null : answer.answer;
}
