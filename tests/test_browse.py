"""The page for browsing a grammar: its data, and that it loads nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from numbat.cli.main import cli

MRG = str(Path(__file__).parents[1] / "corpora" / "trees.mrg")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def page_of(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(cli, ["show", *arguments, "--html", "g.html"])
    assert (done.exit_code, done.stdout) == (code, ""), done.output
    return Path("g.html").read_text(encoding="utf-8")


def data_of(page: str) -> Any:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_an_induced_grammar_with_its_counts_rules_and_examples() -> None:
    made = CliRunner().invoke(cli, ["induce", MRG, "-o", "t.pg", "--support", "1", "--min-count", "1"])
    assert made.exit_code == 0
    data = data_of(page_of("t.pg", "--trees", MRG))
    noun = next(each for each in data["constructions"] if each["name"] == "NP")
    assert noun["occurrences"] == 25
    assert noun["rules"][:2] == [[8, "DT NN", "The cat"], [5, "PRP", "They"]]
    assert noun["constituents"][:3] == ["DT", "NN", "PRP"]
    unique = next(prop for prop in noun["properties"] if prop["text"] == "uniq DT")
    assert unique == {
        "relation": "uniqueness", "text": "uniq DT", "weight": 0.52, "cost": 2.639, "hard": False, "line": "t.pg:35",
        "counts": [13, 0, 1.0, 0.52, []], "gain": 4, "phrases": ["[The] cat", ""],
    }  # fmt: skip
    assert len(noun["examples"]) == 3
    assert data["examples"][noun["examples"][0]] == {
        "id": "trees.mrg:1",
        "tree": ["S", [["NP", [["DT", "The"], ["NN", "cat"]]], ["VP", [["VBZ", "sleeps"]]]]],
        "violated": [],
    }


def test_a_grammar_by_hand_has_no_counts() -> None:
    data = data_of(page_of("english"))
    assert data["name"] == "english"
    noun = next(each for each in data["constructions"] if each["name"] == "NP")
    assert (noun["title"], noun["occurrences"], noun["rules"], noun["examples"]) == ("noun phrase", None, [], [])
    assert noun["features"][0].startswith("head N, PN, Pro, Num, ")
    assert all(prop["counts"] is None for prop in noun["properties"])


def test_a_grammar_of_several_files_is_a_book_with_what_is_said_of_its_properties() -> None:
    Path("np.pg").write_text(
        "# Noun phrases.\n#\n# Covers: determiners,\n# nouns. Literature: nobody (1999).\n\nleaves: Det, N\n\n"
        "NP:\n    # one of each,\n    # no more\n    uniq {Det, N}\n"
        '    Det < N   # * cat the, "#" is no comment\n\n    oblig N\n',
        encoding="utf-8",
    )
    Path("g.pg").write_text('# All of it.\ngrammar: book\ninclude: "np.pg"\nleaves: V\nVP: oblig V\n', encoding="utf-8")
    data = data_of(page_of("g.pg"))
    assert {(each["name"], data["chapters"][each["chapter"]]["title"]) for each in data["constructions"]} == {
        ("NP", "Noun phrases"),
        ("VP", "All of it"),
    }
    (chapter,) = (each for each in data["chapters"] if each["title"] == "Noun phrases")
    assert chapter["text"] == ["Covers: determiners, nouns.", "Literature: nobody (1999)."]
    properties = next(each["properties"] for each in data["constructions"] if each["name"] == "NP")
    assert [(each["text"], each.get("remark")) for each in properties] == [
        ("uniq Det", "one of each, no more"),
        ("uniq N", None),
        ("Det < N", '* cat the, "#" is no comment'),
        ("oblig N", None),
    ]
    alone = data_of(page_of("np.pg"))
    assert (alone["chapters"], alone["constructions"][0]["properties"][2]["remark"][:9]) == ([], "* cat the")


def test_examples_say_what_they_violate() -> None:
    Path("g.pg").write_text("leaves: Det, N\nNP:\n    oblig N\n    uniq {Det, N}\n    Det < N\n", encoding="utf-8")
    Path("t.mrg").write_text("(NP (N cat) (Det the))\n(NP (N\n(NP (Det the) (N cat))\n", encoding="utf-8")
    data = data_of(page_of("g.pg", "--trees", "t.mrg", code=75))
    assert [(each["id"], each["violated"]) for each in data["examples"]] == [
        ("t.mrg:3", []),
        (
            "t.mrg:1",
            ['"the" should stand before "cat"  [NP: Det < N, g.pg:5]'],
        ),
    ]


def test_the_page_needs_nothing_else_and_no_name_breaks_it() -> None:
    Path("g.pg").write_text(
        'grammar: "</script><b>"\nleaves: N\n"<X>" "a & b":\n    uniq N\n    oblig N\n', encoding="utf-8"
    )
    page = page_of("g.pg")
    assert "<title>Numbat: &lt;/script&gt;&lt;b&gt;</title>" in page
    assert data_of(page)["constructions"][0]["name"] == "<X>"
    assert page.count("</script>") == 2
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    assert "@TITLE@" not in page
    assert "@DATA@" not in page


def test_trees_are_for_the_page() -> None:
    done = CliRunner().invoke(cli, ["show", "english", "--trees", MRG])
    assert str(done.exception) == "--trees only applies to the page\n  add --html FILE"
