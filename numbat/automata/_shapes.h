/* What properties count, by the number of their shape: asked of PropertyAutomata (property_automaton.py) once, for all
 * constructions. Nothing here depends on weights. Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_SHAPES_H
#define NUMBAT_SHAPES_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_map.h"
#include "_rows.h"

#include <stdint.h>

typedef struct { /* what deferred properties would count if the phrase ended here: records.DeferredCounts */
    int32_t satisfied, violated, irreparable, hard, hard_irreparable, satisfied_by_operands, retrieved;
} Counts;

typedef struct { /* what a local property counts in a pair of symbols: records.PairCounts */
    int32_t satisfied, violated, retrieved;
} PairCounts;

typedef struct { /* a state of a deferred property, and what it counts there */
    int32_t state;
    Counts counts;
} ShapeState;

typedef struct {
    PyObject *twin;
    Map pairs_at;       /* (shape, symbol before from 1 on, symbol, how many stand between) */
    Vector pairs;       /* PairCounts */
    Map states_at;      /* (shape, state, symbol from 1 on; 0: the state itself) */
    Vector states;      /* ShapeState */
    Rows asked;         /* (shape, state, words of the operands that can still come) */
    Vector irreparable; /* int32_t, by such a row */
    Vector row;         /* int32_t: the row that is being made */
} Shapes;

Shapes *shapes_new(PyObject *twin);
void shapes_free(Shapes *shapes);

/* What a local property counts in a symbol after another one, or alone (-1), with so many daughters between. */
int shapes_pair(Shapes *shapes, int32_t shape, int32_t before, int32_t symbol, int32_t between, PairCounts *found);
/* The state of a deferred property after one more symbol; the state itself where that is -1. */
int shapes_state(Shapes *shapes, int32_t shape, int32_t state, int32_t symbol, ShapeState *found);
/* How many instances stay violated if only these operands can still come: so many words of a bit set of their places. */
int shapes_irreparable(Shapes *shapes, int32_t shape, int32_t state, const int32_t *words, int32_t size, int32_t *found);

#endif
