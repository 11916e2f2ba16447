"""The component of spaCy's pipelines, held against the parses of the same sentences."""

from __future__ import annotations

import pickle
from importlib.metadata import entry_points
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

import numbat
from numbat.errors import DataError, UsageError
from numbat.grammar.loading import packaged
from numbat.treebanks.conllu import format_conllu
from tests.command_line import Numbat
from tests.test_languages import sentence

spacy: Any = pytest.importorskip("spacy", reason="spaCy is not installed: pip install -e '.[spacy]'")

from numbat.spacy import GRAMMARS, NumbatComponent, make_component  # noqa: E402

ROOT: Final = Path(__file__).parents[1]
ENGLISH: Final = "The cats sleeps. Ünder  the  dog she does n't sees of a apple.\n I don't know."
TINY: Final = """\
leaves: Det, N, V
roots: S
S:
    NP < V
    oblig V
    V => NP
NP:
    oblig N
    Det < N
    uniq Det
"""


def pipeline(language: str = "en", **config: Any) -> Any:
    nlp = spacy.blank(language)
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("numbat", config=config)
    return nlp


@pytest.fixture(scope="module")
def english() -> Any:
    return pipeline()


def plain(doc: Any) -> tuple[object, ...]:
    """Return all results of the component for a document."""
    spans = [(each.start, each.end, each.label_, each._.numbat_cost, each._.numbat) for each in doc.spans["numbat"]]
    return doc.text, doc._.numbat, doc._.numbat_cost, spans


def test_sentences_and_violations_are_those_of_the_parser(english: Any) -> None:
    doc, parser = english(ENGLISH), numbat.Parser(numbat.load_grammar("english"))
    sentences = list(doc.sents)
    parses = [parser.parse(each.text) for each in sentences]
    assert len(sentences) == 3
    assert [each["tree"] for each in doc._.numbat] == [parse.to_brackets() for parse in parses]
    assert [each._.numbat_cost for each in sentences] == [parse.cost_units / 1_000_000 for parse in parses]
    assert doc._.numbat_cost == sum(parse.cost_units for parse in parses) / 1_000_000
    assert doc[:]._.numbat_cost == doc._.numbat_cost
    violated = [row for parse in parses for row in parse.to_json()["violated"]]
    spans = list(doc.spans["numbat"])
    assert [(each.label_, each._.numbat["message"], each._.numbat["formal"]) for each in spans] == [
        (row["relation"], row["message"], row["formal"]) for row in violated
    ]
    assert [each._.numbat_cost for each in spans] == [row["cost"] for row in violated]
    assert [each.text for each in spans][:1] == ["cats sleeps"]
    assert all(any(one.start <= each.start < each.end <= one.end for one in sentences) for each in spans)


def test_several_violations_of_the_same_words_are_told_apart() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("numbat")
    doc = nlp("The cats sleeps of")
    (one, two) = doc.spans["numbat"]
    again = spacy.tokens.Span(doc, one.start, one.end)
    assert {one.label_, two.label_} == {"complete", "dependency"}
    assert one._.numbat["relation"] != two._.numbat["relation"]
    assert again._.numbat is None  # neither a violation nor a sentence


def test_documents_can_be_written_and_sent(english: Any, tmp_path: Path) -> None:
    doc = english(ENGLISH)
    assert plain(spacy.tokens.Doc(english.vocab).from_bytes(doc.to_bytes())) == plain(doc)
    assert plain(pickle.loads(pickle.dumps(doc))) == plain(doc)
    assert [plain(each) for each in english.pipe([ENGLISH] * 3, n_process=2)] == [plain(doc)] * 3
    english.to_disk(tmp_path / "pipeline")
    assert plain(spacy.load(tmp_path / "pipeline")(ENGLISH)) == plain(doc)


def tagged(nlp: Any, tags: list[str], column: str) -> Any:
    words = ["The", "cats", "\n", "sleeps", "."]
    return spacy.tokens.Doc(nlp.vocab, words=words, spaces=[True, True, False, False, False], **{column: tags})


def test_tags_of_spacy_take_the_place_of_the_lexicon(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    component = make_component(nlp, "numbat", None, "tag", None, {})
    doc = component(tagged(nlp, ["DT", "NNS", "_SP", "VBZ", "."], "tags"))
    assert doc._.numbat[0]["tree"] == "(S (NP (Det The) (N cats)) (VP (V sleeps)))"
    assert [each.text for each in doc.spans["numbat"]] == ["cats \nsleeps"]
    (tmp_path / "tiny.pg").write_text(TINY, encoding="utf-8")
    (tmp_path / "upos.map").write_text("DET\tDet\nNOUN\tN\nVERB\tV\nPUNCT\t-\n", encoding="utf-8")
    files = str(tmp_path / "tiny.pg"), "pos", str(tmp_path / "upos.map")
    doc = make_component(nlp, "numbat", *files, {})(tagged(nlp, ["DET", "NOUN", "SPACE", "VERB", "PUNCT"], "pos"))
    assert doc._.numbat[0]["tree"] == "(S (NP (Det The) (N cats)) (V sleeps))"
    wrong = make_component(nlp, "numbat", *files, {})
    with pytest.raises(DataError, match='does not map the tag "ADJ"'):
        wrong(tagged(nlp, ["DET", "ADJ", "SPACE", "VERB", "PUNCT"], "pos"))
    with pytest.raises(UsageError) as missing:
        component(nlp("The cats sleep."))
    assert str(missing.value) == (
        'no word of the document has a tag\n  put a tagger in front of "numbat", or set tags to "lexicon"'
    )


def test_settings_are_those_of_the_parser(english: Any) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("numbat", config={"settings": {"limits": {"items": 20}}})
    assert nlp("The cat sleeps in the garden.")._.numbat[0]["stopped_by"] == "items (20)"
    component = nlp.get_pipe("numbat")
    assert isinstance(component, NumbatComponent)
    limited = numbat.Parser(numbat.load_grammar("english"), limits=numbat.Limits(items=20))
    ((sentence, parse),) = component.parses(nlp.make_doc("The cat sleeps."))
    assert (sentence.text, parse) == ("The cat sleeps.", limited.parse("The cat sleeps."))
    assert set(GRAMMARS.values()) <= set(packaged())


def test_a_language_parses_as_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = Numbat(capsys, monkeypatch)
    made, small = Random(7), str(tmp_path / "small")
    trees = "".join(format_conllu(sentence(made, number)) for number in range(120))
    (tmp_path / "small.conllu").write_text(trees, encoding="utf-8")
    typed("induce", str(tmp_path / "small.conllu"), "-o", f"{small}/")
    said = typed("parse", "-g", small, "-f", "bracket", "The small cats see a dog.", "A dog see the cat.").out
    doc = pipeline(grammar=small)("The small cats see a dog. A dog see the cat.")
    assert [each["tree"] for each in doc._.numbat] == said.splitlines()
    with pytest.raises(UsageError, match="a language, which chooses trees by expansions\n  set only limits"):
        pipeline(grammar=small, settings={"profile": "paper"})


@pytest.mark.parametrize(
    ("language", "config", "message"),
    [
        ("de", {}, 'Numbat has no packaged grammar for the language "de"\n  give one: config={"grammar": "my.pg"}'),
        ("en", {"tags": "xpos"}, "tags: 'xpos' is not a source of categories\n  set it to lexicon, tag or pos"),
        ("en", {"tag_map": "ptb.map"}, 'a tag map only applies to tags of spaCy\n  set tags to "tag" or "pos" too'),
    ],
)
def test_what_cannot_be_is_said_at_once(language: str, config: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as told:
        pipeline(language, **config)
    assert str(told.value) == message


def test_a_document_without_words_costs_nothing(english: Any) -> None:
    assert english("")._.numbat_cost == 0
    assert english(" ... ")._.numbat == []
    words = ["...", "The", "cats", "sleep"]
    doc = english.get_pipe("numbat")(spacy.tokens.Doc(english.vocab, words, sent_starts=[True, True, False, False]))
    cost = numbat.Parser(numbat.load_grammar("english")).parse("The cats sleep").cost_units / 1_000_000
    assert [each._.numbat_cost for each in doc.sents] == [None, cost]
    assert english.make_doc("The cat")._.numbat_cost is None


def test_spacy_finds_the_component_where_numbat_is_installed() -> None:
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.spacy_factories]\nnumbat = "numbat.spacy:make_component"' in declared
    for each in entry_points(group="spacy_factories", name="numbat"):
        assert each.load() is make_component
