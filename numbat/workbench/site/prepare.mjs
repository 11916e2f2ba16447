// Prepares, under Node.js and in Pyodide itself, what a page needs of Python: node prepare.mjs PYODIDE_FOLDER MODULES_TAR IN_PYODIDE_PY OUT_FOLDER GRAMMAR ...
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modules, program, out] = process.argv.slice(2, 6).map((each) => resolve(each));
const content = (path) => new Uint8Array(readFileSync(path));
try {
  const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
  const python = await loadPyodide();
  // The place of the modules is that of the page (pyodide_worker.js): a grammar is kept under the path of its file.
  python.unpackArchive(content(modules), "tar", { extractDir: "/modules" });
  python.unpackArchive(content(join(folder, "python_stdlib.zip")), "zip", { extractDir: "/library" });
  python.FS.mkdir("/out");
  python.FS.writeFile("/in_pyodide.py", content(program));
  python.globals.set("grammars", python.toPy(process.argv.slice(6)));
  python.runPython("import runpy; runpy.run_path('/in_pyodide.py')['prepare']('/modules', '/library', '/out', grammars)");
  for (const name of ["modules.tar", "library.zip"]) writeFileSync(join(out, name), python.FS.readFile(`/out/${name}`));
  process.exit(0);
} catch (error) {
  // Without the lines of Pyodide's source, one of which has a million letters.
  console.error(String(error.message ?? error));
  process.exit(1);
}
