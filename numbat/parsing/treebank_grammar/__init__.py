"""Parsing by expansions (rules counted in a treebank): Markov grammars, a tabular search in passes, the k best trees.

Begin with `likeliest`, which parses a sentence. `expansions` has rules with their counts, and their file format;
`markov` builds a smoothed grammar from these; `search` finds the cheapest tree in passes (in C, or in `python_search`);
`items` has the records of the search, and packed forests. In this example, two noun phrases out of three have a
determiner:

>>> from numbat.parsing.treebank_grammar.expansions import parse_expansions
>>> lines = ["# numbat expansions/1", "3\\tS^TOP\\tNP^S V", "2\\tNP^S\\tDet N", "1\\tNP^S\\tN"]
>>> expansions = parse_expansions(lines, "example")

The grammar over bare labels remembers one daughter. In each state, every possible next daughter has a cost, -log P in
fixed-point units (`UNIT` stands for 1), so that a probability of 1/3 costs 1.1:

>>> from numbat.grammar.properties import UNIT
>>> from numbat.parsing.treebank_grammar.markov import MarkovGrammar
>>> from numbat.parsing.treebank_grammar.markov import BARE, START, Smoothing
>>> grammar = MarkovGrammar(expansions.coarse(), BARE, Smoothing(memory=1, types=0.0, rest=0.0))
>>> (np,) = [phrase for phrase in grammar.phrases if phrase.label == "NP"]
>>> [str(daughter) for daughter in grammar.columns["NP"]]
['Det', 'N', 'V']
>>> costs, next_states = grammar.row(grammar.states[np, (START,)])
>>> [round(cost / UNIT, 1) if cost < 10 * UNIT else None for cost in costs]
[0.4, 1.1, None]

*Det N V* is a sentence; its tree costs as much as the noun phrase, because all other expansions have probability 1:

>>> from numbat.parsing.treebank_grammar.items import ScoredWord, Stage
>>> from numbat.parsing.treebank_grammar.search import search
>>> from numbat.parsing.treebank_grammar.expansions import Symbol
>>> words = [ScoredWord(i, i + 1, grammar.number[Symbol(tag)], 0, i) for i, tag in enumerate(["Det", "N", "V"])]
>>> result = search([Stage(grammar, words)], tokens=3, unary_limit=2, fragment=100 * UNIT)
>>> [grammar.symbols[node.symbol].label for node in result.nodes], round(result.cost / UNIT, 1)
(['S', 'NP', 'Det', 'N', 'V'], 0.4)
"""

__all__ = ["expansions", "items", "likeliest", "markov", "search"]
