"""`numbat report`: a suite scored, compared with people's judgements, and written in several forms."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from numbat.errors import UnwritableError
from numbat.files import write_whole
from numbat.gradience.fitting.fitted import Fitted
from numbat.gradience.models.scores import Scorer
from numbat.gradience.suites.experiment import Reader, plain, run
from numbat.gradience.suites.suite import Suite
from numbat.gradience.suites.summary import Experiment, summarize
from numbat.parsing.parser import Parser


def experiment(
    suite: Suite,
    parser: Parser,
    model: str,
    score: Scorer,
    weights: str = "grammar",
    seed: int = 0,
    read: Reader = plain,
    others: Mapping[str, Scorer] | None = None,
) -> Experiment:
    """Parse, score and compare all items of a suite; `model` and `weights` are names to show.

    A fitted model has weights of its own, and is shown with those.
    """
    from numbat.commands.fitting import seen_before

    items = list(run(suite, parser, score, read))
    shown = score.name if isinstance(score, Fitted) else weights
    made = summarize(suite, items, parser.grammar.name or "without name", model, shown, seed, others)
    fitted = {name: each for name, each in {**(others or {}), model: score}.items() if isinstance(each, Fitted)}
    seen = (note for name, each in fitted.items() for note in seen_before(name, each, made))
    return replace(made, notes=(*seen, *made.notes))


def text_of(made: Experiment, form: str) -> str:
    """The report as `text` or `json`."""
    if form == "json":
        from numbat.report.suite_text import to_json

        return json.dumps(to_json(made), ensure_ascii=False, indent=2)
    from numbat.report.suite_text import text_lines

    return "\n".join(text_lines(made))


def html_of(made: Experiment) -> str:
    """The report as one page for a browser."""
    from numbat.report.suite_page import page

    return page(made)


def latex_of(made: Experiment) -> str:
    """The sentences as numbered examples, then a tree for each."""
    from numbat.report.latex import FOR_EXAMPLES, escaped, examples, forest

    trees = (f"\n% {escaped(each.item.id)}\n{forest(each.parse)}" for each in made.items)
    return f"{FOR_EXAMPLES}\n{examples(made.items)}" + "".join(trees)


def table_paths(folder: str) -> tuple[str, ...]:
    """The files that `write_tables` writes."""
    from numbat.report.suite_tables import FILES

    return tuple(str(Path(folder) / name) for name in FILES)


def write_tables(made: Experiment, folder: str) -> Iterator[str]:
    """Write the tidy tables; the paths of those written. Raises UnwritableError."""
    from numbat.report.suite_tables import tables

    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in tables(made):
            path = Path(folder) / name
            write_whole(path, text.encode())
            yield str(path)
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None
