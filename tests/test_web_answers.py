"""Answers that arrive in another order than their requests: the page shows the newest one."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

PAGE: Final = Path(__file__).parents[1] / "numbat" / "workbench" / "page"
BACKEND: Final = """
import { HttpBackend } from "./backend.js";
const arrived = [];
globalThis.fetch = (place, { body }) => new Promise((resolve) => {
  arrived.push((answer) => resolve({ ok: true, json: async () => answer(JSON.parse(body)) }));
});
const backend = new HttpBackend(), shown = [];
const show = (given) => [(answer) => shown.push([given, answer]), (error) => shown.push([given, error.message])];
const asked = ["first", "second"].map((given) => backend.call("parse", { given }, "parse").then(...show(given)));
const other = backend.call("exercise", { given: "no slot" }).then(...show("other"));
const echo = ({ given }) => ({ answer: given });
"""
JUDGING: Final = """
import { Judging } from "./judging.js";
const waiting = [], shown = [], place = { classList: { toggle() {} }, replaceChildren() {} };
globalThis.document = { getElementById: () => place };
const nothing = () => {}, SILENT = ["say", "isRight", "doubtsSoon", "suiteSoon"];
const list = { typed: "s", sentences: ["s"], tell: nothing };
const analysis = {
  number: 1, look: 1, askedOf() { return { look: this.look }; }, cite: nothing,
  show: (answer) => shown.push(answer.shown),
};
const answers = {
  parse: (grammar, given) => ({ parses: [1], shown: [grammar.files.g, given.look] }),
  sentences: () => ({ sentences: [{ typed: "s", status: "good", agrees: null }] }),
};
const backend = {
  call: (name, { grammar, given }) => new Promise((resolve) => {
    waiting.push([name, (isOld) => resolve(isOld ? null : answers[name](grammar, given))]);
  }),
};
const bench = {
  state: { files: { g: "old" }, main: "g", strengths: {} }, list, analysis, backend, safely: (run) => run(),
  editor: { mark: nothing }, lesson: { mark: nothing }, ...Object.fromEntries(SILENT.map((name) => [name, nothing])),
};
const judging = new Judging(bench);
const answer = async (name, isOld = false) => {
  waiting.splice(waiting.findIndex((each) => each[0] === name), 1)[0][1](isOld);
  for (let i = 0; i < 20; i++) await null;
};
judging.read();
await answer("parse"); await answer("sentences");
bench.state.files = { g: "new" };
judging.read();
"""


def shown(folder: Path, script: str) -> Any:
    """Return what a script that imports modules of the page shows."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    for file in PAGE.glob("*.js"):
        shutil.copy(file, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text(script + "\nconsole.log(JSON.stringify(shown));\n")
    ran = subprocess.run([node, "run.js"], cwd=folder, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return json.loads(ran.stdout)


def test_an_answer_that_a_newer_one_has_overtaken_is_not_shown(tmp_path: Path) -> None:
    in_wrong_order = (
        "arrived[1](echo); await asked[1]; arrived[2](echo); await other; arrived[0](echo); await asked[0];"
    )
    newest = [["second", "second"], ["other", "no slot"], ["first", None]]
    assert shown(tmp_path, BACKEND + in_wrong_order) == newest
    refused = in_wrong_order.replace("arrived[0](echo)", "arrived[0](() => ({ error: { message: 'old' } }))")
    assert shown(tmp_path, BACKEND + refused) == newest


def test_a_tree_is_of_the_newest_grammar_and_the_newest_look(tmp_path: Path) -> None:
    """While another grammar is read, a phrase is folded: the tree of the old grammar is asked for with the new look."""
    tree_first = (
        'await answer("parse"); analysis.look = 2; judging.ask("parse"); await answer("parse");'
        'await answer("sentences"); await answer("parse");'
    )
    assert shown(tmp_path, JUDGING + tree_first) == [["old", 1], ["old", 2], ["new", 2]]
    fold_first = (
        'analysis.look = 2; judging.ask("parse"); await answer("parse", true); await answer("parse");'
        'await answer("sentences"); await answer("parse");'
    )
    assert shown(tmp_path, JUDGING + fold_first) == [["old", 1], ["old", 2], ["new", 2]]
