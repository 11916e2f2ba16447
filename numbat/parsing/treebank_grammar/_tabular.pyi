from numbat.parsing.treebank_grammar.tabular import CompiledStage, GrammarTables, Kept, Node

INTERFACE: int

def new_grammar(tables: GrammarTables, /) -> object: ...
def search(
    stages: list[CompiledStage], tokens: int, unary_limit: int, fragment: int, slack: int, /
) -> tuple[int, bool, list[Node], int, list[Kept]]:
    """The fields of `tabular.Found`."""
