/* Dominance between unfinished constituents over one span: the compiled twin of python_search.py.
 *
 * Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_DOMINANCE_H
#define NUMBAT_DOMINANCE_H
#include "_moves.h"

typedef struct {
    Vector begins;        /* int32_t: where what may follow begins in the pool, by position and construction, or -1 */
    Vector pool;          /* int32_t: daughter classes and their places */
    Map chains_at;        /* (construction, contributions) of the span */
    Vector chains;        /* the first and the last of the unbeaten ones of these */
    Vector contenders;    /* the unbeaten ones over the span */
    Map gains_at;         /* (construction, state, position): where its gains begin */
    Vector gains;         /* Gain: of classes next, then of classes later */
    Vector asked;         /* gaps over what is asked about, by final counts of the other one and whether it is licensed */
    Vector later;         /* int64_t: the gaps after later classes */
    int32_t tokens, constructions, start, end;
    int64_t questions;
    Gaps *gaps;           /* of the weights of this search */
    /* what is kept between sentences; `epoch` counts how often it was given back */
    int64_t epoch;
    Rows futures;         /* a construction, at how many positions something may come, the classes that may */
    Vector continuations_of; /* int32_t: what may follow for the deferred properties, by future */
    Rows continuations;   /* a construction, and what may follow for its deferred properties */
    Map finals_at;        /* (continuations, row of property states) */
    Rows finals;          /* a construction, and the final counts of these properties */
    Vector row;           /* int32_t: the row that is being made */
} Dominance;

typedef struct {
    int32_t start, end, number, state;
    int64_t value;
} Unfinished;

void dominance_new(Dominance *dominance);
void dominance_free(Dominance *dominance);
size_t dominance_room(const Dominance *dominance); /* in bytes */
int dominance_begin(Dominance *dominance, int32_t tokens, int32_t constructions, Gaps *gaps);

int dominance_knows_future(const Dominance *dominance, int32_t number, int32_t position);
/* Note what may follow: `types` are those of daughters that begin at the position, their number first, and so on for
 * each later position. */
int dominance_note_future(Dominance *dominance, Automaton *automaton, int32_t number, int32_t position,
                          const int32_t *types);

/* Whether another one beats it: 1 or 0. If none does it is one of those that may beat others. */
int dominance_beaten_or_recorded(Dominance *dominance, Weighted *weighted, const Unfinished *unfinished);

#endif
