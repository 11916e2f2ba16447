"""A grammar that is read again after an edit: the same as if it were read for the first time, with less work."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat.files import packaged_folder
from numbat.grammar import lexicon, line_parser
from numbat.grammar.constructions import Rereading
from numbat.grammar.loading import LoadedGrammar, read_grammar

WORDS = "cat\tN\tnumber=sg\ncats\tN\tnumber=pl\nthe\tDet\n"
GRAMMAR = """\
leaves: Det, N
roots: NP
lexicon_file: "words.tsv"

features:
    number: sg, pl

lexicon:
    a: Det
    dog: N[number=sg]

NP:
    uniq N
    Det < N
    Det => N cost 2
"""
EDITS = (
    (GRAMMAR, WORDS),
    (GRAMMAR.replace("cost 2", "cost 3"), WORDS),
    (f"# a line before all others\n\n{GRAMMAR}", WORDS),
    (GRAMMAR.replace("dog: N[number=sg]", "dog: N[number=dual]"), WORDS),
    (GRAMMAR.replace("sg, pl", "pl, sg"), WORDS),
    (GRAMMAR.replace("leaves: Det, N", "leaves: Det"), WORDS),
    (f"# another\n{GRAMMAR.replace('leaves: Det, N', 'leaves: Det')}", WORDS),
    (GRAMMAR.replace("    Det < N", "    Det <"), WORDS),
    (GRAMMAR, WORDS.replace("cats\tN", "cats\tNoun")),
    (GRAMMAR, f"# words\n{WORDS}\tN\n"),
    (GRAMMAR.replace("    a: Det\n", "    a: Det\n    the: Det\n"), WORDS),
    (GRAMMAR, WORDS),
)


def loaded(text: str, words: str, earlier: Rereading | None = None) -> LoadedGrammar:
    files = {"g.pg": text.encode(), "words.tsv": words.encode()}
    return read_grammar(Path("g.pg"), content_of=lambda path: files[path.name], earlier=earlier)


def test_after_every_edit_the_grammar_and_its_mistakes_are_as_if_read_for_the_first_time() -> None:
    earlier = Rereading()
    for text, words in EDITS:
        found, anew = loaded(text, words, earlier), loaded(text, words)
        assert found == anew
        assert [each.span for each in found.errors] == [each.span for each in anew.errors]
        assert [each.span for c in found.grammar.constructions for each in c.properties] == [
            each.span for c in anew.grammar.constructions for each in c.properties
        ]
    assert any(loaded(text, words).errors for text, words in EDITS)


def test_only_what_changed_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    earlier, parsed, files = Rereading(), [], []
    tree_of, read = line_parser.tree_of, lexicon.read

    def counted_tree(text: str, start: str) -> object:
        parsed.append(text)
        return tree_of(text, start)

    def counted_read(text: str, path: str) -> object:
        files.append(path)
        return read(text, path)

    monkeypatch.setattr(line_parser, "tree_of", counted_tree)
    monkeypatch.setattr(lexicon, "read", counted_read)
    first = loaded(GRAMMAR, WORDS, earlier)
    assert (len(parsed), files) == (len([line for line in GRAMMAR.split("\n") if line]), ["words.tsv"])
    again = loaded(f"\n{GRAMMAR.replace('cost 2', 'cost 3')}", WORDS, earlier)
    assert parsed[-2:] == ["Det => N cost 2", "Det => N cost 3"]
    assert files == ["words.tsv"]
    assert again.grammar.lexicon is first.grammar.lexicon
    loaded(GRAMMAR, WORDS.replace("cats", "dogs"), earlier)
    assert files == ["words.tsv"] * 2


@pytest.mark.parametrize("name", ["french-chrg.yaml", "english.pg"])
def test_a_packaged_grammar_with_an_edit_at_its_top(name: str) -> None:
    path, earlier = packaged_folder("grammars") / name, Rereading()
    text = path.read_text(encoding="utf-8")
    plain, edited = (read_grammar(path, each) for each in (text, f"# one\n{text}"))
    assert read_grammar(path, text, earlier=earlier) == plain
    assert read_grammar(path, f"# one\n{text}", earlier=earlier) == edited
    assert read_grammar(path, text, earlier=earlier) == plain
