"""The cache of grammars: used while nothing changed, ignored after any change, and never a cause of failure."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from numbat import GrammarError, load_grammar
from numbat.files import keep, kept
from numbat.grammar import cache, line_parser, loading
from numbat.grammar.cache import LazyLexicon, forms_of_lemma
from numbat.grammar.model import Entry, Reading
from numbat.grammar.names import quoted
from numbat.words.lexical_lookup import words_of

FILES = {
    "main.pg": 'grammar: main\ninclude: "part.pg"\nlexicon_file: "words.tsv"\nNP: uniq N\n',
    "part.pg": "leaves: N\n",
    "words.tsv": "cat\tN\n",
}


class Reads:
    """Number of times that a grammar was read from its files."""

    number = 0


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache; the grammar lies in the current folder."""
    (tmp_path / "grammar").mkdir()
    monkeypatch.chdir(tmp_path / "grammar")
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    line_parser.tree_of("uniq N", "construction_line")  # whose tables are kept elsewhere
    monkeypatch.setenv("NUMBAT_CACHE", str(tmp_path / "cached"))
    return tmp_path / "cached"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    counter, read = Reads(), loading.read_grammar

    def counted(path: Path, text: str | None = None) -> loading.LoadedGrammar:
        counter.number += 1
        return read(path, text)

    monkeypatch.setattr(loading, "read_grammar", counted)
    return counter


def test_a_grammar_is_read_once_while_nothing_changes(cached: Path, reads: Reads) -> None:
    first = load_grammar("main.pg")
    second = load_grammar("main.pg")
    assert first == second
    assert [prop.span for prop in second.properties] == [prop.span for prop in first.properties]
    assert reads.number == 1
    assert [file.name.startswith("main-") for file in cached.iterdir()] == [True]


@pytest.mark.parametrize("name", FILES)
def test_a_change_of_any_of_its_files_makes_it_void(cached: Path, reads: Reads, name: str) -> None:
    before = load_grammar("main.pg")
    with Path(name).open("a", encoding="utf-8") as file:
        file.write({"main.pg": "language: en\n", "part.pg": "leaves: Det\n", "words.tsv": "dog\tN\n"}[name])
    after = load_grammar("main.pg")
    assert reads.number == 2
    assert after != before
    assert load_grammar("main.pg") == after
    assert reads.number == 2


def test_a_file_that_goes_makes_it_void(cached: Path, reads: Reads) -> None:
    load_grammar("main.pg")
    Path("words.tsv").unlink()
    with pytest.raises(GrammarError):
        load_grammar("main.pg")


def test_another_name_of_the_file_is_another_entry_because_places_repeat_it(cached: Path) -> None:
    relative, absolute = load_grammar("main.pg"), load_grammar(Path("main.pg").absolute())
    assert relative == absolute
    assert relative.properties[0].span != absolute.properties[0].span
    assert load_grammar("main.pg").properties[0].span == relative.properties[0].span


def _spoiled(record: dict[str, Any]) -> list[str]:
    names, version, code = record["made"]
    wrong: list[Any] = [None, 1, [], "text", {}]
    wrong += [{**record, "made": made} for made in ([], None, [names, "0", code], [names, version, ""])]
    listed: list[Any] = [None, [], {"main.pg": "0"}, {"gone.pg": "0"}, "main.pg"]
    wrong += [{**record, "files": files} for files in listed]
    wrong += [{**record, "grammar": grammar} for grammar in (None, 5, [], ["Nothing"], [["Nothing"]], [["Grammar", 7]])]
    wrong += [{**record, "grammar": grammar} for grammar in (["N", ["Operand", 0, 0]], [["Grammar", *range(99)]])]
    return [json.dumps(content) for content in wrong] + ["", "{", json.dumps(record)[:-20], "\x00", "[" * 9999]


def test_an_entry_that_is_spoiled_is_not_used(cached: Path, reads: Reads) -> None:
    grammar = load_grammar("main.pg")
    (entry,) = cached.iterdir()
    content = kept(entry)
    assert content is not None
    header, *lexicon = content.decode().split(cache.SECTION)
    forms, readings, bare = lexicon
    assert (forms, readings, json.loads(bare)) == ("cat\n", "0\t1.0\t\n\n", ["N", []])
    spoiled = [cache.SECTION.join((text, *lexicon)) for text in _spoiled(json.loads(header))]
    spoiled += [cache.SECTION.join((header, forms, *readings)), cache.SECTION.join((header, "", readings, bare))]
    for number, text in enumerate([*spoiled, header, ""], start=2):
        keep(entry, text.encode())
        assert load_grammar("main.pg") == grammar
        assert reads.number == number, text[:80]
    entry.write_bytes(b"\xff\xfe")
    assert load_grammar("main.pg") == grammar


def test_no_change_of_an_entry_is_served(cached: Path, reads: Reads) -> None:
    grammar = load_grammar("main.pg")
    (entry,) = cached.iterdir()
    whole, rng = entry.read_bytes(), Random(30)
    for number in range(2, 202):
        changed = bytearray(whole)
        if rng.random() < 0.3:
            del changed[(begin := rng.randrange(len(changed))) : begin + rng.randint(1, 40)]
        else:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        entry.write_bytes(changed)
        assert load_grammar("main.pg") == grammar
        assert reads.number == number


def test_an_entry_of_another_grammar_is_not_served(cached: Path) -> None:
    Path("other.pg").write_text("leaves: N\nVP: uniq N\n", encoding="utf-8")
    other = load_grammar("other.pg")
    (entry,) = cached.iterdir()
    content = entry.read_bytes()
    grammar = load_grammar("main.pg")
    (own,) = set(cached.iterdir()) - {entry}
    own.write_bytes(content)
    assert load_grammar("main.pg") == grammar != other


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_what_is_no_regular_file_of_the_user_is_left_alone(cached: Path, reads: Reads) -> None:
    grammar = load_grammar("main.pg")
    (entry,) = cached.iterdir()
    content = entry.read_bytes()
    assert entry.stat().st_mode & 0o777 == 0o600
    entry.chmod(0o666)  # others may have written it
    assert load_grammar("main.pg") == grammar
    entry.unlink()
    os.mkfifo(entry)
    assert load_grammar("main.pg") == grammar
    entry.unlink()
    target = entry.with_name("elsewhere")
    target.write_bytes(content)
    target.chmod(0o600)
    entry.symlink_to(target)
    assert load_grammar("main.pg") == grammar
    assert reads.number == 4
    assert load_grammar("main.pg") == grammar
    assert reads.number == 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_source_that_became_a_pipe_is_not_waited_for(cached: Path) -> None:
    load_grammar("main.pg")
    path = Path("main.pg")
    path.unlink()
    os.mkfifo(path)
    assert cache.get(path) is None


def test_a_folder_that_cannot_be_written_is_no_trouble(cached: Path, reads: Reads) -> None:
    cached.write_text("a file where the folder should be", encoding="utf-8")
    assert load_grammar("main.pg") == load_grammar("main.pg")
    assert reads.number == 2


def test_it_can_be_switched_off(cached: Path, reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBAT_CACHE", "off")
    assert load_grammar("main.pg") == load_grammar("main.pg")
    assert reads.number == 2
    assert not cached.exists()
    assert cache.folder() is None


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBAT_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "numbat"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "numbat"


def test_a_grammar_with_mistakes_is_not_cached(cached: Path) -> None:
    Path("part.pg").write_text("leaves: M\n", encoding="utf-8")
    with pytest.raises(GrammarError):
        load_grammar("main.pg")
    assert not cached.exists()


def test_records_become_lists_and_records_again() -> None:
    grammar = load_grammar("english")
    grammar = replace(grammar, lexicon=tuple(grammar.lexicon))
    assert cache.decode(json.loads(json.dumps(cache.encode(grammar)))) == grammar
    assert cache.encode((1, (True, 1.0), (True, 1.0), "")) == [1, True, 1.0, ["", 1, 2], "", ["", 0, 3, 3, 4]]


def test_of_many_grammars_those_used_last_stay(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_FILES", 3)
    others = (cached / "mine.json", cached / "mine-2.json")
    cached.mkdir(parents=True, exist_ok=True)
    for other in others:
        other.touch()
        os.utime(other, (0, 0))
    for number, name in enumerate(("a", "b", "c", "d")):
        Path(f"{name}.pg").write_text("leaves: N\nX:\n    oblig N\n", encoding="utf-8")
        load_grammar(f"{name}.pg")
        for entry in cached.glob(f"{name}-*.kept"):
            os.utime(entry, (number, number))
        load_grammar("a.pg")
    assert all(other.exists() for other in others)
    assert sorted(entry.name[0] for entry in cached.iterdir() if entry not in others) == ["a", "c", "d"]


def test_what_an_interrupted_run_left_goes_too(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_FILES", 1)
    Path("a.pg").write_text("leaves: N\nX:\n    oblig N\n", encoding="utf-8")
    load_grammar("a.pg")
    (entry,) = cached.iterdir()
    os.utime(entry.rename(entry.with_suffix(".17.new")), (0, 0))
    load_grammar("a.pg")
    assert list(cached.iterdir()) == [entry]


def test_a_lazy_lexicon_is_what_was_read_and_makes_entries_when_they_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBAT_CACHE", str(tmp_path))
    read, cached = load_grammar("english"), load_grammar("english")
    assert isinstance(cached.lexicon, LazyLexicon)
    assert not isinstance(read.lexicon, LazyLexicon)
    assert (read, hash(read)) == (cached, hash(cached))
    assert cached.lexicon[:2] == read.lexicon[:2] == (cached.lexicon[0], cached.lexicon[1])
    assert repr(cached.lexicon) == f"<LazyLexicon of {len(read.lexicon)} forms>"
    assert words_of(cached).known("The") == words_of(read).known("the") != ()


def test_a_lazy_lexicon_has_any_lemma(cached: Path) -> None:
    """Also one with the signs that end a column, which must not end with another's lemma either."""
    lemmas = ["a\tb", "b", "", '"quoted"', "\\t", "\u2028", " b "]
    entries = "".join(f"    w{i}: N lemma {quoted(lemma)}, M weight 2\n" for i, lemma in enumerate(lemmas))
    Path("odd.pg").write_text(f"leaves: N, M\nlexicon:\n{entries}", encoding="utf-8")
    read, again = load_grammar("odd.pg"), load_grammar("odd.pg")
    assert isinstance(again.lexicon, LazyLexicon)
    assert [entry.readings[0].lemma for entry in read.lexicon] == lemmas
    assert (again, again.lexicon[:]) == (read, read.lexicon)
    assert [forms_of_lemma(again.lexicon, lemma) for lemma in lemmas] == [
        forms_of_lemma(read.lexicon, lemma) for lemma in lemmas
    ]


def test_a_form_that_is_two_lines_is_read_anew(cached: Path, reads: Reads) -> None:
    Path("lines.pg").write_text("leaves: N\nlexicon:\n    a: N\n", encoding="utf-8")
    grammar = load_grammar("lines.pg")
    for form in ("a\nb", "a\0b"):
        (entry,) = cached.glob("lines-*.kept")
        entry.unlink()
        cache.put(Path("lines.pg"), replace(grammar, lexicon=(Entry(form, (Reading("N"),)),)), {})
        assert load_grammar("lines.pg") == grammar
    assert reads.number == 3
