"""The page of a store: what is in it, a query with its matches, counts by a key, the tree of a match.

POST /TOKEN/call answers `names` (what a query may name), `overview` (sizes, what is violated, queries to try), `query`
(the first matches), `counts` and `tree`, or with an `error`. Each request opens the store anew, and a query may take up
to `SECONDS`.
"""

from __future__ import annotations

import json
from functools import partial
from importlib.resources import files
from itertools import islice
from typing import Any, Final

from numbat.corpus.answers import ConcordanceLine, as_value, counted, line_of, texts_of
from numbat.corpus.query_notation import AFTER_OPERANDS
from numbat.corpus.query_sql import known_names, matches
from numbat.corpus.reading import StoredRun
from numbat.corpus.report import counts_report
from numbat.corpus.statistics import Overview, overview_of
from numbat.corpus.store import Store
from numbat.errors import NumbatError
from numbat.grammar.names import format_atom, format_name, quoted
from numbat.parsing.explanation.drawing import svg
from numbat.parsing.explanation.violations import explain_violation
from numbat.parsing.policies import Overdue
from numbat.records import frozen
from numbat.runs.children import MEMORY, Answering, Children
from numbat.runs.pool import WorkerLimits
from numbat.settings import MOST_WHOLE, Range, in_range, record_of
from numbat.workbench.serving import KINDS, Handler, Server

SECONDS: Final = 10.0
"""Time limit of a query in seconds."""
LIMITS: Final = WorkerLimits(SECONDS, MEMORY)
"""Limits of a process that answers requests."""
REMEDY: Final = "ask for less, or with a simpler regular expression"
"""Advice about a query that takes too long."""
MOST: Final = 100
"""Maximal number of matches on the page."""
MOST_VIOLATED: Final = 25
"""Maximal number of violated properties in the overview."""
NAMES: Final = ("corpus.html", "corpus.css", "corpus.js")
MEASURES: Final = ("and", "or", "not", "cost", "length", "words", "text", "place", "full", "limited")


class CorpusServer(Server):
    """Answers the requests of pages about a store. Raises OSError if the port is taken."""

    def __init__(
        self,
        store: str,
        run: int | None,
        port: int = 0,
        token: str | None = None,
        children: Children | None = None,
    ) -> None:
        children = children or Children(partial(answering, store, run), LIMITS, REMEDY)
        super().__init__(None, "", port, token, handler=_CorpusHandler, children=children)


class _CorpusHandler(Handler):
    """Answers the requests of one connection."""

    server: CorpusServer

    def content(self, name: str) -> tuple[str, bytes] | None:
        """Return the content type and the content of a file of the page; None for any other name."""
        name = name or NAMES[0]
        if name not in NAMES:
            return None
        return KINDS[name[name.rfind(".") :]], files("numbat.workbench").joinpath("corpus", name).read_bytes()

    def answer(self, name: str, body: bytes) -> str:
        """Return the answer to a request as JSON."""
        try:
            asked = json.loads(body)
            if name != "call" or not isinstance(asked, dict):
                raise ValueError
        except (ValueError, RecursionError):
            return json.dumps({"error": "this is not a request of the page"})
        try:
            return str(self.server.children.ask(asked, f"request {next(self.server.clients)}").result())
        except NumbatError as error:
            return _error(error)


def answering(path: str, run: int | None) -> Answering:
    """Return the function that answers requests in another process, because a regular expression may take years."""

    def answer_request(asked: dict[str, Any], is_superseded: Overdue) -> str:
        try:
            return json.dumps(answer(path, run, asked), ensure_ascii=False)
        except NumbatError as error:
            return _error(error)

    return answer_request


def _error(error: NumbatError) -> str:
    return json.dumps({"error": str(error)}, ensure_ascii=False)


@frozen
class StoreRequest:
    """A call with the text of a query and the order of its matches, a key `by` which to count, or a sentence."""

    call: str
    text: str = ""
    order: str = ""
    by: str = ""
    sentence: int = in_range(1, Range(1, MOST_WHOLE, is_whole=True))


def answer(path: str, run: int | None, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request. Raises NumbatError for mistakes in it or in its query."""
    request = record_of(StoreRequest, asked, "request")
    with Store(path) as store:
        if request.call == "names":
            return _names(store, run)
        if request.call == "overview":
            return _overview(store, run)
        if request.call == "tree":
            parse = store.parse(request.sentence)
            return {"svg": svg(parse), "summary": parse.summary(), "explanations": list(explain_violation(parse))}
        query = store.compiled(request.text, run)
        if request.call == "counts":
            keys = [request.by] if request.by else []
            return counts_report(counted(store, query, keys, SECONDS)).value()
        properties = texts_of(store, query.run)
        first = matches(store, query, MOST, request.order == "worst", SECONDS)
        return {"lines": [_line(line_of(store, query, match, properties)) for match in first], "most": MOST}


def _line(line: ConcordanceLine) -> dict[str, Any]:
    """Return a match with its words: each text, whether it is in the match, and whether it is in conflict."""
    is_part = any(node is not None for node in line.match.nodes)  # else the match is the whole sentence
    parts = ((line.left, False), (line.within, is_part), (line.right, False))
    return {
        **as_value(line),
        "words": [[word.text, inside, word.is_marked] for words, inside in parts for word in words],
    }


def _names(store: Store, run: int | None) -> dict[str, Any]:
    chosen = store.run(run)
    known = known_names(store, chosen)
    words = [*known.categories, *AFTER_OPERANDS, *MEASURES, *(f"meta.{key}" for key in store.metadata_keys())]
    return {
        "store": store.path,
        "run": f"{chosen.records:,} sentences, parsed with the grammar {chosen.grammar} (run {chosen.number})",
        "names": words,
        "keys": [*store.metadata_keys(), "construction", "word", "property"],
    }


def _overview(store: Store, run: int | None) -> dict[str, Any]:
    """Return the sizes of a run, its most violated properties with queries for them, and queries to try."""
    chosen = store.run(run)
    overview = overview_of(store, chosen, SECONDS)
    violated = [
        {
            "property": name,
            "violations": number,
            "sentences": sentences,
            "query": f"{format_name(construction)} violates {quoted(name)}",
        }
        for construction, text, number, sentences in overview.violated[:MOST_VIOLATED]
        for name in (f"{construction}: {text}",)
    ]
    sizes = {name: getattr(overview, name) for name in ("sentences", "words", "full", "violating")}
    return {
        **sizes,
        "properties": len(overview.violated),
        "violated": violated,
        "examples": _examples(store, chosen, overview),
    }


def _examples(store: Store, run: StoredRun, overview: Overview) -> list[dict[str, str]]:
    """Return queries to try on a run, each with what it finds."""
    examples: dict[str, str] = {}
    if overview.violated:
        construction = format_name(overview.violated[0][0])
        examples["cost > 0"] = "sentences that cost anything"
        examples[f"{construction} violates"] = f"phrases {construction} that violate any property"
        examples[f"x: {construction} and not (x violates)"] = f"phrases {construction} that violate none"
    if overview.full < overview.sentences:
        examples["not full"] = "sentences that no single tree covers"
    for first in islice(store.sentences(run.number), 1):
        stored = first.stored
        words = (what for what, below in zip(stored.whats, stored.below, strict=True) if not below and what.isalpha())
        for word in islice(words, 1):
            examples[f"words ~ {quoted(f'(?i){word}')}"] = f'the word "{word}"'
        for key in [key for key in first.metadata if key not in ("file", "folder")][:1]:
            value = str(first.metadata[key])
            examples[f"meta.{format_atom(key)} = {quoted(value)}"] = f"sentences whose {key} is {value}"
    usual, longer = divmod(overview.words, overview.sentences or 1)
    if longer:
        examples[f"length > {usual}"] = f"sentences of more than {usual} words"
    return [{"query": query, "says": says} for query, says in examples.items()]
