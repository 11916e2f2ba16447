"""The language server, driven by a client over standard input and output."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from numbat import DataError, clock
from numbat.authoring.checking import check_grammar
from numbat.editor.documents import Documents
from numbat.grammar.layout import laid_out
from numbat.workbench import facade
from numbat.workbench.facade import Facade
from tests.editing import Editor, edited, place, shown_as

MAIN: Final = """\
# 𝒩 stands outside the first plane
include: "base.pg"
lexicon_file: "words.tsv"
roots: S
S "sentence":
    oblig V
    NP < V          # 𝒩
    NP ~> V [number] cost 3
"""
BASE: Final = """\
leaves: Det, N, V "verb"
features:
    number: sg "singular", pl
NP "noun phrase":
    oblig N
    uniq Det
    Det < N
    N[number=sg] => Det
"""
WORDS: Final = "the\tDet\ndog\tN\tnumber=sg\ndogs\tN\tnumber=pl\nbarks\tV\tnumber=sg\nbark\tV\tnumber=pl\n"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the editor has open."""
    return tmp_path_factory.mktemp("opened")


@pytest.fixture
def folder(opened: Path, tmp_path: Path) -> Path:
    """A folder within it, with a grammar in three files."""
    made = opened / tmp_path.name
    made.mkdir()
    for name, text in (("main.pg", MAIN), ("base.pg", BASE), ("words.tsv", WORDS)):
        (made / name).write_text(text, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def server(opened: Path) -> Iterator[Editor]:
    made = Editor(opened)
    yield made
    made.end()


@pytest.fixture
def editor(server: Editor) -> Iterator[Editor]:
    """One server for all tests, without open texts."""
    yield server
    server.close_all()


def found(problems: list[lsp.Diagnostic]) -> list[tuple[int, int, int, str]]:
    return [
        (each.range.start.line, each.range.start.character, each.range.end.character, each.message) for each in problems
    ]


def checked(main: Path, path: Path) -> list[tuple[int, int, int, str]]:
    """Return the problems that `numbat check` reports for a file."""
    known = check_grammar(str(main))
    return [shown_as(path, each) for each in (*known.errors, *known.warnings) if each.span.path == str(path)]


def test_mistakes_come_in_two_waves_and_can_be_mended(editor: Editor, folder: Path) -> None:
    main, base = folder / "main.pg", folder / "base.pg"
    assert editor.open(main) == []
    wrong = MAIN.replace("NP ~> V [number] cost 3", "NP ~> Vv [number] cost 3")
    syntax, all_of_it = editor.change(main, wrong)
    assert syntax == []
    (mistake,) = all_of_it
    assert mistake.message.startswith('"Vv" is not a construction or a leaf')
    assert mistake.range.start == place(wrong, "Vv")
    asked = lsp.CodeActionParams(editor.at(main), mistake.range, lsp.CodeActionContext([mistake]))
    actions = editor.wait(editor.client.text_document_code_action_async(asked))
    assert actions is not None
    fixes = {
        each.title: each.edit.changes[main.as_uri()]
        for each in actions
        if isinstance(each, lsp.CodeAction) and each.edit and each.edit.changes
    }
    assert edited(wrong, fixes["Change to V"]) == MAIN
    broken = wrong.replace("oblig V", "oblig V <")
    syntax, all_of_it = editor.change(main, broken)
    assert [each.range.start.line for each in syntax] == [5, 7]  # the new mistake, and the old one still
    assert editor.change(main, MAIN)[-1] == []
    assert editor.open(base) == []
    editor.change(base, BASE.replace("leaves: Det, N, V", "leaves: Det, N"))
    (elsewhere,) = editor.last(folder / "words.tsv")  # which is not open
    assert elsewhere.message.startswith('"V" is not a construction or a leaf')
    assert elsewhere.range.start == place(WORDS, "V")


def test_files_that_include_each_other_are_told_of_once(editor: Editor, folder: Path) -> None:
    one, other = folder / "one.pg", folder / "other.pg"
    other.write_text('include: "one.pg"\nleaves: N\n', encoding="utf-8")
    one.write_text('include: "other.pg"\nS:\n    oblig N\n', encoding="utf-8")
    assert editor.open(one) == []
    (circle,) = editor.open(other)
    assert circle.message.startswith("files include each other in a circle")
    assert found(editor.last(other)) == checked(one, other)


def test_a_chapter_is_part_of_its_book_though_that_is_not_open(editor: Editor, folder: Path) -> None:
    (folder / "book").mkdir()
    book, chapter = folder / "book.pg", folder / "book" / "nouns.pg"
    text = "NP:\n    oblig N\n    Det < N\n"
    chapter.write_text(text, encoding="utf-8")
    book.write_text(
        'include: "book/nouns.pg"\nleaves: Det, N\nroots: NP\nlexicon_file: "words/nouns.tsv"\n', encoding="utf-8"
    )
    words = folder / "words" / "nouns.tsv"
    words.parent.mkdir()
    words.write_text("dog\tN\nthe\tDet\n", encoding="utf-8")
    assert editor.open(chapter) == []  # Det and N are leaves of the book
    wrong = text.replace("Det <", "Dett <")
    chapter.write_text(wrong, encoding="utf-8")
    assert found(editor.change(chapter, wrong)[-1]) == checked(book, chapter) != []
    chapter.write_text(text, encoding="utf-8")
    assert editor.change(chapter, text)[-1] == []
    asked = lsp.ReferenceParams(lsp.ReferenceContext(True), editor.at(chapter), place(text, "Det"))
    used = editor.wait(editor.client.text_document_references_async(asked))
    assert [Path(each.uri).name for each in used or ()] == ["nouns.pg", "book.pg", "nouns.tsv"]
    editor.close(chapter)
    words.write_text("dog\tNn\nthe\tDet\n", encoding="utf-8")
    assert found(editor.open(words)) == checked(book, words) != []
    alone = "roots: NP\n" + text  # a whole grammar, although another one includes it
    chapter.write_text(alone, encoding="utf-8")
    assert found(editor.open(chapter)) == checked(chapter, chapter) != []


def test_a_packaged_chapter_by_itself_has_mistakes_with_places() -> None:
    path = Path(__file__).parents[1] / "grammars" / "english" / "phrases.pg"
    grammar = {"main": str(path), "files": {str(path): path.read_text(encoding="utf-8")}}
    found = Facade().answer({"call": "check", "grammar": grammar})["answer"]["problems"]
    assert [each["message"] for each in found] == [each.message for each in check_grammar(str(path)).errors] != []


def test_a_check_without_end_is_ended_and_the_next_one_is_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, documents = tmp_path / "g.pg", Documents()
    main.write_text(BASE + "lexicon:\n" + "".join(f"    w{i}: N\n" for i in range(3_000)), encoding="utf-8")
    monkeypatch.setattr(clock, "GRACE", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(facade, "MAX_SECONDS", 1e-6)
        with pytest.raises(DataError) as caught:
            documents.check(main)
    assert str(caught.value) == (
        "the time limit of 1e-06 seconds was reached\n  run numbat check, which has no time limit"
    )
    documents.check(main)
    assert main in documents.checked


def test_hover_tells_what_a_property_means(editor: Editor, folder: Path) -> None:
    main = folder / "main.pg"
    editor.open(main)

    def hover(text: str, piece: str) -> str:
        params = lsp.HoverParams(editor.at(main), place(text, piece))
        answer = editor.wait(editor.client.text_document_hover_async(params))
        return answer.contents.value if answer and isinstance(answer.contents, lsp.MarkupContent) else ""

    assert hover(MAIN, "< V").endswith("**S:** `NP < V`\n\nNP stands before V.\n\ncost 1, weight 1 · linearity")
    assert "NP agrees with V in number" in hover(MAIN, "~>")
    assert hover(MAIN, "NP <").startswith("**NP** noun phrase: 4 properties")
    assert "**number**: sg (singular), pl" in hover(MAIN, "number]")
    assert hover(MAIN, "V  ").startswith("**V** verb: a leaf")
    moved = "# a line\n" + MAIN.replace("oblig V", "oblig V <")
    editor.change(main, moved)
    assert "NP stands before V" in hover(moved, "< V   ")  # as the grammar was without the mistake


def test_names_are_found_and_changed_in_all_files(editor: Editor, folder: Path) -> None:
    main, base, words = folder / "main.pg", folder / "base.pg", folder / "words.tsv"
    editor.open(main)
    at = place(MAIN, "NP <")
    defined = editor.wait(editor.client.text_document_definition_async(lsp.DefinitionParams(editor.at(main), at)))
    assert isinstance(defined, list | tuple)
    places = [(each.uri, each.range.start) for each in defined if isinstance(each, lsp.Location)]
    assert places == [(base.as_uri(), place(BASE, "NP"))]
    asked = lsp.ReferenceParams(lsp.ReferenceContext(True), editor.at(main), place(MAIN, "number]"))
    used = editor.wait(editor.client.text_document_references_async(asked))
    assert [Path(each.uri).name for each in used or ()] == ["main.pg"] + ["base.pg"] * 2 + ["words.tsv"] * 4
    renaming = lsp.RenameParams(editor.at(main), place(MAIN, "number]"), "Numerus")
    edits = editor.wait(editor.client.text_document_rename_async(renaming))
    assert edits is not None
    assert edits.changes is not None
    texts = {main: MAIN, base: BASE, words: WORDS}
    for path, text in texts.items():
        assert edited(text, edits.changes[path.as_uri()]) == text.replace("number", "Numerus")


def test_renaming_is_refused_where_it_would_not_be_whole(editor: Editor, folder: Path) -> None:
    main = folder / "main.pg"
    editor.open(main)

    def refused(text: str, piece: str, name: str) -> str:
        params = lsp.RenameParams(editor.at(main), place(text, piece), name)
        with pytest.raises(JsonRpcException) as told:
            editor.wait(editor.client.text_document_rename_async(params))
        return str(told.value.message)

    assert refused(MAIN, "NP <", "V") == '"V" exists already\n  give an unused name'
    assert "is not defined in these files" in refused(MAIN, "~>", "agrees")
    broken = MAIN + "    oblig <\n"
    editor.change(main, broken)
    assert "this line has a mistake" in refused(broken, "NP <", "NX")


def test_names_outside_open_folders_are_not_renamed(editor: Editor, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "base.pg").write_text(BASE, encoding="utf-8")
    main, text = folder / "main.pg", f'include: "{tmp_path}/base.pg"\nS:\n    oblig NP\n'
    editor.open(main, text)
    with pytest.raises(JsonRpcException, match="but its folder is not open"):
        editor.wait(editor.client.text_document_rename_async(lsp.RenameParams(editor.at(main), place(text, "NP"), "X")))


def test_completion_symbols_and_folding(editor: Editor, folder: Path) -> None:
    main, text = folder / "main.pg", MAIN + "    V[number=]\n    \n"
    editor.open(main)
    editor.change(main, text)

    def offered(position: lsp.Position) -> list[str]:
        params = lsp.CompletionParams(editor.at(main), position)
        answer = editor.wait(editor.client.text_document_completion_async(params))
        return [each.label for each in answer] if isinstance(answer, list | tuple) else []

    value = place(text, "]\n    \n")
    assert offered(value) == ["sg", "pl"]
    assert offered(lsp.Position(value.line, value.character - len("number=")))[0] == "number"
    assert {"S", "NP", "V", "oblig", "uniq"} <= set(offered(lsp.Position(value.line + 1, 4)))
    assert {"leaves", "features"} <= set(offered(lsp.Position(value.line + 2, 0)))
    symbols = editor.wait(editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.at(main))))
    (sentence,) = (each for each in symbols or () if isinstance(each, lsp.DocumentSymbol))
    assert (sentence.name, sentence.detail) == ("S", "sentence")
    assert [each.name for each in sentence.children or ()] == ["oblig V", "NP < V", "NP ~> V [number] cost 3"]
    folds = editor.wait(editor.client.text_document_folding_range_async(lsp.FoldingRangeParams(editor.at(main))))
    assert [(each.start_line, each.end_line) for each in folds or ()] == [(4, 8)]
    params = lsp.SemanticTokensParams(editor.at(main))
    tokens = editor.wait(editor.client.text_document_semantic_tokens_full_async(params))
    assert tokens is not None
    assert list(tokens.data[:5]) == [1, 9, 9, 7, 0]  # the name of the included file


SUITE: Final = "the dog barks\n* barks the dog\nthe dogs bark\nthe dogs barks\n"


def test_the_suite_next_to_a_grammar_is_tested_again(editor: Editor, folder: Path) -> None:
    main, suite = folder / "main.pg", folder / "suite.txt"
    suite.write_text(SUITE, encoding="utf-8")
    editor.open(main)
    (failure,) = editor.of(suite, lambda shown: bool(shown))
    assert failure.message.startswith("fail: ")
    assert failure.range.start.line == 3

    def hover(text: str, piece: str) -> str:
        params = lsp.HoverParams(editor.at(main), place(text, piece))
        answer = editor.wait(editor.client.text_document_hover_async(params))
        return answer.contents.value if answer and isinstance(answer.contents, lsp.MarkupContent) else ""

    assert hover(MAIN, "< V").endswith("suite.txt: satisfied in 3 sentences, violated in 1: *barks the dog*")
    without = MAIN.replace("    NP ~> V [number] cost 3\n", "")
    editor.change(main, without)
    assert editor.of(suite, lambda shown: not shown) == []
    moved = "# a line\n" + MAIN.replace("NP < V ", "V < NP ")
    editor.change(main, moved)
    assert [each.range.start.line for each in editor.of(suite, lambda shown: len(shown) > 1)] == [0, 1, 2, 3]
    editor.open(suite, SUITE)
    editor.change(suite, SUITE.partition("\n")[2])
    assert [each.range.start.line for each in editor.of(suite, lambda shown: len(shown) == 3)] == [0, 1, 2]


def test_costs_and_violations_stand_beside_the_text(editor: Editor, folder: Path) -> None:
    main, suite = folder / "main.pg", folder / "suite.txt"
    suite.write_text(SUITE, encoding="utf-8")
    editor.open(main)
    editor.of(suite, lambda shown: bool(shown))
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(100, 0))

    def hints() -> list[tuple[int, int, object]]:
        asked = lsp.InlayHintParams(editor.at(main), whole)
        found = editor.wait(editor.client.text_document_inlay_hint_async(asked)) or ()
        return [(each.position.line, each.position.character, each.label) for each in found]

    assert hints() == [
        (5, len("    oblig V"), "cost 1"),
        (6, len("    NP < V"), "cost 1"),
    ]  # and not where the cost is stated
    lenses = editor.wait(editor.client.text_document_code_lens_async(lsp.CodeLensParams(editor.at(main))))
    told = [(each.range.start.line, each.command.title) for each in lenses or () if each.command]
    assert told == [(4, "2 violations in suite.txt")]  # S: the verb that comes first, the agreement
    refreshed = len(editor.refreshed)
    moved = MAIN.replace('S "sentence', 'all linearity cost 2.5\nS "sentence')
    editor.change(main, moved)
    editor.until(lambda: len(editor.refreshed) > refreshed)
    assert hints() == [(6, len("    oblig V"), "cost 1"), (7, len("    NP < V"), "cost 2.5")]


def test_formatting_gives_the_usual_layout(editor: Editor, folder: Path) -> None:
    main, text = folder / "main.pg", MAIN.replace("    NP < V  ", "  NP<V  ").replace("cost 3\n", "cost   3")
    editor.open(main, text)
    params = lsp.DocumentFormattingParams(editor.at(main), lsp.FormattingOptions(4, True))
    edits = editor.wait(editor.client.text_document_formatting_async(params))
    (edit,) = edits or ()
    begin, end = (
        sum(map(len, text.splitlines(True)[: each.line])) + each.character
        for each in (edit.range.start, edit.range.end)
    )
    assert text[:begin] + edit.new_text + text[end:] == laid_out(text)
    editor.change(main, MAIN + "    oblig <\n")
    assert not editor.wait(editor.client.text_document_formatting_async(params))


def test_a_request_that_crashes_leaves_the_server_up(folder: Path) -> None:
    main, editor = folder / "main.pg", Editor(folder, command=("-m", "tests.crashing_server"))
    editor.open(main)
    with pytest.raises(JsonRpcException):
        editor.wait(editor.client.text_document_folding_range_async(lsp.FoldingRangeParams(editor.at(main))))
    nowhere = lsp.TextDocumentIdentifier((folder / "none.pg").as_uri())
    with pytest.raises(JsonRpcException, match="is not open and cannot be read"):
        editor.wait(editor.client.text_document_hover_async(lsp.HoverParams(nowhere, lsp.Position(0, 0))))
    far = lsp.HoverParams(editor.at(main), lsp.Position(10_000, 10_000))
    assert editor.wait(editor.client.text_document_hover_async(far)) is None
    assert len(editor.change(main, MAIN.replace("oblig V", "oblig Vv"))[-1]) == 1
    editor.end()
