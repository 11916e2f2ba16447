"""Sentences that people have judged or rated, and what a grammar makes of them.

Begin with `suite`, the records. `reading` reads suites from files, with the marks before sentences (`judgement_marks`);
`ratings` are those of several people. `scored_items` are items with their parses and scores: `summary` compares these
with people's judgements by the `statistics` of `predictors`, with intervals by `bootstrap` over what is independent
(`independence`, or `id_groups`) and with `cautions`, and `gains` says what a model has before others. `verdicts` tells
whether a grammar judges as people do, by words that it knows (`known_words`), `regression` whether as it did before;
`comparison` sets two grammars side by side.
"""

__all__ = []
