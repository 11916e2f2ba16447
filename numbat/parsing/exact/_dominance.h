/* Dominance between unfinished constituents over one span: the compiled twin of python_search.py.
 *
 * Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_DOMINANCE_H
#define NUMBAT_DOMINANCE_H
#include "_moves.h"

typedef struct {
    Vector begins;        /* int32_t: offset of a future in the pool, by position and construction, or -1 */
    Vector pool;          /* int32_t: daughter classes and their places */
    Map chains_at;        /* (construction, contributions) of the span */
    Vector chains;        /* the first and the last of the unbeaten items */
    Vector contenders;    /* the unbeaten items over the span */
    Map gains_at;         /* (construction, state, position): offset of its gains */
    Vector gains;         /* Gain: of next classes, then of later classes */
    Vector asked;         /* gaps over the queried contender, by final counts of the other one and its license */
    Vector later;         /* int64_t: the gaps after later classes */
    int32_t tokens, constructions, start, end;
    int64_t questions;
    Gaps *gaps;           /* for the weights of this search */
    /* memory kept between sentences; `epoch` counts how often it was released */
    int64_t epoch;
    Rows futures;         /* a construction, the number of positions, the classes that may follow */
    Vector continuations_of; /* int32_t: continuations of the deferred properties, by future */
    Rows continuations;   /* a construction, and the continuations of its deferred properties */
    Map finals_at;        /* (continuations, row of property states) */
    Rows finals;          /* a construction, and the final counts of these properties */
    Vector row;           /* int32_t: the row under construction */
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
/* Record a future: `types` has the number of daughter types that begin at the position, these types, and so on for
 * each later position. */
int dominance_note_future(Dominance *dominance, Automaton *automaton, int32_t number, int32_t position,
                          const int32_t *types);

/* Return 1 if another item beats this one; otherwise record it, so that it may beat others. */
int dominance_beaten_or_recorded(Dominance *dominance, Weighted *weighted, const Unfinished *unfinished);

#endif
