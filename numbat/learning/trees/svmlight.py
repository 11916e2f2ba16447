"""Features of trees as text in the form of SVMlight's ranking problems (Joachims 2002).

A sentence is a query, its lines are trees: the right one with target 1, and its rival with target 0, which is the tree
that is likeliest with its loss added. A feature is `number:value`, numbers rising from 1; the last of all is the
logarithm of the likelihood.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numbat.learning.trees.training import TreeExamples


def svmlight_lines(examples: TreeExamples) -> Iterator[str]:
    """The lines of a file. A rival that is the right tree is left out."""
    import numpy as np

    size = examples.size
    yield f"# features 1 to {len(examples.start.names)} have names, those to {size} are hashed\n"
    for number, name in enumerate(examples.start.names, start=1):
        yield f"# {number} {name}\n"
    yield f"# {size + 1} the logarithm of the likelihood\n"
    nothing = np.zeros(size, np.float32)
    for number, example in enumerate(examples.examples):
        rival = examples.rival(number, nothing)
        yield _line(examples, number, example.right, 1)
        if rival != example.right:
            yield _line(examples, number, rival, 0)


def _line(examples: TreeExamples, number: int, edges: Sequence[int], target: int) -> str:
    ids, values = examples.features(number, edges)
    example = examples.examples[number]
    pairs = [f"{place + 1}:{value:g}" for place, value in zip(ids.tolist(), values.tolist(), strict=True)]
    pairs.append(f"{examples.size + 1}:{-example.cost(edges):.6f}")
    return f"{target} qid:{number + 1} {' '.join(pairs)} # loss {example.loss(edges):g}\n"
