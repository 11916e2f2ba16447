"""The lists of an experiment as a table, or as an experiment for PCIbex: a PennController script with its table."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Sequence
from html import escape
from typing import Final

from numbat.errors import UsageError
from numbat.experiments.materials import PRACTICE, Materials, TrialList
from numbat.markup import read

# Lists as a table: one row for each sentence, in the order in which a group of people sees it

OWN: Final = ("group", "list", "position", "kind", "item", "condition", "sentence")
"""Columns of every table of lists."""


def list_rows(materials: Materials, lists: Sequence[TrialList]) -> list[list[str]]:
    """Return the rows, column names first. `group` numbers list and order; further columns of the file are kept.

    Raises UsageError if a factor or set has the name of one of the columns `OWN`.
    """
    named = [name for name in (*materials.within, *materials.factors) if name.lower() != "condition"]
    taken = [name for name in named if name.lower() in OWN]
    if taken:
        hint = f"rename your column; lists already have the columns {', '.join(OWN)}"
        raise UsageError(f'"{taken[0]}" cannot be the name of a factor or set\n  {hint}')
    names = (name for trial in lists[0].trials for name, _ in trial.extra)
    extra = [name for name in dict.fromkeys(names) if name.lower() not in {*OWN, *(name.lower() for name in named)}]
    rows = [[*OWN[:4], *named, *OWN[4:], *extra]]
    width, wide = (
        len(str(max(trial_list.number for trial_list in lists))),
        len(str(max(trial_list.order for trial_list in lists))),
    )
    several = max(trial_list.order for trial_list in lists) > 1
    for trial_list in lists:
        group = f"{trial_list.number:0{width}}" + (f".{trial_list.order:0{wide}}" if several else "")
        for position, trial in enumerate(trial_list.trials, start=1):
            levels = dict(zip(materials.factors, trial.condition, strict=bool(trial.condition)))
            levels |= dict(zip(materials.within, trial.item[:-1], strict=False))
            others = dict(trial.extra)
            rows.append(
                [
                    *(group, str(trial_list.number), str(position), trial.kind),
                    *(levels.get(name, "") for name in named),
                    *(trial.item[-1], ", ".join(trial.condition), trial.sentence),
                    *(others.get(name, "") for name in extra),
                ]
            )
    return rows


def as_csv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def as_tsv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with TABs between cells; TABs and line ends in cells become blanks."""
    return "".join("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row) + "\n" for row in rows)


# PCIbex: a script for PennController with its table, as one zip

INSTRUCTIONS: Final = """<h2>Instructions</h2> <p>You will read sentences, one after the other. Please rate how natural
each is to you, from <b>{least}</b> (not natural at all) to <b>{most}</b> (fully natural): click on the number, or
press its key.</p> <p>There is no right or wrong answer: your first impression counts. Please do not look anything up,
and do not think about a sentence for long.</p>
"""
READ_ME: Final = """An experiment for PCIbex (PennController 2), made by numbat design.

    data_includes/main.js              the script
    chunk_includes/trials.csv          the sentences of each group, in order
    chunk_includes/instructions.html   the instructions, shown first

At https://farm.pcibex.net: create an empty project, add main.js under Scripts and the two others under Resources, and
open the preview. The debugger is on until you remove the slashes before DebugOff().

Please add a consent form and everything that your ethics committee requires; main.js says where. The counter assigns
the {groups} groups in turn: recruit a multiple of {groups} people.

Results: every sentence has a row "Scale, rating, Choice" with the columns of trials.csv.
"""


def pcibex_zip(materials: Materials, lists: Sequence[TrialList], scale: tuple[int, int]) -> bytes:
    """Return the experiment as a zip, byte-identical for the same lists. Raises UsageError as `list_rows` does."""
    rows = list_rows(materials, lists)
    low, high = scale
    settings = {
        "SCALE": [str(number) for number in range(low, high + 1)],
        "LEAST": "not natural at all",
        "MOST": "fully natural",
        "CONTINUE": "Continue",
        "BEGIN": "That was for practice. Now the study begins.",
        "END": "Thank you! Your answers are saved; you may close this page.",
        "PRACTICE": any(stimulus.kind == PRACTICE for stimulus in lists[0].trials),
        "COLUMNS": list(rows[0]),
    }
    constants = "".join(
        f"const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in settings.items()
    )
    contents = {
        "README.txt": READ_ME.format(groups=len(lists)),
        "chunk_includes/instructions.html": INSTRUCTIONS.format(least=escape(str(low)), most=escape(str(high))),
        "chunk_includes/trials.csv": as_csv(rows),
        "data_includes/main.js": f"// An experiment for PCIbex.\n{constants}\n{read('pcibex.js')}",
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text.encode())
    return written.getvalue()
