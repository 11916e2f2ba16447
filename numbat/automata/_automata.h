/* The automaton of a construction: the compiled version of construction_automaton.py.
 *
 * Daughter classes and counts of properties come from the Python object `classes` (daughter_classes.py), each asked for
 * once; states are rows of numbers. A step to another state makes that state only if it is asked for: most are never
 * needed, as their costs alone exclude them. Nothing here depends on weights. If states hold more than counts, the automaton is
 * not countable, and Python makes every move (_weighted.c). Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_AUTOMATA_H
#define NUMBAT_AUTOMATA_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_features.h"
#include "_map.h"
#include "_rows.h"
#include "_shapes.h"

#include <stdint.h>

#define IMPOSSIBLE INT32_MIN /* target of an impossible step, phrase of a state without one */

typedef struct { /* a deferred property in one of its states, and its counts */
    int32_t property, state;
    Counts counts;
} PropertyState;

typedef struct {
    int32_t reach, local, symbols, end; /* in the pool: pairs (property, symbol) of local ones, then of deferred ones */
} DaughterClass;

typedef struct { /* all that properties can observe of a daughter */
    int32_t number, contribution; /* its class; its contribution to the features of the phrase */
} DaughterType;

typedef struct { /* a local property: properties of one shape share their counts */
    int32_t shape, reach, is_hard, is_positional;
} LocalProperty;

typedef struct { /* a deferred property, and its operands: in the pool, pairs (place, number among them), by place */
    int32_t shape, is_hard, operands, end;
} DeferredProperty;

typedef struct { /* effect of local properties on a pair of classes: records.PairEffect */
    int32_t instances, end; /* in the pool of `effect_rows`: triples (property, satisfied, violated) */
    int32_t satisfied, forbidden, retrieved;
} PairEffect;

typedef struct { /* the property states of a row: the sum of their counts, and those that further daughters may repair */
    Counts sum;
    int32_t unsettled, end; /* in the pool: property states */
} PropertyRow;

typedef struct { /* a daughter read in a state */
    int32_t before, type;
    int32_t row, flags; /* of the state after it */
    int32_t after;      /* that state, `ABSENT` if it is not made yet, `IMPOSSIBLE` if there is none */
} Reading;

typedef struct { /* numbers by row and column, `ABSENT` if there is none */
    Vector rows; /* Vector of int32_t */
} Grid;

typedef struct {
    PyObject *twin, *classes;
    int is_countable, needs_satisfied;
    int32_t properties;        /* deferred ones */
    Vector ordered;            /* int32_t: deferred properties whose states are part of the state */
    int32_t reach;             /* maximum number of daughters between two that matters */
    Vector types;              /* DaughterType */
    Vector daughter_classes;   /* DaughterClass */
    Vector pool;               /* int32_t: symbols of classes, operands of properties and lookaheads, their costs */
    Vector local;              /* LocalProperty */
    Vector deferred;           /* DeferredProperty */
    Shapes *shapes;            /* shared by all automata */
    Grid effects_at;           /* class before, plus 1; class and number of daughters between */
    Rows effect_rows;          /* (satisfied, forbidden, retrieved, then triples) */
    Vector effects;            /* PairEffect, by such a row */
    Vector least_classes;      /* int32_t, by the place of an operand */
    Map property_states_at;    /* (property, its state) */
    Vector property_states;    /* PropertyState */
    Grid property_state_after; /* property state; symbol */
    Map contributions_with;    /* (contributions, one more) */
    Features features;
    Vector phrases;            /* int32_t: kinds, by contributions */
    Map awaited_at;            /* lookahead: place in the pool of its operands, as bit sets with costs */
    Map operand_costs_at;      /* (property, lookahead): place in the pool of its operands: automaton_operand_costs */
    Grid finals_at;            /* property state; continuation */
    Rows finals;               /* of records.FinalCounts: satisfied, violated, holds, is_forbidden */
    Rows states;               /* (contributions, flags, last classes within the reach, ordered, classes and their numbers) */
    Vector row_of_state;       /* int32_t: the row of the property states, by state */
    Rows property_rows;        /* a property state of each deferred property */
    Vector rows;               /* PropertyRow, by such a row */
    Map row_after;             /* (row, class): the row after it */
    Vector row;                /* int32_t: the row in progress */
} Automaton;

enum { CONTRIBUTIONS, FLAGS, RECENT };
enum { SATISFIED = 1, RETRIEVED = 2 };

#define NO_FINALS -2 /* this or less instead of final counts: there are too many; all such numbers differ */
#define FINAL_WIDTH 4

#define OPERAND_WIDTH 4 /* in the pool, of an operand with cost: place, number in the property, halves of the cost */

Automaton *automaton_new(PyObject *twin, Shapes *shapes);
void automaton_free(Automaton *automaton);

/* Find the row of the property states after a row and a class. */
int automaton_row_after(Automaton *automaton, int32_t row, int32_t read, int32_t *out);
/* Make the state after a reading, if there is one. */
int automaton_make(Automaton *automaton, Reading *reading);
/* Find the kind of phrase in a state, `IMPOSSIBLE` if there is none. */
int automaton_phrase(Automaton *automaton, int32_t state, int32_t *out);
int automaton_class(Automaton *automaton, int32_t type, int32_t *out);
/* Find the number of the continuation for each deferred property: at most `room` daughters per class. */
int automaton_continuation(Automaton *automaton, const int32_t *classes, int32_t size, int32_t room, int32_t *out);
/* Find where the pool has the operands that a property awaits and that can come: their number, then each with costs. */
int automaton_operand_costs(Automaton *automaton, int32_t property, int32_t lookahead, int32_t *out);
/* Find the number of the final counts of a deferred property after a property state with a continuation. */
int automaton_finals(Automaton *automaton, int32_t property_state, int32_t continuation, int32_t *out);
/* Return whether the phrase is triggered and H4 holds, whatever daughters follow. */
int automaton_is_licensed(const Automaton *automaton, int32_t state);

/* Return the number at a row and a column, `ABSENT` if there is none. */
static inline int32_t number_at(const Grid *grid, int32_t row, int32_t column) {
    if ((size_t)row >= grid->rows.used) return ABSENT;
    const Vector *cells = &AT(Vector, grid->rows, row);
    return (size_t)column < cells->used ? AT(int32_t, *cells, column) : ABSENT;
}

/* Return where the row of a state has the counts of classes. */
static inline size_t counts_at(const Automaton *automaton) {
    return RECENT + (size_t)automaton->reach + automaton->ordered.used;
}

/* Return the index in `effects` of what local properties do when a class follows another; -1 with an error. */
int32_t automaton_ask_effect(Automaton *automaton, int32_t before, int32_t read, int32_t between);
/* Return the same for order only, given only one operand that the later daughter matches. */
int32_t automaton_order_effect(Automaton *automaton, int32_t before, int32_t place, int32_t between);
static inline int32_t automaton_effect(Automaton *automaton, int32_t before, int32_t read, int32_t between) {
    int32_t known = number_at(&automaton->effects_at, before + 1, (automaton->reach + 1) * read + between);
    return known == ABSENT ? automaton_ask_effect(automaton, before, read, between) : known;
}

static inline const int32_t *automaton_state(const Automaton *automaton, int32_t state, size_t *size) {
    return row_of(&automaton->states, state, size);
}

/* Return the property states of a row, valid until there is a new state. */
static inline const int32_t *automaton_property_row(const Automaton *automaton, int32_t row) {
    size_t size;
    return row_of(&automaton->property_rows, row, &size);
}

static inline int32_t automaton_row_of(const Automaton *automaton, int32_t state) {
    return AT(int32_t, automaton->row_of_state, state);
}

static inline const Counts *automaton_counts(const Automaton *automaton, int32_t row) {
    return &AT(PropertyRow, automaton->rows, row).sum;
}

/* Loop over what a class comes after in a state, if `skipped` others come between, as (before, between, times): nothing
 * (before -1), then each class that was read, by the number of daughters between, at most the reach. */
#define FOR_PAIRS(automaton, row, size, skipped, before, between, times)                                              \
    for (size_t counts_ = counts_at(automaton), at_ = counts_ - 2; at_ < (size); at_ += 2)                            \
        for (int32_t reach_ = (automaton)->reach, before = at_ < counts_ ? -1 : (row)[at_],                           \
                     rest_ = at_ < counts_ ? 1 : (row)[at_ + 1],                                                      \
                     between = at_ < counts_ || (skipped) > reach_ ? reach_ : (skipped);                              \
             between <= reach_; between++)                                                                            \
            for (int32_t times = between == reach_ ? rest_ : (row)[RECENT + between - (skipped)] == before; times;    \
                 rest_ -= times, times = 0)

/* Parse an answer of Python, a new reference, or NULL with an error. */
int ask(PyObject *answer, const char *format, ...);
int ask_number(PyObject *answer, int32_t *out);
PyObject *tuple_of(const int32_t *numbers, int32_t size);
int overflowed(void); /* return -1 with OverflowError: a sum of weights or costs exceeds 64 bits */

static inline int64_t whole_of(const int32_t *halves) {
    return (int64_t)(((uint64_t)(uint32_t)halves[1] << 32) | (uint32_t)halves[0]);
}

static inline int add_halves(Vector *vector, int64_t whole) {
    return add_number(vector, (int32_t)(whole & 0xFFFFFFFF)) < 0 ? -1 : add_number(vector, (int32_t)(whole >> 32));
}

#endif
