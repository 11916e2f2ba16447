"""Inputs that once ended in a traceback, by their kind; each is read or refused with a message today."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = b"9" * 5_000
"""More digits than Python makes a number of."""

ONCE_FAILING: Final[tuple[tuple[str, bytes], ...]] = (
    ("sequences", b'{"labels": [{"N": ' + _DIGITS + b"}]}\n"),
    ("sequences", b'{"labels": [{"N": 1}], "fixed": {"' + _DIGITS + b'": "N"}}\n'),
    ("suite", b'{"sentence": "a", "rating": ' + _DIGITS + b"}\n"),
    ("suite", b"# Results of an experiment.\n# 1. Results reception time.\n# " + _DIGITS + b". Item.\n1,2\n"),
    ("evalb", b"CUTOFF_LEN " + _DIGITS + b"\n"),
    ("att", b"0\t" + _DIGITS + b"\tN\t1\n1\n"),
    ("treebank", b"1\ta\ta\tX\tX\t_\t" + _DIGITS + b"\troot\t_\t_\n\n"),
    ("treebank", b"1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n1-" + _DIGITS + b"\tb" + b"\t_" * 8 + b"\n\n"),
    ("grammar", b"leaves: A\nrelation r(B) for each B: index(B) = " + _DIGITS + b"\nS: oblig A; r(A)\n"),
    ("grammar", b"leaves: A\nunary_limit: " + _DIGITS + b"\nS: oblig A\n"),
    ("expansions", b"# numbat expansions/1\n" + _DIGITS + b"\tNP^S\tDT NN\n"),
    ("yaml", b"[" * 3_000),
    ("journal", b'{"format": "numbat.journal/3", "run": {}}\n'),
    ("journal", b'{"format": "numbat.journal/3", "run": {}, "asked": null}\n'),
    ("journal", b'{"format": "numbat.journal/3", "run": {}, "asked": {}}\n[1]\n'),
    ("treebank", b'<alpino_ds>\n<node pos="N" word="a" begin="' + _DIGITS + b'"/>\n</alpino_ds>\n'),
    ("treebank", b'<corpus>\n<s <s id="a">\n</s>\n'),
    ("treebank", b'<corpus>\n<s id="a">\n<t id="1" word="a&b" pos="N"/>\n</s>\n'),
    ("metadata", b"id\tsentence\nx\n"),
    ("metadata", b'id,sentence\n"x,y\n'),
    ("sequences", b'{"labels": [{"N": 0}], "disallow": {"cost": 1e300, "value": ["N"]}}\n'),
    ("request", b'{"call": "exercise", "given": {"name": "\\nx", "text": ""}}'),
    ("request", b'{"call": "tree", "given": {"sentence": "the cat sleeps", "form": "\\n  \\n"}}'),
    ("request", b'{"call": "exercise", "given": {"name": "\\nx.exercise.yaml", "text": "grammar: englich\\n"}}'),
    ("request", b'{"call": "check", "grammar": {"main": "anbn\\n  \\n", "files": {}}, "given": {}}'),
)
