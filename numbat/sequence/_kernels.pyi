from typing import Any

Buffer = Any

def epoch(
    order: Buffer,
    rows: Buffer,
    gold: Buffer,
    ends: Buffer,
    codes: Buffer,
    weights: Buffer,
    sums: Buffer,
    pairs: Buffer,
    pair_sums: Buffer,
    trigrams: Buffer,
    trigram_sums: Buffer,
    spare: Buffer,
    templates: int,
    labels: int,
    width: int,
    margin: float,
    count: int,
    /,
) -> tuple[int, int]: ...
def nearest(
    values: Buffer,
    ends: Buffer,
    focus: Buffer,
    weights: Buffer,
    least: Buffer,
    rows: list[Buffer | None],
    feature: int,
    low: int,
    high: int,
    k: int,
    /,
) -> tuple[bytes, bytes]: ...
