"""Shell patterns that never match because of an earlier one: compared with all pairs, and the work it takes."""

from __future__ import annotations

import random
from fnmatch import fnmatchcase

import pytest

from numbat.grammar import patterns
from numbat.grammar.patterns import coverings


def covers(one: str, other: str) -> bool:
    """True by the definition: the patterns are equal, or one has only stars and letters and matches the other."""
    return one == other or (not {*"?["} & {*one} and fnmatchcase(patterns.ANY_OF.sub("\0", other), one))


@pytest.mark.parametrize("signs", ["ab*", "ab**", "a*?", "ab*?[]!"])
def test_the_first_that_covers_is_that_of_all_pairs(signs: str) -> None:
    draw, found = random.Random(signs), 0
    for _ in range(150):
        drawn = ["".join(draw.choices(signs, k=draw.randint(1, 5))) for _ in range(draw.randint(1, 12))]
        first = [next((j for j in range(i) if covers(drawn[j], drawn[i])), None) for i in range(len(drawn))]
        expected = [(i, j) for i, j in enumerate(first) if j is not None]
        assert coverings(drawn).pairs == expected, drawn
        found += len(expected)
    assert found > 100


def test_work_grows_with_the_length_of_the_patterns_and_not_with_their_pairs() -> None:
    def steps(number: int) -> int:
        return coverings([f"*{chr(97 + i % 26)}{i:04}*" for i in range(number)]).steps

    assert steps(4_000) < 2.2 * steps(2_000) < 200_000


def test_patterns_with_many_stars_are_compared_up_to_a_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MAX_STEPS", 2_000)
    draw = random.Random(0)
    found = coverings(["*" + "*".join(draw.choices("ab", k=10)) + "*" for _ in range(500)])
    assert 0 < found.compared < 500
    assert found.steps < 2_000 + 500
