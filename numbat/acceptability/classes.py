"""What an exercise says of the grammars of a class: who solved what, and which mistakes are the commonest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from numbat.acceptability.exercises import Exercise
from numbat.acceptability.mistakes import Mistake
from numbat.acceptability.verdicts import TestedItem
from numbat.errors import Problem
from numbat.records import frozen


@frozen
class Marked:
    """A student's grammar as the exercise marks it; no `tested` items where it has `problems` or cannot be judged."""

    name: str
    path: str
    tested: tuple[TestedItem, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    problems: tuple[Problem, ...] = ()
    why: str = ""

    def right(self, lines: Sequence[int]) -> int:
        """Return how many sentences of some lines are judged right."""
        wanted = set(lines)
        return sum(each.outcome.verdict == "pass" and each.scored.item.line in wanted for each in self.tested)


@frozen
class Class:
    """All students' grammars of a folder, judged by one exercise."""

    exercise: Exercise
    students: tuple[Marked, ...]

    @property
    def steps(self) -> list[tuple[str, list[int]]]:
        """Return the title of each step with the lines of its sentences."""
        return [(step.title, [line for line, _ in step.sentences]) for step in self.exercise.steps]

    def commonest(self) -> list[tuple[Mistake, list[str]]]:
        """Return each mistake, as one of those who make it does, with the names of all who do, the commonest first.

        Two are the same where the same sentence is judged wrongly in the same way.
        """
        who: dict[tuple[str, str], list[str]] = {}
        says: dict[tuple[str, str], list[Mistake]] = {}
        for student in self.students:
            for each in student.mistakes:
                key = (f"{each.item.star}{each.item.sentence}", each.kind)
                if student.name not in who.setdefault(key, []):
                    who[key].append(student.name)
                says.setdefault(key, []).append(each)
        ranked = sorted(who, key=lambda key: -len(who[key]))
        return [(_usual(says[key]), who[key]) for key in ranked]


def _usual(mistakes: Sequence[Mistake]) -> Mistake:
    often = Counter(each.says for each in mistakes).most_common(1)[0][0]
    return next(each for each in mistakes if each.says == often)
