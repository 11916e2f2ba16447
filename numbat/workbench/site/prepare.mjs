// Prepares the Python parts of a page in Pyodide under Node.js: node prepare.mjs PYODIDE_FOLDER MODULES_TAR IN_PYODIDE_PY OUT_FOLDER GRAMMAR ...
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modules, program, out] = process.argv.slice(2, 6).map((each) => resolve(each));
const content = (path) => new Uint8Array(readFileSync(path));
try {
  const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
  const python = await loadPyodide();
  // The folder of the modules is the same as in the page (pyodide_worker.js), because grammars are cached by the path of their file.
  python.unpackArchive(content(modules), "tar", { extractDir: "/modules" });
  python.unpackArchive(content(join(folder, "python_stdlib.zip")), "zip", { extractDir: "/library" });
  python.FS.mkdir("/out");
  python.FS.writeFile("/in_pyodide.py", content(program));
  python.globals.set("grammars", python.toPy(process.argv.slice(6)));
  python.runPython("import runpy; runpy.run_path('/in_pyodide.py')['prepare']('/modules', '/library', '/out', grammars)");
  for (const name of ["modules.tar", "library.zip"]) writeFileSync(join(out, name), python.FS.readFile(`/out/${name}`));
  process.exit(0);
} catch (error) {
  // Only the message: the stack would show lines of Pyodide's source, one of which has a million characters.
  console.error(String(error.message ?? error));
  process.exit(1);
}
