// Python in a worker of the page: Pyodide, with Numbat's façade in it. The page sends one request at a time, and may stop it.
//   { parts }             the parts of Pyodide and Numbat by name: the address of each, or its content in base64; all of them gzipped
//   { number, request }   answered with { number, answer }, or { number, broken } if this worker is broken
//   { stop: number }
// A page that was opened from a file may only use a classic worker, which must make its own blobs. There is no shared memory, so Python cannot be interrupted: if the browser can
// suspend WebAssembly, it reads messages now and then (numbat/workbench/facade.py).

"use strict";

/** An invalid address: the files that Pyodide fetches from there are among the parts. */
const NOWHERE = "https://numbat.invalid/";
/** The folder of Numbat in Python's file system, as in numbat/workbench/site/prepare.mjs. */
const MODULES = "/modules";
const TYPES = { wasm: "application/wasm", mjs: "text/javascript" };
const isSuspendable = typeof WebAssembly === "object" && "Suspending" in WebAssembly;
const channel = new MessageChannel();
const download = self.fetch.bind(self);

let answering = null;
let current = 0;
let stopped = 0;
let goOn = () => {};

self.onmessage = ({ data }) => {
  if (data.parts) start(data.parts);
  else if (data.stop) stopped = data.stop;
  else work(data);
};
channel.port1.onmessage = () => goOn(stopped === current);

async function start(parts) {
  try {
    const part = (name) => unpacked(name, parts[name]);
    const modules = part("modules.tar").then((found) => found.arrayBuffer());
    // Pyodide uses this to detect and refuse classic workers, though it needs only import(), which they have.
    self.importScripts = undefined;
    self.fetch = (address) => part(String(address).slice(NOWHERE.length));
    const { loadPyodide } = await imported(part("pyodide.mjs"));
    const { default: createPyodideModule } = await imported(part("pyodide.asm.mjs"));
    tell("Starting Python");
    const python = await loadPyodide({
      indexURL: NOWHERE, stdLibURL: `${NOWHERE}library.zip`, lockFileContents: await (await part("pyodide-lock.json")).text(), createPyodideModule,
      env: { NUMBAT_CACHE: `${MODULES}/kept`, PYTHONDONTWRITEBYTECODE: "1" }, stdin: () => null,
    });
    tell("Starting Numbat");
    python.unpackArchive(await modules, "tar", { extractDir: MODULES });
    answering = python.runPython(`
      import sys
      sys.path.insert(0, "${MODULES}")
      from numbat.workbench.facade import answering
      from pyodide.ffi import can_run_sync, run_sync
      lambda look: answering(lambda: can_run_sync() and run_sync(look()))
    `)(look);
    self.postMessage({ ready: true, isSuspendable });
  } catch (error) {
    self.postMessage({ failed: String(error?.message ?? error) });
  }
}

async function work({ number, request }) {
  current = number;
  try {
    const answer = await (isSuspendable ? answering.callPromising(request) : answering(request));
    self.postMessage({ number, answer });
  } catch (error) {
    self.postMessage({ number, broken: lastLine(String(error?.message ?? error)) });
  }
}

/** Reads messages; resolves to true if nobody waits for the answer any more. */
function look() {
  return new Promise((done) => {
    goOn = done;
    channel.port2.postMessage(null);
  });
}

function tell(text) {
  self.postMessage({ progress: text });
}

/** A part as the response to a fetch. */
async function unpacked(name, part) {
  if (!part) throw new Error(`${name} is not a part of this page`);
  const body = part.address ? await fetched(part.address) : new Blob([decoded(part.content)]).stream();
  return new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": TYPES[name.split(".").at(-1)] ?? "application/octet-stream" } });
}

async function fetched(address) {
  const found = await download(address);
  if (!found.ok) throw new Error(`${address}: ${found.status} ${found.statusText}`);
  return found.body;
}

function decoded(text) {
  return Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

async function imported(part) {
  const address = URL.createObjectURL(new Blob([await (await part).arrayBuffer()], { type: TYPES.mjs }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function lastLine(text) {
  return text.trim().split("\n").at(-1);
}
