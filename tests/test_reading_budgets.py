"""Budgets for nested types, chains of includes and inherited properties end the reading of a grammar that grows."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import GrammarError
from numbat.grammar import declarations, loading
from numbat.grammar.declarations import MAX_DEEP
from numbat.grammar.loading import LoadedGrammar, load_grammar, parse_grammar, read_grammar


def nested_types(depth: int, width: int = 2) -> str:
    """A grammar whose type T0 stands for `width` to the power of `depth` members, which are one category."""
    lines = [f"    T{i}: {', '.join([f'T{i + 1}'] * width)}" for i in range(depth - 1)]
    return "\n".join(["leaves: N", "types:", *lines, f"    T{depth - 1}: N", "NP:", "    oblig T0\n"])


@pytest.mark.parametrize("width", [1, 2, 30])
def test_nested_types_are_read_once_each(width: int) -> None:
    (prop,) = parse_grammar(nested_types(MAX_DEEP, width)).properties
    assert [operand.category for parameter in prop.operands for joint in parameter for operand in joint] == ["N"]


def test_types_that_are_nested_too_deep() -> None:
    with pytest.raises(GrammarError) as caught:
        parse_grammar(nested_types(MAX_DEEP + 1, 1))
    assert str(caught.value) == (
        "<grammar>:52:10: types are nested more than 50 levels deep\n"
        "        T49: T50\n             ^^^\n  name the categories themselves as members"
    )


def test_types_with_too_many_members_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "MAX_MEMBERS", 5)
    with pytest.raises(GrammarError) as caught:
        parse_grammar("leaves: A, B\ntypes:\n    T: A, B\n    U: T, T\n    W: T, U\nS:\n    oblig W\n")
    assert str(caught.value) == (
        "<grammar>:5:8: types have more than 5 members of other types\n    "
        "    W: T, U\n           ^\n  name fewer types as members, or smaller ones"
    )


def test_a_part_of_a_grammar_with_nested_types(tmp_path: Path) -> None:
    (tmp_path / "whole.pg").write_text(nested_types(40), encoding="utf-8")
    (tmp_path / "g.pg").write_text('include: "whole.pg/NP"\n', encoding="utf-8")
    assert [form.name for form in load_grammar(tmp_path / "g.pg").constructions] == ["NP"]
    circle = "leaves: N\ntypes:\n    T: U\n    U: T\nNP:\n    oblig T\n"
    (tmp_path / "whole.pg").write_text(circle, encoding="utf-8")
    with pytest.raises(GrammarError, match='type "T" is its own member: T > U > T'):
        load_grammar(tmp_path / "g.pg")


def chain(folder: Path, files: int) -> LoadedGrammar:
    """Read a grammar of files that each include the next one."""
    for i in range(files - 1):
        (folder / f"i{i}.pg").write_text(f'include: "i{i + 1}.pg"\n', encoding="utf-8")
    (folder / f"i{files - 1}.pg").write_text("leaves: N\nNP:\n    oblig N\n", encoding="utf-8")
    return read_grammar(folder / "i0.pg")


def test_a_chain_of_includes(tmp_path: Path) -> None:
    read = chain(tmp_path, MAX_DEEP + 1)
    assert (read.errors, [form.name for form in read.grammar.constructions]) == ((), ["NP"])


@pytest.mark.parametrize("files", [MAX_DEEP + 2, 2_000])
def test_a_chain_of_includes_that_is_too_long(tmp_path: Path, files: int) -> None:
    (error,) = chain(tmp_path, files).errors
    assert str(error) == (
        f"{tmp_path}/i50.pg:1:10: includes are nested more than 50 deep\n"
        '    include: "i51.pg"\n             ^^^^^^^^\n  put the content of several files into one'
    )


def test_a_grammar_of_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_FILES", 3)
    names = [f"f{i}.pg" for i in range(4)]
    for name in names:
        (tmp_path / name).write_text(f"{name[:2].upper()}:\n    oblig N\n", encoding="utf-8")
    main = tmp_path / "g.pg"
    includes = ", ".join(f'"{name}"' for name in names[:3])
    main.write_text(f"include: {includes}\nleaves: N\n", encoding="utf-8")
    assert len(load_grammar(main).constructions) == 3
    main.write_text(f'include: {includes}, "f3.pg"\nleaves: N\n', encoding="utf-8")
    (error,) = read_grammar(main).errors
    assert (error.message, error.span.line, error.hint) == (
        "a grammar has more than 3 files",
        1,
        "put the content of several files into one",
    )
