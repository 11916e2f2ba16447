/* The moves of all automata under a vector of weights, made once and kept between sentences.
 *
 * Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_MOVES_H
#define NUMBAT_MOVES_H
#include "_weighted.h"

typedef struct {
    int32_t construction, root; /* construction -2: not asked yet */
    int32_t first, end;         /* its first moves, from one to before the other */
} Kind;

typedef struct { /* a construction that can have a daughter of a kind: its type there, the move when it comes first */
    int32_t number, type;
    Move move;
} FirstMove;

typedef struct { /* dominance gaps by deferred properties, as long as the numbers in their keys last */
    Map at;      /* (final counts of one, of another one, whether the first is licensed) */
    Vector gaps; /* int64_t */
    int64_t epoch;
} Gaps;

typedef struct {
    PyObject *compiled; /* whose kinds are asked for, while a search lasts */
    Map cost_at;        /* where a cost of what is to complete is kept */
    Vector moves;       /* Move */
    Vector to_complete; /* int64_t: few different ones, which stay near */
    Vector kinds;       /* Kind */
    Vector first_moves; /* FirstMove */
    Vector *from;       /* what is known of each state, by construction and state */
    Weighted **weighted;
    const uint8_t *is_top; /* by construction */
    Gaps gaps;
    int32_t constructions;
    int64_t node_cost;
} Tables;

/* To be freed whatever it returns. */
int tables_fill(Tables *tables, Automaton **automata, PyObject *weighted, int64_t node_cost);
void tables_free(Tables *tables);

int find_kind(Tables *tables, int32_t kind, Kind *found);
int find_step(Tables *tables, int32_t number, int32_t state, int32_t type, Move *found);
int find_acceptance(Tables *tables, int32_t number, int32_t state, Move *found); /* its node cost included */
/* At least how much more an active item costs before it is a phrase; under net 0, or INFINITE where it never can. */
int find_to_complete(Tables *tables, int32_t number, int32_t state, int32_t lookahead, int lexicographic,
                     int64_t *found);

int told_too_large(void); /* 1, and OverflowError */
/* The same for a number that does not fit into so many bits. */
static inline int too_large(int64_t number, int bits) {
    return number < 0 || number >= ((int64_t)1 << bits) ? told_too_large() : 0;
}

#endif
