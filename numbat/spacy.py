"""The component `numbat` for spaCy pipelines: violations become spans, costs become attributes.

    nlp.add_pipe("numbat", config={"grammar": "english"})

It sets only plain data, so that documents can still be saved, pickled and sent between processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from numbat.acceptability.scorers import parser_of
from numbat.errors import UsageError, either
from numbat.grammar.loading import load_grammar
from numbat.languages.folder import language_at
from numbat.parses.sentences import reading_of
from numbat.parsing.policies import ParserSettings
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.runs.sentences import NamedText
from numbat.runs.settings import SentenceSettings
from numbat.settings import record_of
from numbat.words.lattice import Lattice
from numbat.words.tag_maps import tag_map_of, tagged_lattice

NAME: Final = "numbat"
"""Name of the component, of its spans, and of its data in a document."""
GRAMMARS: Final = {"en": "english", "fr": "french"}
"""Packaged grammars by spaCy language."""
TAGS: Final = ("lexicon", "tag", "pos")
OF_VIOLATIONS: Final = ("relation", "property", "construction", "cost", "weight", "hard", "place", "message", "formal")
"""Keys of a violation in the JSON of a parse that a document keeps."""
KEPT: Final = ("full", "well_formed", "count", "stopped_by")
"""Fields of a parse in JSON that a document keeps."""


class NumbatComponent:
    """Parses the sentences of documents by a grammar, or by a language made by `numbat induce`.

    `tags` is the source of the categories of words: `lexicon` for the lexicon and the other means of the grammar, which
    then reads the text itself, or spaCy's `tag` (`token.tag_`) or `pos` (`token.pos_`), which `tag_map` maps as in
    `numbat parse --tag-map`. `settings` are those of `numbat.Parser`, for a language only the limits. A document
    without sentence boundaries is one sentence. Raises UsageError, and the errors of the files.
    """

    def __init__(self, grammar: str, tags: str, tag_map: str | None, settings: Mapping[str, Any]) -> None:
        if tags not in TAGS:
            raise UsageError(f"tags: {tags!r} is not a source of categories\n  set it to {either(TAGS)}")
        if tag_map is not None and tags == "lexicon":
            raise UsageError('a tag map only applies to tags of spaCy\n  set tags to "tag" or "pos" too')
        given, language = record_of(ParserSettings, dict(settings), "settings"), language_at(grammar)
        self.parser: SentenceParser
        if language is None:
            self.parser = parser_of(load_grammar(grammar), given)
        elif given != ParserSettings(limits=given.limits):
            raise UsageError(f"{grammar} is a language, which chooses trees by expansions\n  set only limits")
        else:
            self.parser = language.parser(given.limits if "limits" in settings else None)
        self.tags = tags
        self._tag_map = None if tags == "lexicon" else tag_map_of(tag_map, self.parser.grammar)
        plain = SentenceSettings()
        self._read = reading_of(
            self.parser, plain if language is None or self._tag_map is not None else language.read_by(plain)
        )

    def __call__(self, doc: Doc) -> Doc:
        """Set the results in a document: `doc.spans["numbat"]`, `doc._.numbat`, and the costs."""
        sentences: list[dict[str, Any]] = []
        violated: list[dict[str, Any]] = []
        group = SpanGroup(doc, name=NAME)
        for sentence, parse in self.parses(doc):
            value = parse.to_json()
            sentences.append({"start": sentence.start, "end": sentence.end, "cost": parse.cost})
            sentences[-1] |= {name: value[name] for name in KEPT}
            sentences[-1] |= {"tree": parse.to_brackets(), "summary": parse.summary()}
            for violation in value["violated"]:
                places = [parse.lattice.places[position] for position in violation["words"]]
                begin, end = min(place[0] for place in places), max(place[1] for place in places)
                at = doc[sentence.start : sentence.end].start_char
                span = doc.char_span(at + begin, at + end, label=violation["relation"], alignment_mode="expand")
                assert span is not None, violation
                span.id_ = f"{NAME}.{len(violated)}"
                violated.append({name: violation[name] for name in OF_VIOLATIONS})
                group.append(span)
        doc.spans[NAME] = group
        doc.user_data[NAME] = {"sentences": sentences, "violated": violated}
        return doc

    def parses(self, doc: Doc) -> Iterator[tuple[Span, Parse]]:
        """Yield the sentences of a document that have words, each with its best parse.

        Raises DataError for a sentence that is too long, and for tags that are missing or not mapped.
        """
        for sentence in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
            lattice = self._lattice(sentence)
            if lattice.tokens:
                yield sentence, self.parser.parse(lattice)

    def _lattice(self, sentence: Span) -> Lattice:
        if self._tag_map is None:
            return self._read(NamedText("1", sentence.text)).lattice
        words = [token for token in sentence if not token.is_space]
        tagged = [(token.text, token.tag_ if self.tags == "tag" else token.pos_) for token in words]
        if words and not any(tag for _, tag in tagged):
            raise UsageError(
                f"no word of the document has a {self.tags}\n"
                '  put a tagger in front of "numbat", or set tags to "lexicon"'
            )
        made = tagged_lattice(tagged, self._tag_map, self.parser.words, lenient=self._tag_map.is_identity)
        begins, at = {}, 0  # for each word: offset in the joined words, offset in the sentence
        for token in words:
            begins[at] = token.idx - sentence.start_char
            at += len(token.text) + 1
        places, skipped = (
            tuple((begins[begin], begins[begin] + end - begin) for begin, end in pairs)
            for pairs in (made.places, made.skipped_places)
        )
        return replace(made, text=sentence.text, places=places, skipped_places=skipped)


def make_component(
    nlp: Language, name: str, grammar: str | None, tags: str, tag_map: str | None, settings: dict[str, Any]
) -> NumbatComponent:
    """Return the component; without a grammar it uses the packaged one of the pipeline's language.

    Raises UsageError if there is none, and the errors of `NumbatComponent`.
    """
    chosen = grammar or GRAMMARS.get(nlp.lang)
    if chosen is None:
        raise UsageError(
            f'Numbat has no packaged grammar for the language "{nlp.lang}"\n  give one: config={{"grammar": "my.pg"}}'
        )
    return NumbatComponent(chosen, tags, tag_map, settings)


Language.factory(
    NAME,
    default_config={"grammar": None, "tags": "lexicon", "tag_map": None, "settings": {}},
    assigns=["doc.spans", "doc._.numbat", "doc._.numbat_cost", "span._.numbat", "span._.numbat_cost"],
    func=make_component,
)


# Attributes of documents and spans


def _sentences(doc: Doc) -> list[dict[str, Any]] | None:
    """Return the data of the sentences of a document; None if the component has not processed it."""
    data = doc.user_data.get(NAME)
    return None if data is None else data["sentences"]


def _cost_of_doc(doc: Doc) -> float | None:
    """Return the total cost of the sentences of a document; None if the component has not processed it."""
    sentences = _sentences(doc)
    return None if sentences is None else float(sum(sentence["cost"] for sentence in sentences))


def _of_span(span: Span) -> dict[str, Any] | None:
    """Return the data of the violation that a span marks, or else of the sentence that the span covers; else None."""
    first, _, number = span.id_.partition(".")
    if first == NAME and number.isdecimal() and NAME in span.doc.user_data:
        violation: dict[str, Any] = span.doc.user_data[NAME]["violated"][int(number)]
        return violation
    inside = (s for s in _sentences(span.doc) or () if (s["start"], s["end"]) == (span.start, span.end))
    return next(inside, None)


def _cost_of_span(span: Span) -> float | None:
    """Return the cost of a violation, or of the sentences in a span; None if there is none."""
    data = _of_span(span)
    if data is not None:
        return float(data["cost"])
    inside = [s["cost"] for s in _sentences(span.doc) or () if span.start <= s["start"] and s["end"] <= span.end]
    return float(sum(inside)) if inside else None


Doc.set_extension("numbat", getter=_sentences, force=True)
Doc.set_extension("numbat_cost", getter=_cost_of_doc, force=True)
Span.set_extension("numbat", getter=_of_span, force=True)
Span.set_extension("numbat_cost", getter=_cost_of_span, force=True)
