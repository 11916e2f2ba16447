/* The moves of all automata with a vector of weights, computed once and kept between sentences.
 *
 * Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_MOVES_H
#define NUMBAT_MOVES_H
#include "_weighted.h"

typedef struct {
    int32_t construction; /* -2: not computed yet */
    int32_t first, end;         /* range of its first moves */
} Kind;

typedef struct { /* a construction that admits a daughter of a kind: its type there, its step as first daughter */
    int32_t number, type, step;
} FirstMove;

typedef struct { /* a question, `EMPTY` in a free slot, and the number of what answers it */
    int32_t question, answer;
} Answer;

typedef struct { /* a small hash table */
    Answer *slots;
    int32_t size, used;
} Answers;

typedef struct { /* a step, and by lookahead the number of the least cost of completing a constituent after it */
    Step step;
    Answers to_complete;
} KeptStep;

typedef struct { /* dominance gaps by deferred properties, while the numbers in their keys are valid */
    Map at;      /* (final counts of one, of another one, license of the first) */
    Vector gaps; /* int64_t */
    int64_t epoch;
} Gaps;

typedef struct {
    PyObject *compiled; /* provides kinds during a search */
    Map cost_at;        /* index of a completion cost */
    Map marked_at;      /* kind of a phrase between two marks, by its kind and the numbers of the marks */
    Vector steps;       /* KeptStep */
    Vector moves;       /* Move: acceptances */
    Vector to_complete; /* int64_t: few different values, which stay in the cache */
    Vector kinds;       /* Kind */
    Vector first_moves; /* FirstMove */
    Vector *from;       /* caches of states, by construction and state */
    Weighted **weighted;
    const uint8_t *is_top; /* by construction */
    Gaps gaps;
    int32_t constructions;
    int64_t node_cost;
} Tables;

/* Must be freed, even after an error. */
int tables_fill(Tables *tables, Automaton **automata, PyObject *weighted, int64_t node_cost);
void tables_free(Tables *tables);

int find_kind(Tables *tables, int32_t kind, Kind *found);
/* Return whether constituents of a kind are of a root construction, -1 with an error. */
int is_root(const Tables *tables, int32_t kind);
/* Return the kind of a phrase of a kind between two marks, given by number. */
int find_marked(Tables *tables, int32_t kind, int32_t before, int32_t after, int32_t *found);
/* Find the number of a step, IMPOSSIBLE if there is none. */
int find_step(Tables *tables, int32_t number, int32_t state, int32_t type, int32_t *found);
static inline const Step *step_at(const Tables *tables, int32_t step) { return &AT(KeptStep, tables->steps, step).step; }
/* Find the state after a step, which is made at the first call. */
int find_state(Tables *tables, int32_t number, int32_t step, int32_t *found);
int find_acceptance(Tables *tables, int32_t number, int32_t state, Move *found); /* including its node cost */
/* Find a lower bound on the cost of completing an active item after a step; under net 0, or INFINITE if it is
 * impossible. */
int find_to_complete(Tables *tables, int32_t number, int32_t step, int32_t lookahead, int lexicographic, int64_t *found);

int told_too_large(void); /* return 1 and set OverflowError */
/* The same for a number that does not fit into `bits` bits. */
static inline int too_large(int64_t number, int bits) {
    return number < 0 || number >= ((int64_t)1 << bits) ? told_too_large() : 0;
}

#endif
