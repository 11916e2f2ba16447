"""What a grammar edit gained and lost, as one HTML page that needs no network and no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from numbat.gradience.comparing import Change
from numbat.gradience.experiment import Scored
from numbat.parsing.explain import visible
from numbat.report.suite_text import decimal
from numbat.report.svg import svg

PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ margin: 0 auto; padding: 1.5rem 2rem; max-width: 1200px; color: #1d2733; background: #fff;
  font: 15px/1.45 "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif; }}
h1 {{ font-size: 1.4rem; }}
details {{ border-bottom: 1px solid #d7dee6; padding: .35rem 0; }}
summary {{ cursor: pointer; }}
summary .score {{ float: right; font-variant-numeric: tabular-nums; }}
.better {{ color: #1b6e3c; }}
.worse {{ color: #b3261e; }}
ul {{ margin: .2rem 0 .4rem 1rem; padding: 0; list-style: none; }}
.both {{ display: flex; flex-wrap: wrap; gap: 1.5rem; }}
.both > div {{ overflow-x: auto; }}
h2 {{ font-size: .95rem; margin: .4rem 0; }}
@media print {{ details {{ break-inside: avoid; }} }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{changed} of {number} sentences changed. Well formed {before} → {after}. <span class="better">▲ {better} towards the
judgements</span>, <span class="worse">▼ {worse} away from them</span>.</p>
{items}
</body>
</html>
"""


def page(title: str, before: Sequence[Scored], after: Sequence[Scored], changes: Sequence[Change]) -> str:
    """The page; each changed sentence opens to show both trees."""
    return PAGE.format(
        title=_safe(title),
        changed=len(changes),
        number=len(after),
        before=sum(each.parse.is_well_formed for each in before),
        after=sum(each.parse.is_well_formed for each in after),
        better=sum(change.is_better is True for change in changes),
        worse=sum(change.is_better is False for change in changes),
        items="\n".join(map(_item, changes)),
    )


def _item(change: Change) -> str:
    item = change.item
    kind, mark = {True: ("better", "▲"), False: ("worse", "▼"), None: ("", "●")}[change.is_better]
    sign = "*" if item.is_good is False else ""
    properties = [f'<li class="worse">✗ {_safe(name)}</li>' for name in change.gained]
    properties += [f'<li class="better">✓ {_safe(name)}, no longer violated</li>' for name in change.lost]
    trees = "".join(
        f"<div><h2>{name}: {decimal(scored.value)}</h2>{svg(scored.parse)}</div>"
        for name, scored in (("before", change.before), ("after", change.after))
    )
    return (
        f'<details><summary><span class="{kind}">{mark}</span> {_safe(item.id)}: {sign}{_safe(item.sentence)}'
        f'<span class="score">{decimal(change.before.value)} → {decimal(change.after.value)}</span></summary>'
        f'<ul>{"".join(properties)}</ul><div class="both">{trees}</div></details>'
    )


def _safe(text: str) -> str:
    return escape(visible(text))
