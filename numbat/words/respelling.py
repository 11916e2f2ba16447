"""Finds words of the lexicon that are typed in other case or letters: `STRASSE` and `Strasse` for `Straße`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final
from unicodedata import category, normalize

from numbat.records import cached_property
from numbat.words.by_language import Conventions

_BARE_CAPITALS: Final = frozenset("AEIOUCΑΕΗΙΟΥΩ")
"""Capitals that may lack an accent."""


class Respelling:
    """The forms of a lexicon in other spellings, by the conventions of a language."""

    def __init__(self, forms: Collection[str], language: Conventions) -> None:
        self._forms, self._language = forms, language

    def lower(self, form: str) -> str:
        """Return a form in lower case: Turkish and Azeri have i and ı."""
        if self._language.is_dotted:
            form = form.replace("İ", "i").replace("I", "ı")
        return form.lower()

    def plain(self, form: str) -> str:
        """Return `HAUS` as `Haus`, as lexicons have German nouns and names; a form not all in capitals is unchanged."""
        if form.isupper() and self._language.is_dotted:
            return form[:1] + self.lower(form[1:])
        return form.title() if form.isupper() else form

    def others(self, form: str) -> Sequence[str]:
        """Return the forms with the same letters as a form in capitals, or with ß for its ss or the reverse.

        `STRASSE` is `Straße` and `MCDONALD` is `McDonald`. In languages whose capitals may lack their accents, `ETE` is
        `été` and `Etat` is `État`.
        """
        if form.isupper() and len(form) > 1:
            return self._capitals.get(self._folded(form), ())
        if "ß" in form or "ss" in form:
            cases = form, self.lower(form)
            with_ss = [case.replace("ß", "ss") for case in cases if "ß" in case]
            known = [case for case in with_ss if case in self._forms]
            return known or self._with_sharp_s.get(cases[0]) or self._with_sharp_s.get(cases[1], ())
        if self._language.drops_accents and form[:1] in _BARE_CAPITALS:
            return [other for other in self._capitals.get(self._folded(form), ()) if other[1:] == form[1:]]
        return ()

    def _folded(self, form: str) -> str:
        folded = self.lower(form).casefold()
        if self._language.drops_accents and not folded.isascii():
            folded = "".join(char for char in normalize("NFD", folded) if category(char) != "Mn")
        return folded

    @cached_property
    def _capitals(self) -> Mapping[str, Sequence[str]]:
        """The forms that may be found only in other case, by their folded letters."""
        doubtful = (form for form in self._forms if not (form.isascii() and form.islower()))
        return _by_key((folded, form) for form in doubtful if (folded := self._folded(form)) != form)

    @cached_property
    def _with_sharp_s(self) -> Mapping[str, Sequence[str]]:
        """The forms with ß, by the same with ss."""
        return _by_key((form.replace("ß", "ss"), form) for form in self._forms if "ß" in form)


def _by_key(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_key: dict[str, list[str]] = defaultdict(list)
    for key, form in pairs:
        by_key[key].append(form)
    return dict(by_key)
