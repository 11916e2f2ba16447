from numbat.automata.construction_automaton import Automaton
from numbat.parsing.exact.compiled_grammar import CompiledGrammar
from numbat.parsing.exact.items import Word
from numbat.parsing.limits import Overdue

INTERFACE: int

def new_tables(
    automata: list[Automaton],
    lexicographic: bool,
    unary_limit: int,
    node_cost: int,
    fragment_cost: int,
    usual_cost: int,
) -> object: ...
def search(
    tables: object,
    machine: CompiledGrammar,
    tokens: int,
    words: list[Word],
    views: bytes,
    has_limit: bool,
    limit: int,
    everything: bool,
    most: int,
    most_states: int,
    overdue: Overdue,
    patience: int,
    whole: bool,
) -> tuple[int, bytes, bytes, bytes, bytes, bytes, bytes, int, bool, bool, bool, bool, int]: ...
