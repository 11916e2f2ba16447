/* What the moves of an automaton cost and gain under a vector of weights: the twin of construction_automaton.py in C.
 *
 * Many vectors of weights share one automaton. Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_WEIGHTED_H
#define NUMBAT_WEIGHTED_H
#include "_automata.h"

#define INFINITE ((int64_t)1 << 62) /* the cost of what cannot be */
#define LOST -INFINITE              /* the gain of what cannot be */

typedef struct {
    int32_t to;   /* next state, or the kind of the phrase; `IMPOSSIBLE` */
    int32_t owes; /* whether a hard property is violated in that state, for now */
    int64_t cost, gain;
} Move;

typedef struct { /* what a daughter gains, LOST where it cannot come; whether it satisfies anything */
    int64_t sum;
    int32_t holds;
} Gain;

typedef struct {
    Automaton *automaton;
    PyObject *twin;                     /* the WeightedAutomaton of Python */
    Vector local_weights, local_costs;  /* int64_t */
    Vector deferred_weights, deferred_costs;
    Vector pairs;                       /* by pair effect: cost, weight and gain */
    Vector rows;                        /* by row of property states: cost, weight, cost of irreparable violations */
    Map order_costs_at;                 /* (class, place of an operand) */
    Vector order_costs;                 /* int64_t */
    Rows asked;                         /* (property state, then operands and what they cost) */
    Vector bounds;                      /* Bound, by row of what was asked */
    Vector row;                         /* int32_t: the row that is being made */
    Vector words;                       /* int32_t: a bit set that is being made */
} Weighted;

Weighted *weighted_new(Automaton *automaton, PyObject *twin);
void weighted_free(Weighted *weighted);

int weighted_step(Weighted *weighted, int32_t state, int32_t type, Move *found);
int weighted_accept(Weighted *weighted, int32_t state, Move *found);
int weighted_cost_to_complete(Weighted *weighted, int32_t state, int32_t lookahead, int64_t *found);
/* INFINITE if a hard property is violated for good, or 0. */
int weighted_cannot_complete(Weighted *weighted, int32_t state, int32_t lookahead, int64_t *found);
int weighted_irreparable_cost(Weighted *weighted, int32_t state, int64_t *found);
/* What the order of so many classes gains alone and after those read if `skipped` others come before it. */
int weighted_gains(Weighted *weighted, int32_t state, const int32_t *classes, int32_t size, int32_t skipped,
                   Gain *gains);
/* The dominance gap of a deferred property by the numbers of its final counts; LOST where it is not known. */
int weighted_gap(const Weighted *weighted, int32_t property, int32_t mine, int32_t yours, int is_licensed,
                 int64_t *found);

/* Lower `least` to the gap of a gain over another one, if the other can be: LOST where only that can, or only that
 * holds and no phrase is licensed yet. */
static inline int lower_to_gap(Gain mine, Gain yours, int is_licensed, int64_t *least) {
    int64_t gap = LOST;
    if (yours.sum == LOST) return 0;
    if (mine.sum != LOST && (is_licensed || mine.holds || !yours.holds) &&
        __builtin_sub_overflow(mine.sum, yours.sum, &gap))
        return overflowed();
    if (gap < *least) *least = gap;
    return 0;
}

#endif
