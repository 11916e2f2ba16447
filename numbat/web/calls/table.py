"""The table of all calls by name: what each takes, and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from numbat.records import frozen
from numbat.web import requests
from numbat.web.calls import of_exercises, of_grammars, of_sentences, of_suites
from numbat.web.session import Session


@frozen
class Call:
    """What can be asked: the record that it is given, and the function that makes the answer of it."""

    takes: type
    answer: Callable[[Session, Any], dict[str, Any]]

    @property
    def about(self) -> str:
        """What it answers, in the first paragraph of its documentation."""
        return " ".join((self.answer.__doc__ or "").split("\n\n")[0].split())


CALLS: Final[dict[str, Call]] = {
    "grammars": Call(requests.Nothing, of_grammars.grammars),
    "packaged": Call(requests.PackagedName, of_grammars.packaged),
    "check": Call(requests.Nothing, of_grammars.check),
    "ready": Call(requests.Nothing, of_grammars.ready),
    "show": Call(requests.Nothing, of_grammars.show),
    "generate": Call(requests.SentencesToMake, of_grammars.generate),
    "sentences": Call(requests.Sentences, of_sentences.sentences),
    "parse": Call(requests.OneSentence, of_sentences.parse),
    "tree": Call(requests.TreeFile, of_sentences.tree),
    "explain": Call(requests.OneSentence, of_sentences.explain),
    "why-not": Call(requests.ConstituentOfSentence, of_sentences.why_not),
    "contrast": Call(requests.TwoSentences, of_sentences.contrast),
    "repair": Call(requests.SentenceToRepair, of_sentences.repair),
    "trace": Call(requests.OneSentence, of_sentences.trace),
    "what-if": Call(requests.Sentences, of_sentences.what_if),
    "suite": Call(requests.SuiteText, of_suites.suite),
    "coverage": Call(requests.SuiteText, of_suites.coverage),
    "exercise": Call(requests.ExerciseText, of_exercises.exercise),
}
