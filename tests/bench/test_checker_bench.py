"""The reading of the test sentences of two checkers of French; `python -m tests.bench.checkers` measures."""

from __future__ import annotations

from pathlib import Path

from tests.bench.books import Example
from tests.bench.checkers import examples, is_closed

RULES = """<rules lang="fr">
  <category id="CAT_GRAMMAIRE"><rulegroup><rule>
    <example correction="dort">Le chat <marker>dorment</marker>.</example>
    <example>Le chat <marker>dort</marker>.</example>
  </rule></rulegroup></category>
  <category id="CAT_TYPOGRAPHIE"><rule><example correction="…">Oui...</example></rule></category>
</rules>
"""
GRAPHS = """@@@@GRAPH: graphe3|g3    _
TEST: une {{chats}} noire      ->> chat
TEST: une chatte noire
TEST: __typo__ « oui »
@@@@GRAPH: graphe0|g0    _
TEST: oui {{oui}}              ->> oui
"""


def test_sentences_of_checkers_are_right_or_wrong(tmp_path: Path) -> None:
    assert list(examples(tmp_path)) == []
    (tmp_path / "grammar.xml").write_text(RULES, "utf-8")
    (tmp_path / "rules.grx").write_text(GRAPHS, "utf-8")
    assert list(examples(tmp_path)) == [
        Example("Le chat dorment.", False, ("LanguageTool: grammar",)),
        Example("Le chat dort.", True, ("LanguageTool: grammar",)),
        Example("une chats noire", False, ("Grammalecte: agreement",)),
        Example("une chatte noire", True, ("Grammalecte: agreement",)),
    ]
    assert {is_closed(f"{number}") for number in range(9)} == {True, False}
