"""The bundle of the editor: built from the versions in the lock file, and with all licences."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "editor_bundle"
LOCK = json.loads((TOOL / "package-lock.json").read_text(encoding="utf-8"))["packages"]
PAGE = ROOT / "numbat" / "workbench" / "page"
BUNDLE = (PAGE / "codemirror.js").read_text(encoding="utf-8")


def test_the_bundle_is_built_of_what_is_locked_and_has_the_licences() -> None:
    built = dict(re.findall(r"(@?[\w/-]+) (\d[\d.]+)[,;]", BUNDLE.split("\n")[0]))
    assert len(built) > 10
    assert {name: LOCK[f"node_modules/{name}"]["version"] for name in built} == built
    told = (PAGE / "codemirror_licences.txt").read_text(encoding="utf-8")
    named = {name for line in told.split("\n") for name in line.split(", ")}
    assert set(built) <= named
    assert {LOCK[f"node_modules/{name}"]["license"] for name in built} == {"MIT"}


def test_packages_are_pinned_by_digest_and_no_host_is_named() -> None:
    assert all(each.get("integrity") for name, each in LOCK.items() if name)
    assert not [name for name, each in LOCK.items() if "resolved" in each]
    wanted = json.loads((TOOL / "package.json").read_text(encoding="utf-8"))
    pinned = {**wanted["dependencies"], **wanted["devDependencies"]}
    assert {name: LOCK[f"node_modules/{name}"]["version"] for name in pinned} == pinned
