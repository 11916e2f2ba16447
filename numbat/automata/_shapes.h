/* Counts of properties by the number of their shape, asked of PropertyAutomata (property_automaton.py) once for all
 * constructions. Nothing here depends on weights. Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_SHAPES_H
#define NUMBAT_SHAPES_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_map.h"
#include "_rows.h"

#include <stdint.h>

typedef struct { /* counts of deferred properties if the phrase ends here: records.DeferredCounts */
    int32_t satisfied, violated, irreparable, hard, hard_irreparable, satisfied_by_operands, retrieved;
} Counts;

typedef struct { /* counts of a local property in a pair of symbols: records.PairCounts */
    int32_t satisfied, violated, retrieved;
} PairCounts;

typedef struct { /* a state of a deferred property, and its counts */
    int32_t state;
    Counts counts;
} ShapeState;

typedef struct {
    PyObject *twin;
    Map pairs_at;       /* (shape, symbol before plus 1, symbol, number of daughters between) */
    Vector pairs;       /* PairCounts */
    Map states_at;      /* (shape, state, symbol plus 1; 0: the state itself) */
    Vector states;      /* ShapeState */
    Rows asked;         /* (shape, state, words of the operands that can still come) */
    Vector irreparable; /* int32_t, by such a row */
    Vector row;         /* int32_t: the row in progress */
} Shapes;

Shapes *shapes_new(PyObject *twin);
void shapes_free(Shapes *shapes);

/* Find the counts of a local property when a symbol follows another one (-1: alone) after `between` daughters. */
int shapes_pair(Shapes *shapes, int32_t shape, int32_t before, int32_t symbol, int32_t between, PairCounts *out);
/* Find the state of a deferred property after one more symbol (-1: the same state). */
int shapes_state(Shapes *shapes, int32_t shape, int32_t state, int32_t symbol, ShapeState *out);
/* Find how many instances stay violated if only these operands can still come: `size` words of a bit set. */
int shapes_irreparable(Shapes *shapes, int32_t shape, int32_t state, const int32_t *words, int32_t size, int32_t *out);

#endif
