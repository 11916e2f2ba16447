from collections.abc import Callable

def new_grammar(
    symbols: int, labels: int, states: int, row: Callable[[int], tuple[bytes, bytes]], tables: tuple[bytes, ...]
) -> object: ...
def search(
    stages: list[tuple[object, list[tuple[int, int, int, int, int]], int]],
    tokens: int,
    unary_limit: int,
    fragment: int,
    slack: int,
) -> tuple[int, bool, list[tuple[int, int, int]], int, list[tuple[int, int, int, int, int]]]: ...
