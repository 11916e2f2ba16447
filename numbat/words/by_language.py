"""Conventions of languages: abbreviations, ordinal numbers, capitals, hyphens at line ends.

`language_of` finds a language by the code that a grammar declares, `language: de`. A word of the lexicon with its full
stop (`Mr.`) is an abbreviation in any language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from numbat.records import frozen


@frozen
class Conventions:
    """Conventions of a language. Abbreviations lack their last full stop; a capital must be typed (`Rep.`).

    `before_words` are abbreviations after which no sentence ends (`Dr.`), `before_numbers` those that are abbreviations
    only before a number (`No. 5`), `anywhere` those that may also end a sentence (`Inc.`, `etc.`). `has_ordinals`: an
    ordinal number has a full stop (`3. Mai`). `is_dotted`: i and ı have a capital each. `drops_accents`: capitals may
    lack their accents (`ETE`, `Etat`). `conjunctions` are words after a hyphen that stands for a part of the next word
    (`Nord- und Südseite`).
    """

    before_words: frozenset[str] = frozenset()
    before_numbers: frozenset[str] = frozenset()
    anywhere: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    has_ordinals: bool = False
    is_dotted: bool = False
    drops_accents: bool = False

    def abbreviates(self, word: str, following: str) -> bool:
        """True if a word is an abbreviation when it has a full stop and `following` is the next letter or digit."""
        return _is_in(word, self.before_words) or _is_in(word, self.anywhere) or self.counts(word, following)

    def goes_on(self, word: str, following: str) -> bool:
        """True if a sentence goes on after a word with a full stop, when `following` is the next character."""
        is_small = following.islower() or following.isdigit() or following in {*",;:)"}
        may_end = _is_in(word, self.anywhere) and not is_small
        return not may_end and self.abbreviates(word, following)

    def counts(self, word: str, following: str) -> bool:
        """True for an abbreviation that belongs to the number after it."""
        return following.isdigit() and _is_in(word, self.before_numbers)


def _is_in(word: str, abbreviations: frozenset[str]) -> bool:
    return any(case in abbreviations for case in (word, word.lower(), word.title()[: len(word) * word.isupper()]))


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MONTHS: Final = "jan feb mar apr jun jul aug sep sept oct nov dec"
LANGUAGES: Final[Mapping[str, Conventions]] = {
    "en": Conventions(
        _set(
            "mr mrs ms messrs dr Prof Rev Hon Gen Col Maj Capt Cpt Lt Sgt Cmdr Adm Gov Sen Rep Pres Supt Insp Mt Ft"
            " cf viz vs e.g i.e resp approx esp incl excl transl"
        ),
        _set(
            f"no nos fig figs p pp vol vols ch chap chaps sec sect eq eqs ex exs art arts par para tab app n nn ca c"
            f" ver v vv line ll ref pt {_MONTHS}"
        ),
        _set(
            f"fig figs inc ibid seq ltd co corp bros llc plc etc al jr sr dept univ assn est ave blvd st sq rd"
            f" {_MONTHS.replace('mar ', '')} mon tue tues wed thu thur thurs fri a.m p.m u.s u.k u.n ph.d m.a b.a d.c"
        ),
        _set("and or nor but to"),
    ),
    "fr": Conventions(
        _set("M MM mme mmes mlle mlles Me Mgr dr Pr Prof St Ste cf vs env p.ex c.-à-d c.à.d resp éd éds trad réf"),
        _set("p pp fig figs vol chap art n no nos tab t ex éq janv févr juil sept oct nov déc av tél"),
        _set("etc al ibid op cit av apr inc cie ltée s.a janv févr juil sept oct déc"),
        _set("et ou ni mais"),
        drops_accents=True,
    ),
    "de": Conventions(
        _set(
            "dr prof hr fr frl dipl ing Mag med phil jur st vgl bzw ca z.b d.h u.a z u.u o.ä i.d.r v.a m.e z.t evtl ggf"
            " sog insb insbes bspw inkl exkl zzgl abzgl geb gest gegr ehem einschl entspr hrsg sen jun"
        ),
        _set("nr nrn abb s tab bd bde kap abs art ziff anm bsp seite jan feb mär apr aug sept okt nov dez tel par"),
        _set("abb usw etc u.s.w u.v.m uvm usf al jh n.chr v.chr chr str inc co jan feb apr aug sept okt nov dez"),
        _set("und oder bzw sowie als bis noch wie"),
        has_ordinals=True,
    ),
    "es": Conventions(
        _set(
            "sr sra sres sras srta dr dra dres D dña Prof Profa Lic Ing Gral Cap ud uds vd vds cf cfr vid p.ej ej"
            " aprox núm núms excmo excma st sto sta Mons Arq"
        ),
        _set("pág págs p pp fig figs vol cap art núm n nº ed tel ene feb mar abr jun jul ago sept oct nov dic"),
        _set("etc al ee.uu s.a a.c d.c cía ltda inc ibid ene feb abr ago sept oct nov dic"),
        _set("y e o u ni"),
        drops_accents=True,
    ),
    "it": Conventions(
        _set(
            "sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa ing avv arch geom On Sen Gen Col Mons"
            " s.ta cfr cf p.es es vd ecc.mo ca spett gent egr rag"
        ),
        _set(
            "pag pagg p pp fig figg vol voll cap capp art artt n nn nr sez tab tel gen feb mar apr mag giu lug ago"
            " set sett ott nov dic"
        ),
        _set("ecc etc al s.p.a s.r.l a.c d.c ibid gen feb apr giu lug ago sett ott nov dic"),
        _set("e ed o od né"),
        drops_accents=True,
    ),
    "nl": Conventions(
        _set(
            "dhr mevr mw mej dr drs ir ing mr prof ds st vgl bijv bv ca d.w.z dwz d.i o.a oa m.n mn nl i.p.v i.v.m"
            " m.b.t t.o.v t.a.v n.a.v o.m resp incl excl evt zgn z.g zg Gen Kol kapt Red vert geb cf"
        ),
        _set("nr nrs blz p pp pag afb fig hfst art par tab dl vol jan feb mrt apr jun jul aug sept okt nov dec tel"),
        _set("afb enz etc e.d e.a al n.v b.v n.chr v.chr inc jan feb apr aug sept okt nov dec"),
        _set("en of noch maar"),
    ),
    "pt": Conventions(
        _set("sr sra srs dr dra Profa Prof Eng exmo exma D p.ex cf st sto sta"),
        _set("p pp pág págs fig vol cap art n nº núm tel"),
        _set("etc al s.a ltda cia a.c d.c"),
        _set("e ou nem"),
        drops_accents=True,
    ),
    **{code: Conventions(is_dotted=True) for code in ("tr", "az")},
    **dict.fromkeys(_set("cs da et fi hr hu nb nn no sk sl sr"), Conventions(has_ordinals=True)),
    "el": Conventions(drops_accents=True),
}
"""The languages with their own conventions, by their codes in ISO 639-1."""
_LONG_CODES: Final = {
    long: short
    for short, codes in {
        "en": "eng",
        "fr": "fra fre",
        "de": "deu ger",
        "es": "spa",
        "it": "ita",
        "nl": "nld dut",
        "pt": "por",
        "tr": "tur",
        "az": "aze",
        "cs": "ces cze",
        "da": "dan",
        "et": "est",
        "fi": "fin",
        "hr": "hrv",
        "hu": "hun",
        "nb": "nob",
        "nn": "nno",
        "no": "nor",
        "sk": "slk slo",
        "sl": "slv",
        "sr": "srp",
        "el": "ell gre",
    }.items()
    for long in codes.split()
}
_OTHER: Final = Conventions()


def language_of(code: str) -> Conventions:
    """Return the conventions of a language, given by its code (`de`, `deu`, `de-AT`); none for an unknown one."""
    first = re.split("[-_]", code.lower())[0]
    return LANGUAGES.get(_LONG_CODES.get(first, first), _OTHER)
