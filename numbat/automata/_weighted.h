/* Costs and gains of the moves of an automaton under a vector of weights: the C version of WeightedAutomaton.
 *
 * Many vectors of weights share one automaton. Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_WEIGHTED_H
#define NUMBAT_WEIGHTED_H
#include "_automata.h"

#define INFINITE ((int64_t)1 << 62) /* the cost of something impossible */
#define LOST -INFINITE              /* the gain of something impossible */

typedef struct {
    int32_t to; /* kind of the phrase; `IMPOSSIBLE` */
    int64_t cost, gain;
} Move;

typedef struct { /* a daughter read in a state, with what that costs and gains */
    Reading reading;
    int32_t owes; /* whether a hard property is violated in the state after it, at present */
    int64_t cost, gain;
} Step;

typedef struct { /* gain of a daughter, LOST if it cannot come; whether it satisfies anything */
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
    Rows asked;                         /* (property state, then operands and their costs) */
    Vector bounds;                      /* Bound, by row of `asked` */
    Vector row;                         /* int32_t: the row in progress */
    Vector words;                       /* int32_t: a bit set in progress */
} Weighted;

Weighted *weighted_new(Automaton *automaton, PyObject *twin);
void weighted_free(Weighted *weighted);

int weighted_step(Weighted *weighted, int32_t state, int32_t type, Step *out);
int weighted_accept(Weighted *weighted, int32_t state, Move *out);
/* Find a lower bound on the cost of completing a constituent after a step. */
int weighted_cost_to_complete(Weighted *weighted, const Step *step, int32_t lookahead, int64_t *out);
/* Find INFINITE if a hard property is violated and nothing that can follow repairs it, else 0. */
int weighted_cannot_complete(Weighted *weighted, const Step *step, int32_t lookahead, int64_t *out);
int weighted_irreparable_cost(Weighted *weighted, int32_t state, int64_t *out);
/* Find the gain of each of `size` classes, alone and due to the classes read, if `skipped` others come between. */
int weighted_gains(Weighted *weighted, int32_t state, const int32_t *classes, int32_t size, int32_t skipped,
                   Gain *gains);
/* Find the dominance gap of a deferred property by the numbers of its final counts; LOST if it is unknown. */
int weighted_gap(const Weighted *weighted, int32_t property, int32_t mine, int32_t yours, int is_licensed,
                 int64_t *out);

/* Lower `least` to the gap between two gains, if `yours` is possible: LOST if only `yours` is possible, or if only
 * `yours` holds and no phrase is licensed yet. */
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
