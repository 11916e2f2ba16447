"""One line for each verb in the list of `numbat -h`, short enough for a terminal of 80 columns."""

from __future__ import annotations

from typing import Final

SHORT_HELP: Final = {
    "ablate": "Switch heuristics and relations off, one by one.",
    "bench": "Time of a parse by the words of the sentence.",
    "check": "Mistakes and doubts in a grammar.",
    "check-trees": "Judge the trees of a treebank by a grammar.",
    "compare": "What one grammar gains and loses against another.",
    "contrast": "What makes the difference between two sentences.",
    "convert": "Print a grammar in the notation or as YAML.",
    "coverage": "Which properties of a grammar a suite tests.",
    "expansions": "Count refined expansions in a treebank.",
    "explain": "Why a sentence has its score.",
    "fit": "Learn the costs of violations from rated sentences.",
    "generate": "Sentences from a grammar, good or bad in one way.",
    "induce": "Make a grammar from a treebank.",
    "judge": "What a tree that you draw satisfies and violates.",
    "parse": "Parse sentences, well-formed or not.",
    "repair": "The smallest changes that better a sentence.",
    "report": "Compare scores with the judgements of a suite.",
    "score": "Score parsed trees against gold trees.",
    "show": "The packaged grammars; one as tables or as a page.",
    "tag": "Train, run and score a tagger.",
    "test": "Whether a grammar judges a suite as expected.",
    "trees": "Convert a treebank.",
    "why-not": "What another analysis of a sentence would cost.",
}
