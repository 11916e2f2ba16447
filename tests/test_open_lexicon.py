"""Words of a WordNet as an additional lexicon for `english`."""

from pathlib import Path

import pytest

from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser
from tools import open_lexicon

WORDNET = """\
aardwolf:
  n:
    form:
    - aardwolves
    sense:
    - id: 'aardwolf%1:05:00::'
bedizen:
  v:
    sense:
    - id: 'bedizen%2:37:00::'
      subcat:
      - vtaa
bicycle:
  n:
    sense:
    - id: 'bicycle%1:10:00::'
  v:
    sense:
    - id: 'bicycle%2:32:00::'
      subcat:
      - vtai
Aachen:
  n:
    sense:
    - id: 'aachen%1:15:00::'
cat:
  n:
    sense:
    - id: 'cat%1:05:00::'
  v:
    sense:
    - id: 'cat%2:29:00::'
      subcat:
      - vtai
"""


def test_words_that_english_lacks_are_added_and_no_reading_of_those_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "entries-a.yaml").write_text(WORDNET, encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["open_lexicon", str(tmp_path), str(tmp_path)])
    open_lexicon.main()
    lines = (tmp_path / "english-wide.tsv").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line[0] not in "#%"] == [
        "aardwolf\t%noun\tkind=count gender=n\t\tpl=aardwolves",
        "bedizen\t%verb\tobject=yes",
        "bicycle\t%verb\tobject=yes\t\tplain=- s=-",
        "cat\t%verb\tobject=yes\t\tplain=- s=-",
    ]
    grammar = load_grammar(tmp_path / "english-wide.pg")
    parse = Parser(grammar).parse("The aardwolves bedizened themselves.")
    assert (parse.is_well_formed, [each.form for each in parse.lattice.arcs if each.guessed]) == (True, [])


def test_a_folder_without_words_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["open_lexicon", str(tmp_path), str(tmp_path)])
    with pytest.raises(SystemExit):
        open_lexicon.main()
    assert "no file entries-*.yaml is here; name the folder src/yaml of a checkout" in capsys.readouterr().err
