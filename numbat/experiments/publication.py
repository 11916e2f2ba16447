"""A report as a folder to publish: page, figures, tables as CSV and LaTeX, a paragraph on methods, a record.

`record.json` has the record of the run, the command without its outputs, and a digest of each file, so that
`numbat rerun` can make the folder again and list the differences.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from numbat.acceptability.suite_report import statistics_table, suite_page, suite_report
from numbat.acceptability.summary import Experiment
from numbat.acceptability.verdicts import comparable
from numbat.errors import UnwritableError, counted
from numbat.experiments.interactions_report import LinearAxis, contrast_table, design_in, design_plot, mean_table
from numbat.experiments.tidy_tables import scripts, tables
from numbat.files import write_whole
from numbat.markup import safe, stand_alone
from numbat.parsing.explanation.drawing import escaped
from numbat.reports.answers import Answer
from numbat.runs.record import RunRecord

SCHEMA: Final = "numbat.experiment/1"
RECORD: Final = "record.json"
PAGE: Final = "report.html"
DIGITS: Final = 32


def write_publication(
    experiment: Experiment,
    folder: str,
    record: RunRecord,
    command: Sequence[str],
) -> Iterator[str]:
    """Write the folder, which is created if missing, and yield the paths of its files. Raises UnwritableError."""
    try:
        digests = {}
        for name, content in files_of(experiment, record):
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
            digests[name] = digest_of(content)
            yield str(path)
        about = {"schema": SCHEMA, "run": record.as_json(), "command": list(command), "files": digests}
        path = Path(folder) / RECORD
        write_whole(path, (json.dumps(about, ensure_ascii=False, indent=2) + "\n").encode())
        yield str(path)
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None


def digest_of(content: bytes) -> str:
    """Return the digest of a file's content, as in `record.json`."""
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def files_of(experiment: Experiment, record: RunRecord) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of the folder."""
    yield PAGE, suite_page(experiment, record).encode()
    yield "report.txt", (Answer(suite_report(experiment), record=record).text() + "\n").encode()
    yield "methods.txt", (methods(experiment, record) + "\n").encode()
    for name, drawing in figures(experiment).items():
        yield f"figures/{name}.svg", (drawing + "\n").encode()
    for name, text in (*tables(experiment), *scripts(experiment)):
        yield f"tables/{name}", text.encode()
    for name, rows in _tables(experiment).items():
        yield f"tables/{name}.tex", latex_table(rows).encode()


def methods(experiment: Experiment, record: RunRecord) -> str:
    """Return a paragraph on how the figures were computed, with versions, digests and seed."""
    suite, design = experiment.suite, design_in(experiment)
    ratings = sum(len(item.ratings) for item in suite.items)
    people = {rating.participant for item in suite.items for rating in item.ratings} - {""}
    said = [f"{counted(len(experiment.items), 'sentence')} ({suite.name}"]
    if ratings:
        said.append(
            f", {counted(ratings, 'rating')}" + (f" by {counted(len(people), 'participant')}" if people else "")
        )
    known = "; ".join(
        f"grammar {digests.name or 'without name'} with the digest {digests.digest}, lexicon {digests.lexicon}"
        for digests in record.grammars.values()
    )
    parts = [
        "".join(said) + f") were parsed and scored by Numbat {record.version} ({known}; grammar {experiment.grammar}, "
        f"model {experiment.model}, weights {experiment.weights}, seed {record.seed}).",
        "Intervals are 95 % intervals by Student's t with jackknife standard errors, on Fisher's z for correlations "
        f"and on the logit for AUC and accuracies, over {experiment.units} unless stated otherwise.",
    ]
    if design is not None and design.designs:
        values = "z-scores within participant over all trials" if design.participants else "ratings"
        parts.append(
            f"People's values are {values}; the interaction is {design.contrast or 'not taken'}, with intervals by t "
            "over items and over participants; intervals of people's means are those of Cousineau (2005) by Morey's "
            "(2008) factor. The model's interaction is compared on people's scale, by the slope of people's values by "
            "scores over all sentences; its intervals, and those of the difference, leave out each item, or each "
            f"participant, of both and of the slope. Differences within ±{design.bound:.2f} count as none."
        )
    if experiment.beyond:
        covariates = ", ".join(experiment.beyond[0].covariates)
        parts.append(f"Partial correlations and increases of explained variance control for {covariates}.")
    return " ".join(parts)


# Figures


def figures(experiment: Experiment) -> dict[str, str]:
    """Return the figures as SVG documents, by name."""
    drawings = {}
    if comparable(experiment.items):
        drawings["scores"] = scores_plot(experiment)
    design = design_in(experiment)
    if design is not None and design.designs:
        drawings["designs"] = design_plot(design, experiment.model, styled=True)
    return drawings


WIDTH, HEIGHT = 520.0, 400.0
LEFT, RIGHT, TOP, BOTTOM = 60.0, 16.0, 16.0, 48.0
SPREAD: Final = 7.0
"""Largest sideways shift of points with equal scores, in pixels."""


def scores_plot(experiment: Experiment) -> str:
    """Return ratings against scores as SVG; points with equal scores are shifted a little, the same in every run."""
    compared = comparable(experiment.items)
    scores, ratings = (
        [item.value or 0.0 for item in compared],
        [item.item.rating or 0.0 for item in compared],
    )
    across = LinearAxis.of(scores, LEFT + SPREAD, WIDTH - RIGHT - SPREAD)
    up = LinearAxis.of(ratings, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" class="designs" '
        f'viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="Ratings against scores">',
        f"<style>\n{stand_alone('designs.css')}\n</style>",
        f'<rect class="paper" width="{WIDTH:.0f}" height="{HEIGHT:.0f}"/>',
    ]
    for tick in up.ticks:
        y = up.at(tick)
        parts.append(f'<line class="grid" x1="{LEFT:.0f}" y1="{y:.1f}" x2="{WIDTH - RIGHT:.0f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8:.0f}" y="{y + 4:.1f}" text-anchor="end">{_number(tick)}</text>')
    for tick in across.ticks:
        x = across.at(tick)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP:.0f}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM:.0f}"/>')
        y = HEIGHT - BOTTOM + 18
        parts.append(f'<text class="tick" x="{x:.1f}" y="{y:.0f}" text-anchor="middle">{_number(tick)}</text>')
    for number, (scored_item, score, rating) in enumerate(zip(compared, scores, ratings, strict=True)):
        aside = ((number * 4057 % 1000) / 1000 - 0.5) * 2 * SPREAD
        parts.append(
            f'<g class="point l0"><title>{safe(scored_item.item.sentence)}</title>'
            f'<circle cx="{across.at(score) + aside:.1f}" cy="{up.at(rating):.1f}" r="3" fill-opacity=".55"/></g>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle:.0f}" y="{HEIGHT - 10:.0f}" text-anchor="middle">score: {safe(experiment.model)}</text>'
    )
    turned = f'transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)"'
    parts.append(f'<text {turned} text-anchor="middle">rating</text>')
    return "\n".join([*parts, "</svg>"])


def _number(tick: float) -> str:
    return f"{round(tick, 6) + 0:.3g}".replace("-", "−")


# Tables for LaTeX


def _tables(experiment: Experiment) -> Mapping[str, Sequence[Sequence[str]]]:
    tables_by_name: dict[str, Sequence[Sequence[str]]] = {"statistics": [*statistics_table(experiment).cells()]}
    design = design_in(experiment)
    if design is not None and design.designs:
        tables_by_name["conditions"] = [*mean_table(design, experiment.model).cells()]
        if design.contrast:
            tables_by_name["contrasts"] = [*contrast_table(design, experiment.model).cells()]
    return tables_by_name


def latex_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a `tabular`, the first one between lines."""
    head, *body = [" & ".join(map(escaped, row)) + r" \\" for row in rows]
    columns = "l" * len(rows[0])
    return (
        "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\hline", head, r"\hline", *body, r"\hline"])
        + "\n\\end{tabular}\n"
    )
