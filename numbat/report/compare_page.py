"""What a grammar edit gained and lost, as one HTML page that needs no network and no script."""

from __future__ import annotations

from typing import Final

from numbat.gradience.comparison import SAME, Comparison, ScoreChange
from numbat.report.pages.template import page, safe
from numbat.report.suite_text import figure_or_dash
from numbat.report.svg import svg
from numbat.runs.record import RunRecord

JUDGED: Final = """ <span class="good">▲ {better} towards the
judgements</span>, <span class="bad">▼ {worse} away from them</span>."""
BODY: Final = """<p>{changed} of {number} sentences changed. Well formed {before} → {after}.{judged}</p>
{lost}{items}
"""


def compare_page(title: str, compared: Comparison, record: RunRecord | None = None) -> str:
    """The page, with the record of the run at its end; each changed sentence opens to show both trees."""
    before, after, changes = compared.before, compared.after, compared.changes
    better, worse = (sum(change.is_better is sign for change in changes) for sign in (True, False))
    body = BODY.format(
        changed=len(changes),
        number=len(after),
        before=sum(each.parse.is_well_formed for each in before),
        after=sum(each.parse.is_well_formed for each in after),
        judged=JUDGED.format(better=better, worse=worse) if better or worse else "",
        lost="".join(f'<p class="bad">Lost, and in no figure: {safe(str(each))}</p>\n' for each in compared.lost),
        items="\n".join(map(_item, changes)),
    )
    return page(title, ("drawing.css", "compare.css"), body, record)


def _item(change: ScoreChange) -> str:
    item = change.item
    kind, mark = {True: ("good", "▲"), False: ("bad", "▼"), None: ("", "●")}[change.is_better]
    properties = [f'<li class="bad">✗ {safe(name)}</li>' for name in change.gained]
    properties += [f'<li class="good">✓ {safe(name)}, no longer violated</li>' for name in change.lost]
    if not properties:
        properties = [f"<li>{SAME}</li>"]
    trees = "".join(
        f"<div><h2>{name}: {_shown(scored.value)}</h2>"
        f'<div class="wide" tabindex="0">{svg(scored.parse, styled=False)}</div></div>'
        for name, scored in (("before", change.before), ("after", change.after))
    )
    return (
        f'<details><summary><span class="{kind}">{mark}</span> '
        f'<span class="said"><span class="faint">{safe(item.id)}</span> {item.star}{safe(item.sentence)}</span> '
        f'<span class="score">{_shown(change.before.value)} → {_shown(change.after.value)}</span></summary>'
        f'<ul>{"".join(properties)}</ul><div class="both whole">{trees}</div></details>'
    )


def _shown(value: float | None) -> str:
    return figure_or_dash(value).replace("-", "−")
