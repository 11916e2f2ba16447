"""Validation of links and stored sessions: names and shapes that the page does not make are refused."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

PAGE: Final = Path(__file__).parents[1] / "numbat" / "workbench" / "page"
GOOD: Final[dict[str, Any]] = {
    "schema": "numbat.session/1", "main": "a.pg", "shown": "a.pg", "suite": "", "model": "cost", "packaged": "",
    "sentences": ["x"], "without": [], "chosen": 0, "fragmentCost": None, "strengths": {}, "lesson": None,
    "files": {"a.pg": "leaves: A\n"},
}  # fmt: skip
WITH_EDITS: Final[dict[str, Any]] = {
    "packaged": "english",
    "files": {"a.pg": {"sum": "0-811c9dc5", "edits": [[0, 0, ["x"]]]}},
}
SCRIPT: Final = """
import { stateIn, isState, LinkError } from "./link.js";
import { readFileSync } from "node:fs";
const texts = { "a.pg": "" };
for (const json of JSON.parse(readFileSync(0, "utf8"))) {
  let told;
  try {
    const state = await stateIn(json, async () => texts);
    told = { names: Object.keys(state.files), kept: isState({ ...state, saved: {}, edited: {}, verdicts: {} }) };
  } catch (error) {
    told = error instanceof LinkError ? { refused: error.message } : { failed: String(error) };
  }
  let kept;
  try {
    kept = isState(JSON.parse(json));
  } catch (error) {
    kept = error instanceof SyntaxError ? false : String(error);
  }
  console.log(JSON.stringify([told, kept]));
}
if ({}.polluted !== undefined || typeof {}.toString !== "function") console.log("the prototype was changed");
"""
BROKEN: Final = {"refused": "this link is broken"}


def read(folder: Path, texts: list[str]) -> list[Any]:
    """Return for each JSON text the state of the link, and if it may be a stored state."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    for name in ("link.js", "differences.js"):
        shutil.copy(PAGE / name, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text(SCRIPT)
    ran = subprocess.run(
        [node, "run.js"], cwd=folder, input=json.dumps(texts).encode(), capture_output=True, check=True
    )
    return [json.loads(line) for line in ran.stdout.decode().splitlines()]


def text_of(**changed: Any) -> str:
    return json.dumps(GOOD | changed)


def test_names_that_all_objects_have_are_no_names_of_files(tmp_path: Path) -> None:
    names = ("__proto__", "constructor", "toString", "hasOwnProperty", "", "a", "x/", ".", "a.pg/..", "a" * 600 + ".pg")
    texts = [text_of(files={"a.pg": "", name: "x"}) for name in names]
    texts += [text_of(main=name, shown=name) for name in names if name]
    texts += [text_of(main="b.pg"), text_of(shown="__proto__"), text_of(suite="constructor")]
    assert [told for told, _ in read(tmp_path, texts)] == [BROKEN] * len(texts)


def test_values_of_another_shape_are_refused(tmp_path: Path) -> None:
    texts = ["", "null", "[]", "3", '"x"', "{}", json.dumps({"schema": "numbat.session/2"})]
    odd: tuple[Any, ...] = (None, [], {}, [None], {"a": None}, 3, -1, 1.5, "x", True, [[]], {"x": {"y": "z"}})
    right: dict[str, Any] = {
        "main": (),
        "strengths": ({},),
        "lesson": (None,),
        "chosen": (3,),
        "fragmentCost": (None, 3, -1, 1.5),
    }
    right |= {"sentences": ([],), "without": ([],), "model": ("x",), "packaged": ("x",), "files": ()}
    for field, fits in right.items():
        texts += [text_of(**{field: value}) for value in odd if value not in fits or isinstance(value, bool)]
    edits: tuple[Any, ...] = (None, [], [None], [3], [[0, 0]], [[-1, 0, []]], [[0, 0, [3]]], [["0", 0, []]], {}, [{}])
    texts += [
        text_of(packaged="english", files={"a.pg": {"sum": "0-811c9dc5", "edits": each}})
        for each in edits
        if each != []
    ]
    changes: tuple[Any, ...] = (None, [], 3, {"edits": []}, {"sum": 3, "edits": []})
    texts += [text_of(packaged="english", files={"a.pg": each}) for each in changes]
    for text, (told, kept) in zip(texts, read(tmp_path, texts), strict=True):
        assert set(told) == {"refused"}, (text, told)
        assert kept is False or json.loads(text)["files"] == {}, text


def test_a_link_is_read_with_what_differs_from_a_packaged_grammar(tmp_path: Path) -> None:
    named = {"constructor": {"weight": 1}, "toString": {"cost": 2}}
    texts = [text_of(), text_of(strengths=named), json.dumps(GOOD | WITH_EDITS)]
    assert read(tmp_path, texts)[:2] == [[{"names": ["a.pg"], "kept": True}, True]] * 2
    assert read(tmp_path, texts)[2][0] in (
        {"names": ["a.pg"], "kept": True},
        {"refused": "this link was made with another version of the grammar english"},
    )


def test_links_that_are_changed_anyhow_are_read_or_refused(tmp_path: Path) -> None:
    draw = random.Random(0)
    whole = [text_of(), json.dumps(GOOD | WITH_EDITS)]
    values = (
        "null",
        "[]",
        "{}",
        '"__proto__"',
        '"constructor"',
        "1e999",
        "-1",
        '"\\u2028"',
        "true",
        '{"__proto__": {"polluted": 1}}',
    )
    texts = []
    for _ in range(2_000):
        text = draw.choice(whole)
        for _ in range(draw.randint(1, 3)):
            at, to = sorted(draw.choices(range(len(text) + 1), k=2))
            text = text[:at] + draw.choice(values) + text[min(to, at + 12) :]
        texts.append(text)
    found = read(tmp_path, texts)
    assert len(found) == len(texts), found[-1]
    assert all("failed" not in told and isinstance(kept, bool) for told, kept in found)
