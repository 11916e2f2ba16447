"""Exclusion of participants and trials by stated rules, with the reason for each.

The rules of a study are written in a YAML file, as preregistered; a short form states one. Each rule applies to what
the rules before it leave; z-scores are then computed anew over the remaining trials.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from statistics import fmean, median, stdev
from typing import Any, Final, Literal

from numbat.errors import UsageError, close_match, counted, data_error
from numbat.experiments.trials import Omission, Trial, Trials, cell_of, with_z_scores
from numbat.files import text_of
from numbat.grammar.yaml_format import Nodes, compose
from numbat.records import frozen

Kind = Literal["participants", "trials"]
DEFAULTS: Final[Mapping[str, tuple[Kind, float]]] = {
    "catch": ("participants", 1.0),
    "one-button": ("participants", 1.0),
    "too-fast": ("participants", 0.5),
    "too-few": ("participants", 0.5),
    "far-mean": ("participants", 2.5),
    "who": ("participants", 0.0),
    "fast-trial": ("trials", 0.0),
    "slow-trial": ("trials", 0.0),
    "outlier": ("trials", 3.0),
    "slow-outlier": ("trials", 3.0),
}
"""The rules: what each leaves out, and its default limit."""
MEANINGS: Final = {
    "catch": "less than this share of catch trials answered as expected (needs the column or value to expect)",
    "one-button": "at least this share of the ratings are equal",
    "too-fast": "more than this share of trials faster than `under` milliseconds",
    "too-few": "fewer trials than this share of the median",
    "far-mean": "mean rating this many standard deviations from the mean of the participants",
    "who": "participants with a value in a column",
    "fast-trial": "trials faster than this many milliseconds",
    "slow-trial": "trials slower than this many milliseconds",
    "outlier": "ratings this many standard deviations from the mean of their participant",
    "slow-outlier": "times this many standard deviations above the mean of their participant",
}


@frozen
class ExclusionRule:
    """A rule of exclusion, by name. `limit` is a share, a number of standard deviations or milliseconds.

    `where` selects the trials that the rule looks at: for each column, the accepted values. `under` is the time in
    milliseconds for `too-fast`. For `catch`, `expected` is the right answer or the column that has it, and `within` the
    tolerated difference. `name` is the name of the rule in the table of exclusions.
    """

    rule: str
    limit: float
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    under: float = 0.0
    expected: str = ""
    within: float = 0.0
    name: str = ""

    @property
    def kind(self) -> Kind:
        """The kind of exclusions that the rule makes: participants or trials."""
        return DEFAULTS[self.rule][0]

    def __str__(self) -> str:
        return self.name or self.rule


@frozen
class Exclusion:
    """A participant, or one of their trials, that a rule leaves out, and why. `trials` is the number of trials lost."""

    rule: str
    participant: str
    trials: int
    why: str
    path: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.why}" if self.line else f"{self.participant}: {self.why}"


def exclude(trials: Trials, rules: Sequence[ExclusionRule]) -> tuple[Trials, list[Exclusion]]:
    """Return the remaining trials, with new z-scores, and what each rule left out, in order.

    Raises UsageError for a rule that does not fit these trials: they have no times, catch trials, or named column.
    """
    excluded: list[Exclusion] = []
    for rule in rules:
        looked_at = _looked_at(trials, rule)
        exclusions = list(RULES[rule.rule](trials, rule, looked_at))
        gone = {exclusion.participant for exclusion in exclusions} if rule.kind == "participants" else set()
        lost = {(exclusion.path, exclusion.line) for exclusion in exclusions if exclusion.line}
        kept = [t for t in trials.trials if t.participant not in gone and (t.path, t.line) not in lost]
        trials = replace(trials, trials=tuple(kept))
        excluded += exclusions
    if not trials.trials:
        raise UsageError(
            f"{trials.paths[0]}: the rules leave no trial\n  look at their limits: {', '.join(map(str, rules))}"
        )
    given = trials.z_given
    trials = replace(
        trials,
        left_out=(*trials.left_out, *(Omission(e.path, e.line, e.participant, f"{e.rule}: {e.why}") for e in excluded)),
    )
    return (trials if given else with_z_scores(trials)) if excluded else trials, excluded


def _looked_at(trials: Trials, rule: ExclusionRule) -> list[Trial]:
    """Return the trials that a rule looks at. Raises UsageError if there are none, or if a column is missing."""
    tests: list[tuple[Callable[[Trial], str], tuple[str, ...]]] = []
    for name, values in rule.where.items():
        tests.append((_column(trials, name, rule), values))
    selected = [trial for trial in trials.trials if all(value(trial) in values for value, values in tests)]
    if not selected and rule.rule != "who":
        by = ", ".join(f"{name}: {' or '.join(values)}" for name, values in rule.where.items())
        known = {name: sorted({_column(trials, name, rule)(t) for t in trials.trials})[:8] for name in rule.where}
        raise UsageError(f"rule {rule}: no trial with {by}\n  there are: {known}")
    return selected


def _column(trials: Trials, name: str, rule: ExclusionRule) -> Callable[[Trial], str]:
    known = ("participant", "item", "condition", "label", "sentence", "rating", "z", "time", *trials.columns)
    if name not in known:
        hint = close_match(name, known) or f"the columns are: {', '.join(known)}"
        raise UsageError(f'rule {rule}: no column "{name}"\n  {hint}')
    return trials.column(name)


# The rules


def _of_participants(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    by_participant: dict[str, list[Trial]] = {}
    for trial in trials:
        by_participant.setdefault(trial.participant, []).append(trial)
    return by_participant


def _catch(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    if not rule.where and not rule.expected:
        hint = "say which trials they are: where: {label: catch}, expected: 1, within: 2"
        raise UsageError(f"rule {rule}: it does not say which trials are catch trials\n  {hint}")
    expected = _expected(trials, rule)
    for who, answers in _of_participants(looked_at).items():
        asked = [trial for trial in answers if expected(trial) is not None]
        right = sum(_is_as_expected(trial, expected(trial), rule.within) for trial in asked)
        if asked and right / len(asked) < rule.limit:
            why = f"{right} of {len(asked)} catch trials as expected, less than {rule.limit:.0%}"
            yield _all_of(trials, rule, who, why)


def _expected(trials: Trials, rule: ExclusionRule) -> Callable[[Trial], str | None]:
    """Return a function from a trial to its expected answer, or None for a trial without one."""
    if rule.expected and rule.expected not in trials.columns:
        if _number(rule.expected) is None:
            _column(trials, rule.expected, rule)
        return lambda trial: rule.expected
    name = rule.expected or "correct"
    value = _column(trials, name, rule)
    if not rule.expected:
        return lambda trial: None if value(trial) == "" else ("" if value(trial) == "0" else cell_of(trial.rating))
    return lambda trial: value(trial) or None


def _is_as_expected(trial: Trial, expected: str | None, within: float) -> bool:
    number = _number(expected or "")
    return number is not None and abs(trial.rating - number) <= within


def _one_button(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    for who, answers in _of_participants(looked_at).items():
        rating, number = Counter(trial.rating for trial in answers).most_common(1)[0]
        if len(answers) > 1 and number / len(answers) >= rule.limit:
            yield _all_of(trials, rule, who, f"{number} of {len(answers)} ratings are {rating:g}")


def _too_fast(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    if not rule.under:
        raise UsageError(
            f"rule {rule}: it needs a time\n  write under: 500 (milliseconds) in the file of rules, or too-fast=500"
        )
    _check_times(looked_at, rule)
    for who, answers in _of_participants(looked_at).items():
        timed = [trial for trial in answers if trial.time is not None]
        fast = sum(trial.time < rule.under for trial in timed if trial.time is not None)
        if timed and fast / len(timed) > rule.limit:
            yield _all_of(trials, rule, who, f"{fast} of {len(timed)} trials under {rule.under:g} ms")


def _too_few(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    numbers = {who: len(answers) for who, answers in _of_participants(looked_at).items()}
    usual = median(numbers.values())
    for who in trials.participants:
        if numbers.get(who, 0) < rule.limit * usual:
            yield _all_of(trials, rule, who, f"{numbers.get(who, 0)} trials, where most have {usual:g}")


def _far_mean(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    means = {who: fmean(trial.rating for trial in answers) for who, answers in _of_participants(looked_at).items()}
    if len(means) < 3 or not (spread := stdev(means.values())):
        return
    middle = fmean(means.values())
    for who, mean in means.items():
        if abs(mean - middle) > rule.limit * spread:
            away = (mean - middle) / spread
            yield _all_of(
                trials, rule, who, f"mean rating {mean:.3g}, {away:+.2f} standard deviations from the others'"
            )


def _who(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    if not rule.where:
        raise UsageError(f"rule {rule}: no participants are named\n  name them by a column: where: {{native: no}}")
    by = ", ".join(f"{name} is {' or '.join(values)}" for name, values in rule.where.items())
    for who in dict.fromkeys(trial.participant for trial in looked_at):
        yield _all_of(trials, rule, who, by)


def _fast_trial(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    yield from _by_time(looked_at, rule, lambda time: time < rule.limit, f"under {rule.limit:g} ms")


def _slow_trial(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    yield from _by_time(looked_at, rule, lambda time: time > rule.limit, f"over {rule.limit:g} ms")


def _by_time(
    looked_at: Sequence[Trial], rule: ExclusionRule, is_out: Callable[[float], bool], why: str
) -> Iterator[Exclusion]:
    if not rule.limit:
        raise UsageError(
            f"rule {rule}: it needs a time\n  write limit: 300 (milliseconds) in the file of rules, or {rule.rule}=300"
        )
    _check_times(looked_at, rule)
    for trial in looked_at:
        if trial.time is not None and is_out(trial.time):
            yield _one(trial, rule, f"{trial.time:g} ms, {why}")


def _outlier(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    yield from _far(looked_at, rule, lambda trial: trial.rating, both=True)


def _slow_outlier(trials: Trials, rule: ExclusionRule, looked_at: Sequence[Trial]) -> Iterator[Exclusion]:
    _check_times(looked_at, rule)
    yield from _far(looked_at, rule, lambda trial: trial.time, both=False)


def _far(
    looked_at: Sequence[Trial], rule: ExclusionRule, measured: Callable[[Trial], float | None], both: bool
) -> Iterator[Exclusion]:
    """Yield the trials far above the mean of their participant or, with `both`, far from it on either side."""
    for participant in _of_participants(looked_at).values():
        values = [value for trial in participant if (value := measured(trial)) is not None]
        spread = stdev(values) if len(values) > 2 else 0.0
        if not spread:
            continue
        middle = fmean(values)
        for trial in participant:
            value = measured(trial)
            away = 0.0 if value is None else (value - middle) / spread
            if (abs(away) if both else away) > rule.limit:
                yield _one(
                    trial, rule, f"{value:g}, {away:+.2f} standard deviations from the mean of {trial.participant}"
                )


RULES: Final[Mapping[str, Callable[[Trials, ExclusionRule, Sequence[Trial]], Iterator[Exclusion]]]] = {
    "catch": _catch,
    "one-button": _one_button,
    "too-fast": _too_fast,
    "too-few": _too_few,
    "far-mean": _far_mean,
    "who": _who,
    "fast-trial": _fast_trial,
    "slow-trial": _slow_trial,
    "outlier": _outlier,
    "slow-outlier": _slow_outlier,
}


def _all_of(trials: Trials, rule: ExclusionRule, who: str, why: str) -> Exclusion:
    return Exclusion(str(rule), who, sum(trial.participant == who for trial in trials.trials), why)


def _one(trial: Trial, rule: ExclusionRule, why: str) -> Exclusion:
    return Exclusion(str(rule), trial.participant, 1, why, trial.path, trial.line)


def _check_times(looked_at: Sequence[Trial], rule: ExclusionRule) -> None:
    if all(trial.time is None for trial in looked_at):
        raise UsageError(
            f"rule {rule}: these results have no response times\n"
            "  leave the rule out, or name their column: --columns time=NAME"
        )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


# Rules as written

SHORT: Final = re.compile(r"([a-z-]+)(?:=([0-9.]+))?")
KEYS: Final = ("rule", "name", "limit", "where", "under", "expected", "within")


def read_rules(texts: Sequence[str]) -> list[ExclusionRule]:
    """Return the rules in YAML files, and those given in short forms such as `one-button` and `too-fast=500`.

    Raises MissingFileError, UsageError, and DataError with every mistake of a file.
    """
    rules: list[ExclusionRule] = []
    for text in texts:
        if text.endswith((".yaml", ".yml")):
            rules += _rules_of_file(text)
        else:
            rules.append(_short_rule(text))
    return rules


def _short_rule(text: str) -> ExclusionRule:
    match = SHORT.fullmatch(text)
    if match is None or match[1] not in DEFAULTS:
        hint = close_match(match[1] if match else text, DEFAULTS) or f"the rules are: {', '.join(DEFAULTS)}"
        raise UsageError(f'--exclude: "{text}" is not a rule\n  {hint}; or give a file of rules: rules.yaml')
    rule, default = match[1], DEFAULTS[match[1]][1]
    number = None if match[2] is None else _number(match[2])
    if rule == "too-fast":
        return ExclusionRule(rule, default, under=number or 0.0)
    return ExclusionRule(rule, default if number is None else number)


def _rules_of_file(path: str) -> list[ExclusionRule]:
    text = text_of(path)
    node, problems = compose(text, path)
    reader = _RulesReader(path, text.split("\n"), problems)
    rules = [] if node is None else reader.rules(node)
    if reader.problems:
        raise data_error(*sorted(reader.problems, key=lambda problem: problem.span))
    return rules


class _RulesReader(Nodes):
    """Reads a list of rules, or a mapping with the key `rules`."""

    def rules(self, node: Any) -> list[ExclusionRule]:
        """Return the rules; mistakes are in `problems`."""
        if hasattr(node, "value") and node.value and isinstance(node.value[0], tuple):
            node = (self.mapping(node, ("rules",), ("rules",), 'a list of rules: "- rule: one-button"') or {}).get(
                "rules"
            )
        return [] if node is None else [rule for item in self.items(node) if (rule := self._rule(item)) is not None]

    def _rule(self, node: Any) -> ExclusionRule | None:
        values = self.mapping(node, KEYS, ("rule",), "write - rule: one-button")
        if values is None:
            return None
        rule = str(self.word(values["rule"]))
        if rule not in DEFAULTS:
            hint = close_match(rule, DEFAULTS) or f"the rules are: {', '.join(DEFAULTS)}"
            self.error(f'"{rule}" is not a rule', values["rule"], hint)
            return None
        where = self.pairs(values["where"]) if "where" in values else ()
        return ExclusionRule(
            rule,
            self._number(values.get("limit"), DEFAULTS[rule][1]),
            {str(name): tuple(map(str, self.names(value_nodes))) for name, value_nodes in where},
            self._number(values.get("under"), 0.0),
            str(self.word(values["expected"])) if "expected" in values else "",
            self._number(values.get("within"), 0.0),
            str(self.word(values["name"])) if "name" in values else "",
        )

    def _number(self, node: Any, default: float) -> float:
        if node is None:
            return default
        text = str(self.word(node))
        number = _number(text.removesuffix("%").strip())
        if number is None:
            self.error(f'"{text}" is not a number', node, "write 0.8, 80 % or a number of milliseconds")
            return default
        return number / 100 if text.endswith("%") else number


def exclusions_table(excluded: Sequence[Exclusion]) -> list[tuple[str, ...]]:
    """Return the table of exclusions: a row of titles, then rule, participant, place of the trial, trials lost, why."""
    heads = ("rule", "participant", "place", "trials", "why")
    return [
        heads,
        *((e.rule, e.participant, f"{e.path}:{e.line}" if e.line else "", str(e.trials), e.why) for e in excluded),
    ]


def summary_of(excluded: Sequence[Exclusion], rules: Sequence[ExclusionRule]) -> Iterator[str]:
    """Yield a line for each rule with the number of participants or trials it left out."""
    for rule in dict.fromkeys(map(str, rules)):
        exclusions = [exclusion for exclusion in excluded if exclusion.rule == rule]
        people = [exclusion for exclusion in exclusions if not exclusion.line]
        lost = sum(exclusion.trials for exclusion in exclusions)
        what = counted(len(people), "participant") if people or not exclusions else counted(len(exclusions), "trial")
        yield f"rule {rule}: {what}" + (f" with {counted(lost, 'trial')}" if people else "") + " left out"
