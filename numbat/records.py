"""Immutable records, patterns, and a small cache.

`frozen` is like `dataclass(frozen=True, slots=True)`, but compiles methods on their first call: a run declares many
records and calls few of their methods, and compiling them all took a fifth of a short run.
"""

from __future__ import annotations

import functools
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, Final, Generic, NoReturn, Self, TypeVar, cast, dataclass_transform, overload

Record = TypeVar("Record")
Value = TypeVar("Value")
Method = Callable[..., Any]


class cached_property(functools.cached_property[Value]):  # noqa: N801
    """A cached property without the lock of `functools` before Python 3.12.

    That lock is shared by all instances, so a forked process could wait for it forever. Threads may compute the value
    several times at once, but all get the one stored first.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | Value:
        if instance is None:
            return self
        kept: Value = vars(instance).setdefault(self.attrname or "", self.func(instance))
        return kept


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[Record]) -> type[Record]:
    """Return the class with slots, and with the methods of a frozen dataclass that its body does not define."""
    defined = {name for name, value in vars(cls).items() if value is not None}  # `__eq__` alone sets `__hash__` to None
    made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    for name, method in _SHARED.items():
        if name not in defined:
            setattr(made, name, method)
    for name, compiled in _COMPILED.items():
        if name not in defined:
            setattr(made, name, _compiled_when_called(made, name, compiled))
    return made


def _compiled_when_called(cls: type, name: str, compiled: Callable[[type], Method]) -> Method:
    """Return a method that replaces itself in its class by the compiled one."""

    def caller(self: object, *arguments: Any, **named: Any) -> Any:
        method = compiled(cls)
        method.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
        return method(self, *arguments, **named)

    return caller


def _init(cls: Any) -> Method:
    """Return `__init__`, which sets fields by their slots because `__setattr__` refuses."""
    scope: dict[str, Any] = {"_MISSING": MISSING}
    parameters, lines = ["self"], ["pass"]
    for item in fields(cls):
        name, value = item.name, item.name
        scope[f"_set_{name}"] = getattr(cls, name).__set__
        if item.default_factory is not MISSING:
            scope[f"_make_{name}"] = item.default_factory
            parameters.append(f"{name}=_MISSING")
            value = f"_make_{name}() if {name} is _MISSING else {name}"
        elif item.default is not MISSING:
            scope[f"_default_{name}"] = item.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f"_set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    return _function("__init__", ", ".join(parameters), "; ".join(lines), scope)


def _eq(cls: Any) -> Method:
    names = [item.name for item in fields(cls) if item.compare]
    equal = f"{_values('self', names)} == {_values('other', names)}"
    return _function(
        "__eq__", "self, other", f"return {equal} if other.__class__ is self.__class__ else NotImplemented"
    )


def _hash(cls: Any) -> Method:
    names = [item.name for item in fields(cls) if (item.compare if item.hash is None else item.hash)]
    return _function("__hash__", "self", f"return hash({_values('self', names)})")


def _values(of: str, names: Iterable[str]) -> str:
    return f"({''.join(f'{of}.{name}, ' for name in names)})"


def _function(name: str, parameters: str, body: str, scope: dict[str, Any] | None = None) -> Method:
    scope = {} if scope is None else scope
    exec(f"def {name}({parameters}): {body}", scope)
    function: Method = scope[name]
    return function


def _repr(self: Any) -> str:
    shown = (f"{item.name}={getattr(self, item.name)!r}" for item in fields(self) if item.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, item.name) for item in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for item, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, item.name, value)


_SHARED: Final[dict[str, Method]] = {
    "__repr__": _repr,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}
_COMPILED: Final = {"__init__": _init, "__eq__": _eq, "__hash__": _hash}


# Patterns


class _Pattern:
    """A regular expression that is compiled when it is first used: a start would compile a hundred and use few."""

    def __init__(self, text: str, flags: int) -> None:
        self._stated = text, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._stated)
        vars(self).update((method, getattr(compiled, method)) for method in dir(compiled) if method[0] != "_")
        return getattr(compiled, name)


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled when it is first used."""
    return cast("re.Pattern[str]", _Pattern(text, flags))


# A cache


class Recent(Generic[Value]):
    """A cache of the `most` values that were used last."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: OrderedDict[Hashable, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self.values)

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key, None if it is not kept."""
        if key not in self.values:
            return None
        self.values.move_to_end(key)
        return self.values[key]

    def put(self, key: Hashable, value: Value) -> Value:
        """Keep a value; if there are too many, drop the least recently used one."""
        self.values[key] = value
        self.values.move_to_end(key)
        if len(self.values) > self.most:
            self.values.popitem(last=False)
        return value

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; make it if it is not kept."""
        value = self.get(key)
        return self.put(key, make()) if value is None else value
