"""Lists of an experiment as a table, and as an experiment for PCIbex: a script for PennController with its table."""

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

# Lists as a table: a row for each sentence that a group of people is shown, in its order

OWN: Final = ("group", "list", "position", "kind", "item", "condition", "sentence")
"""The columns of every table of lists."""


def list_rows(materials: Materials, lists: Sequence[TrialList]) -> list[list[str]]:
    """Return the rows, the names of columns first. `group` numbers list and order; columns of the file go with them.

    Raises UsageError for a factor that is called as one of the columns of every table.
    """
    named = [name for name in (*materials.within, *materials.factors) if name.lower() != "condition"]
    taken = [name for name in named if name.lower() in OWN]
    if taken:
        raise UsageError(
            f'the column "{taken[0]}" is called as one of the lists\' own\n  rename it: {", ".join(OWN)} are those'
        )
    every = (name for trial in lists[0].trials for name, _ in trial.extra)
    extra = [name for name in dict.fromkeys(every) if name.lower() not in {*OWN, *(each.lower() for each in named)}]
    rows = [[*OWN[:4], *named, *OWN[4:], *extra]]
    width, wide = len(str(max(trial_list.number for trial_list in lists))), len(str(max(each.order for each in lists)))
    several = max(each.order for each in lists) > 1
    for each in lists:
        group = f"{each.number:0{width}}" + (f".{each.order:0{wide}}" if several else "")
        for position, trial in enumerate(each.trials, start=1):
            levels = dict(zip(materials.factors, trial.condition, strict=bool(trial.condition)))
            levels |= dict(zip(materials.within, trial.item[:-1], strict=False))
            own = dict(trial.extra)
            rows.append(
                [
                    *(group, str(each.number), str(position), trial.kind),
                    *(levels.get(name, "") for name in named),
                    *(trial.item[-1], ", ".join(trial.condition), trial.sentence),
                    *(own.get(name, "") for name in extra),
                ]
            )
    return rows


def as_csv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def as_tsv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with TABs between cells, which have none."""
    return "".join("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row) + "\n" for row in rows)


# PCIbex: a script for PennController with its table, as one zip

INSTRUCTIONS: Final = """<h2>Instructions</h2> <p>You will read sentences, one after the other. Say how natural each of
them is to you, from <b>{least}</b> (not natural at all) to <b>{most}</b> (fully natural): click on the number, or press
its key.</p> <p>There is no right or wrong: what counts is what you think when you read the sentence. Please do not look
anything up, and do not think about it for long.</p>
"""
READ_ME: Final = """An experiment for PCIbex (PennController 2), made by numbat design.

    data_includes/main.js              the script
    chunk_includes/trials.csv          what each group is shown, in its order
    chunk_includes/instructions.html   what people read first

At https://farm.pcibex.net: make an empty project, add main.js under Scripts and the two others under Resources, and
open the preview. The debugger is on until you take the slashes away before DebugOff().

What is yours to add: consent, and what your ethics committee asks for. main.js says where. The {groups} groups are
given out in turn by the counter; ask a multiple of {groups} people.

Results: every sentence has a row "Scale, rating, Choice" whose columns are those of trials.csv.
"""


def pcibex_zip(materials: Materials, lists: Sequence[TrialList], scale: tuple[int, int]) -> bytes:
    """Return the experiment as a zip: the same bytes for the same lists. Raises UsageError as `list_rows`."""
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
