"""`frozen` against the standard library's `dataclass(frozen=True, slots=True)`, whose twin each record here has."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any

import pytest

from numbat.records import frozen, pattern


@frozen
class Point:
    """A record with defaults of each kind."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)
    weights: dict[str, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Twin:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)
    weights: dict[str, int] = field(default_factory=dict, hash=False)


@frozen
class Place(Point):
    """A record with one more field than its base, and other methods."""

    z: int = 0

    def __post_init__(self) -> None:
        if self.z < 0:
            raise ValueError("below the ground")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.z == other.z

    def __hash__(self) -> int:
        return self.z

    def __repr__(self) -> str:
        return "<Place>"


@frozen
class Nothing:
    """A record without fields."""


GIVEN: list[dict[str, Any]] = [{"x": 1}, {"x": 1, "y": 3}, {"x": 1, "names": ["a"]}, {"x": 1, "note": "b"}]


@pytest.mark.parametrize("one", GIVEN)
@pytest.mark.parametrize("other", GIVEN)
def test_equality_is_that_of_a_dataclass(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (Point(**one) == Point(**other)) is (Twin(**one) == Twin(**other))


@pytest.mark.parametrize("given", GIVEN)
def test_what_a_record_shows_and_holds_is_that_of_a_dataclass(given: dict[str, Any]) -> None:
    made, twin = Point(**given), Twin(**given)
    assert repr(made) == repr(twin).replace("Twin", "Point")
    assert asdict(made) == asdict(twin)
    assert [each.name for each in fields(Point)] == [each.name for each in fields(Twin)]
    assert Point.__match_args__ == Twin.__match_args__
    assert not hasattr(made, "__dict__")


def test_hashes_are_those_of_a_dataclass() -> None:
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(Point(1))
    one, other = (replace(Point(1), names=("a",), note=note, weights={note: 1}) for note in "bc")  # type: ignore[arg-type]
    assert hash(one) == hash(other) == hash((1, 2, ("a",)))
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(())
    assert Point(1).__eq__(Twin(1)) is NotImplemented


def test_nothing_is_set_or_deleted() -> None:
    made = Point(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        made.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del made.x
    assert made.x == 1


def test_wrong_arguments_are_told_with_the_name_of_the_record() -> None:
    for _ in range(2):  # at the first call, and when the method is compiled
        with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required positional argument: 'x'"):
            Point()  # type: ignore[call-arg]


def test_each_record_has_a_list_of_its_own() -> None:
    one, other = Point(1), Point(1)
    one.names.append("a")
    assert other.names == []


def test_records_are_copied_and_sent() -> None:
    made = Place(1, names=["a"], z=4)
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made), replace(made)):
        assert (type(again), asdict(again)) == (Place, asdict(made))


def test_methods_of_a_record_stay() -> None:
    assert Place(1, z=3) == Place(2, z=3)
    assert (hash(Place(1, z=3)), repr(Place(1))) == (3, "<Place>")
    with pytest.raises(ValueError, match="below the ground"):
        Place(1, z=-1)
    match Place(1, 5):
        case Place(x, y):
            assert (x, y) == (1, 5)


def test_a_method_is_compiled_once() -> None:
    assert Nothing() is not None
    assert Nothing.__init__ is Nothing.__init__
    assert Nothing.__init__.__qualname__ == "Nothing.__init__"


def test_a_pattern_is_compiled_when_used() -> None:
    wrong, word = pattern("("), pattern("(?P<first>[a-z])[a-z]*", re.IGNORECASE)
    with pytest.raises(re.error, match="unterminated subpattern"):
        wrong.match("")
    match = word.search("12 Cats")
    assert match is not None
    assert (match["first"], match[0]) == ("C", "Cats")
    assert (word.pattern, word.sub("", "a1 b2"), word.groups) == ("(?P<first>[a-z])[a-z]*", "1 2", 1)
