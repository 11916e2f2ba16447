"""docs/safety.md: the limits that it names are those of the code."""

from __future__ import annotations

from typing import Final

from numbat import errors, files, settings
from numbat.editor import relay
from numbat.grammar import cache, declarations, inflection, inheritance, loading, patterns, properties
from numbat.grammar.model import MAX_UNARY
from numbat.labels import memory, model_file, relaxation
from numbat.parsing import sentence_parser, treebank_parser
from numbat.parsing.policies import Limits
from numbat.runs import children
from numbat.runs.pool import WorkerLimits
from numbat.structure import model
from numbat.treebanks import induce
from numbat.words import lattice
from numbat.workbench import corpus_page, facade, folder, serving, session
from tests.conftest import ROOT

LIMITS: Final[dict[str, str]] = {
    "a file that is read as a whole, a line of one that is read line by line": f"{files.MAX_READ:,} bytes",
    "readings of one form by its features (`a\\|b` twice is four)": f"{declarations.MAX_READINGS:,}",
    "readings of a template": f"{declarations.MAX_READINGS:,}",
    "nesting of templates, of types, of included files": f"{declarations.MAX_DEEP:,}",
    "files of a grammar": f"{loading.MAX_FILES:,}",
    "members that types have from other types": f"{declarations.MAX_MEMBERS:,}",
    "features of the readings from templates and lists of words, each reading counting as one more": (
        f"{declarations.MAX_GIVEN:,}"
    ),
    "forms from paradigms, in all lexicons of a grammar": (
        f"{inflection.FORMS_A_BYTE} for each character of these, at most {inflection.MAX_INFLECTED:,}"
    ),
    "steps of comparing guess patterns with each other, beyond which `numbat check` says so": f"{patterns.MAX_STEPS:,}",
    "bundles of features of a spelling rule": f"{declarations.MAX_SPELT:,}",
    "words of a sentence, its characters, the readings of all its words": (
        f"{lattice.MAX_TOKENS:,}, {lattice.MAX_CHARACTERS:,}, {lattice.MAX_ARCS:,}"
    ),
    "words of a sentence times properties of the grammar": f"{sentence_parser.MAX_WORK:,}",
    "properties from the braces of a grammar": f"{declarations.MAX_PROPERTIES:,}",
    "parents of a construction (`like`), theirs included": f"{inheritance.MAX_ANCESTORS:,}",
    "properties that constructions take over from others": f"{declarations.MAX_INHERITED:,}",
    "names compared with misspelt ones, by a verb or for a request": f"{errors.MAX_COMPARED:,}",
    "`unary_limit` of a grammar": f"{MAX_UNARY:,}",
    "a weight or a cost of a grammar": f"{properties.MAX_WEIGHT:,}",
    "a whole number, another number, a time limit in seconds, of an option or a request that states no other maximum": (
        f"{settings.MOST_WHOLE:,}, {settings.MOST_NUMBER:,}, {settings.MOST_SECONDS:,}"
    ),
    "the log weight of a word, positive or negative": f"{sentence_parser.MAX_LOG_WEIGHT:,}",
    "items of an exact search, or four times as many ways to build them": f"{Limits().items:,}",
    "items of a search with expansions": f"{treebank_parser.DEFAULT_LIMITS.items:,}",
    "assignments of the phases engine": f"{Limits().assignments:,}",
    "seconds for a sentence, or for a verb": "none" if Limits().seconds is None else f"{Limits().seconds:g}",
    "seconds for a sentence in a worker process, which is then killed": f"{WorkerLimits().seconds:g}",
    "memory of a worker process": "none" if WorkerLimits().memory is None else f"{WorkerLimits().memory:,} MiB",
    "bytes of a model of a tagger": f"{model_file.MAX_FILE_BYTES:,}",
    "unpacked bytes of a model: times its size, plus": f"{model_file.GROWTH} and {model_file.BASE_BYTES:,}",
    "categories of the daughters of a construction, for `numbat induce`": f"{induce.MAX_DAUGHTERS:,}",
    "tags of a dependency model": f"{model.MAX_TAGS:,}",
    "words of a sentence for a dependency model": f"{model.MAX_LENGTH:,}",
    "labels for the memory learner": f"{memory.MAX_LABELS:,}, or one for {memory.MIN_TOKENS} tokens",
    "bytes of a request to `numbat serve`, of a file that it reads or saves": (
        f"{serving.MAX_SIZE:,}, {folder.MAX_SIZE:,}"
    ),
    "requests to it that are in progress or wait": f"{serving.MAX_AT_ONCE}",
    "seconds of work on sentences for a request to it: at most": f"{session.MAX_SECONDS:g}",
    "items of the search for labels (`numbat decode`), one more for each 8 constraints in them": (
        f"{relaxation.MAX_ITEMS:,}"
    ),
    "seconds for a request to it, and for a check of the language server": f"{facade.MAX_SECONDS:g}",
    "seconds for a query on the page of a store": f"{corpus_page.SECONDS:g}",
    "processes that answer pages; memory of each, and of a language server": (
        f"{children.MOST}; {children.MEMORY:,} MiB"
    ),
    "seconds for a request to a language server": f"{relay.SECONDS:g}",
    "seconds for a request of a page that a newer one has replaced, for the check of a text that has changed": (
        f"{children.GRACE:g}"
    ),
    "bytes of a cached grammar": f"{files.MAX_BYTES:,}",
    "cached grammars": f"{cache.MAX_FILES:,}",
}


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")
    table = text.split("| limit | default | changed by |\n|---|---|---|\n")[1].split("\n\n")[0]
    rows = [row.replace(r"\|", "\0").strip("| ").split(" | ") for row in table.split("\n")]
    assert {row[0].replace("\0", r"\|"): row[1].rstrip(" |") for row in rows} == LIMITS
