"""Tokens put together again as they are written: `de =le` as `du`, `do n't` as `don't`, `l' ami` as `l'ami`."""

from __future__ import annotations

from collections.abc import Sequence

from numbat.words.lexical_lookup import Words
from numbat.words.plain_text import read_text


def detokenize(tokens: Sequence[str], words: Words, typed: str = "") -> str:
    """A text that is read as these tokens, in the spelling of what was typed where there is a choice.

    Tokens that no text is read as stand one after the other.
    """
    text = _joined(_rewritten(list(tokens), words, typed.lower().split()), words)
    return text if list(read_text(text, words).tokens) == list(tokens) else " ".join(tokens)


def _rewritten(tokens: list[str], words: Words, typed: list[str]) -> list[str]:
    """Tokens that only stand in rewritten words, and those that were rewritten in what was typed, as one word."""
    rules: dict[tuple[str, ...], str] = {}
    for word, parts in words.rewritten.items():
        if word in typed or any(not part[0].isalnum() for part in parts):
            rules.setdefault(parts, word)
    found: list[str] = []
    while tokens:
        size = next((len(parts) for parts in rules if tuple(tokens[: len(parts)]) == parts), 0)
        found.append(rules[tuple(tokens[:size])] if size else tokens[0])
        tokens = tokens[size or 1 :]
    return found


def _joined(tokens: Sequence[str], words: Words) -> str:
    """Affixes with an apostrophe or a hyphen together with the word that they belong to."""
    affixes = {(rule.kind, rule.forms[0]) for rule in words.affixes}
    text = ""
    for i, token in enumerate(tokens):
        before = tokens[i - 1].lower() if i else ""
        is_suffix = not token.isalpha() and ("suffix", token.lower()) in affixes
        is_prefix = not before.isalpha() and ("prefix", before) in affixes
        text += token if not i or is_suffix or is_prefix else f" {token}"
    return text
