/* The moves of all automata, made once and kept between sentences.
 *
 * Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_MOVES_H
#define NUMBAT_MOVES_H
#include "_automata.h"
#include "_map.h"

typedef struct {
    int32_t construction, root; /* construction -2: not asked yet */
    int32_t opening, end;       /* its openings, from one to before the other */
} Kind;

typedef struct { /* a construction that can have a daughter of a kind: its look, the move when it comes first */
    int32_t number, look;
    Move move;
} Opening;

typedef struct {
    PyObject *machine; /* whose kinds are asked for, while a search lasts */
    Map aheads_at;
    Vector moves;    /* Move */
    Vector aheads;   /* int64_t */
    Vector kinds;    /* Kind */
    Vector openings; /* Opening */
    Vector *from;    /* where each state leads, by construction and state */
    Automaton **automata;
    int32_t constructions;
    int64_t node_cost;
} Tables;

int tables_fill(Tables *tables, PyObject *automata, int64_t node_cost); /* to be freed whatever it returns */
void tables_free(Tables *tables);
size_t tables_states(const Tables *tables);

int find_kind(Tables *tables, int32_t kind, Kind *found);
int find_step(Tables *tables, int32_t number, int32_t state, int32_t look, Move *found);
int find_acceptance(Tables *tables, int32_t number, int32_t state, Move *found); /* its node cost included */
/* At least how much more an active item costs before it is a phrase; under net 0, or INFINITE where it never can. */
int find_ahead(Tables *tables, int32_t number, int32_t state, int32_t view, int lexicographic, int64_t *found);

int told_too_large(void); /* 1, and OverflowError */
/* The same for a number that does not fit into so many bits. */
static inline int too_large(int64_t number, int bits) {
    return number < 0 || number >= ((int64_t)1 << bits) ? told_too_large() : 0;
}

#endif
