"""Properties compiled to automata that read the daughters of a construction from left to right.

Begin with `construction_automaton`. A `PropertyAutomaton` (one per property shape, in `property_automaton`) counts
satisfied and violated instances; `daughter_classes` sorts daughters into classes that the properties of a construction
cannot distinguish; a `ConstructionAutomaton` combines both: its states count the classes read so far. Weights come
last: a `WeightedAutomaton` gives the cost of each step under a vector. `records` has kinds and counts,
`property_acceptors` lets the properties of a construction constrain a sequence of labels. One construction reads three
daughters:

>>> import numbat
>>> from numbat.automata.construction_automaton import compile_constructions
>>> from numbat.automata.records import Kinds
>>> from numbat.automata.construction_automaton import WeightedAutomaton
>>> from numbat.evaluation.evaluator import Evaluator
>>> from numbat.evaluation.matching import build_table
>>> grammar = numbat.parse_grammar('''
... leaves: Det, Adj, N
... roots: NP
... NP:
...     Det < N  cost 2
...     N => Det  cost 3
...     oblig N
...     const {Det, Adj, N}
... ''')
>>> kinds = Kinds()
>>> (np,) = compile_constructions(Evaluator(build_table(grammar)), kinds)

For each construction a daughter has a type: its class, and its contribution to the features of the phrase. The
properties of this one distinguish Det and N; Adj is not one of their operands and has its own class.

>>> types = {name: np.classes.type_of(kinds.number((name, ()))) for name in ("N", "Adj", "Det")}
>>> {name: np.classes.parts_of(number)[0] for name, number in types.items()}
{'N': 0, 'Adj': 1, 'Det': 2}

*N Adj Det* is read from the initial state 0: each state counts the classes read. After N alone, N => Det is violated,
but a later Det repairs that; when it comes, Det < N is violated permanently.

>>> state = 0
>>> for name in ("N", "Adj", "Det"):
...     step = np.step(state, types[name])
...     violated = sum(effect.violated > 0 for effect, _ in step.effects)
...     state = step.to
...     print(name, np.state(state).counts, "violated now:", violated, "at the end:", np.counts(state).violated)
N ((0, 1),) violated now: 0 at the end: 1
Adj ((0, 1), (1, 1)) violated now: 0 at the end: 1
Det ((0, 1), (1, 1), (2, 1)) violated now: 1 at the end: 0
>>> kinds[np.phrase(state)]
('NP', ())

Under the weights and costs of the grammar (fixed-point, 1,000,000 for 1) the last step costs 2, for Det < N, and
acceptance at the end gains 2, 1 each for N => Det and oblig N.

>>> weighted = WeightedAutomaton(np, grammar.weights.weights, grammar.weights.costs)
>>> weighted.step(2, types["Det"])
WeightedStep(to=3, cost=2000000, weight=0)
>>> weighted.accept(3)
WeightedPhrase(kind=3, cost=0, weight=2000000)
"""

__all__ = ["construction_automaton", "daughter_classes", "property_acceptors", "records"]
