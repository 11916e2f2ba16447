// Builds numbat/workbench/page/codemirror.js, and numbat/workbench/page/codemirror_licences.txt with the licence of each package that is in it.
//   npm ci --ignore-scripts && npm run build
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = `${here}../../`;
const { metafile, outputFiles } = await build({
  absWorkingDir: here, entryPoints: ["entry.mjs"], bundle: true, minify: true, format: "esm", target: "es2022", metafile: true, write: false, legalComments: "none",
});
const names = [...new Set(Object.keys(metafile.inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean))].sort();
const packages = names.map((name) => ({ ...JSON.parse(readFileSync(`${here}node_modules/${name}/package.json`, "utf8")), text: readFileSync(`${here}node_modules/${name}/LICENSE`, "utf8") }));
const listed = packages.map(({ name, version }) => `${name} ${version}`).join(", ");
writeFileSync(`${root}numbat/workbench/page/codemirror.js`, `/* Built by tools/editor_bundle from ${listed}; licences: numbat/workbench/page/codemirror_licences.txt */\n${outputFiles[0].text}`);
const byText = Map.groupBy ? Map.groupBy(packages, ({ text }) => text.trim()) : packages.reduce((found, each) => found.set(each.text.trim(), [...(found.get(each.text.trim()) ?? []), each]), new Map());
writeFileSync(`${root}numbat/workbench/page/codemirror_licences.txt`, [...byText].map(([text, those]) => `${those.map(({ name }) => name).join(", ")}\n\n${text}\n`).join("\n\n"));
