from numbat.automata.construction_automaton import ConstructionAutomaton, WeightedAutomaton
from numbat.automata.property_automaton import PropertyAutomata
from numbat.parsing.exact.chart import Request, SearchAnswer
from numbat.parsing.exact.choice import ChoiceRequest
from numbat.parsing.exact.compiled_grammar import CompiledGrammar

INTERFACE: int

def new_tables(
    shapes: PropertyAutomata | None, automata: tuple[ConstructionAutomaton, ...], is_top: bytes
) -> object: ...
def new_values(
    tables: object,
    automata: tuple[WeightedAutomaton, ...],
    lexicographic: bool,
    unary_limit: int,
    node_cost: int,
    fragment_cost: int,
    usual_cost: int,
) -> object: ...
def search(
    values: object, compiled: CompiledGrammar, request: Request
) -> tuple[int, bytes, bytes, bytes, bytes, bytes, bytes, int, bool, bool, bool, bool, int]: ...
def choose(answer: SearchAnswer, request: ChoiceRequest) -> bytes | None: ...
