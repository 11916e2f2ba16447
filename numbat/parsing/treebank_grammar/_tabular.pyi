from numbat.parsing.treebank_grammar.items import Viable
from numbat.parsing.treebank_grammar.search import CompiledTask, GrammarTables

INTERFACE: int

def new_grammar(tables: GrammarTables, /) -> object: ...
def forest(task: tuple[object, ...], /) -> tuple[bytes, ...]: ...
def search(task: CompiledTask, /) -> tuple[int, bool, list[tuple[int, int, int]], int, Viable, int]:
    """The fields of `search.CompiledResult`."""
