/* The records of the tabular search, compiled: grammars, charts with their items, limits, outside costs. */
#ifndef NUMBAT_TABULAR_CHART_H
#define NUMBAT_TABULAR_CHART_H
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_vector.h"

typedef struct {          /* search.GrammarTables, unpacked */
    int32_t impossible;   /* a cost in the tables: what cannot be */
    int64_t infinite;     /* a cost in charts: more than any */
    PyObject *row_of, *kept; /* asked for a row; the bytes that the pointers point into */
    int32_t symbols, labels, states;
    const int32_t *label_of_state, *accept_symbol, *accept_cost;
    const int32_t *use_at, *use_label, *use_column;       /* by symbol: in which labels it is a daughter, its column */
    const int32_t *start_at, *start_state, *start_cost;  /* by symbol: what it begins */
    const int32_t *unary_at, *unary_symbol, *unary_cost; /* by symbol: of what it is the only daughter */
    const int32_t *label_of_symbol, *root_cost;
    const int32_t **costs, **nexts; /* the rows of the states, NULL before they are asked for */
} Grammar;

PyObject *new_grammar(PyObject *self, PyObject *record);
int ask_row(Grammar *grammar, int32_t state);

typedef struct {
    int32_t state, left, right; /* left: the active item that it extends, -1 if it has one daughter; right: passive */
    int64_t cost;
} Active;

typedef struct {
    int32_t symbol, depth, below, word; /* below: of a phrase of one daughter a passive item, else an active one */
    int64_t cost;
    int32_t is_unary;
} Passive;

typedef struct {
    int32_t column, item;
    int64_t cost;
} Use; /* a passive item as a daughter in phrases of some label: its column in the rows of their states */

typedef struct {
    size_t combined, combined_end;     /* active items of several daughters, in `active` */
    size_t extendable, extendable_end; /* active items that may be extended, by their numbers, in `extendable` */
    size_t passive, passive_end;       /* passive items, in `passive` */
    size_t uses;                       /* where the ranges of uses by label start, in `ranges` */
} Cell; /* the items over a span */

typedef struct {
    int32_t start, end, symbol, index;
    int64_t cost;
} Word;

enum { NOT_STOPPED, BY_ITEMS, BY_SECONDS };

typedef struct {
    int64_t most, built; /* items: how many all passes may build (-1: any number), how many earlier passes built */
    PyObject *overdue;   /* the clock, NULL without one */
    int stopped;
} Limits;

typedef struct {
    Grammar *grammar;
    int32_t tokens, unary_limit;
    Word *words;
    size_t word_count;
    const unsigned char *may_be_passive, *may_be_active; /* by span and label, NULL: everything */
    Limits *limits;
    Vector active, extendable, passive, uses, ranges;
    Cell *cells;
    int64_t *best_state, *best_symbol;
    int32_t *at_state, *at_symbol;
} Chart;

#define ACTIVE(chart, i) ((Active *)(chart)->active.at + (i))
#define PASSIVE(chart, i) ((Passive *)(chart)->passive.at + (i))
#define EXTENDABLE(chart, i) (((int32_t *)(chart)->extendable.at)[i])
#define CELL(chart, i, j) ((chart)->cells + (size_t)(i) * ((size_t)(chart)->tokens + 1) + (size_t)(j))
#define MASK(chart, i, j) \
    (((size_t)(i) * ((size_t)(chart)->tokens + 1) + (size_t)(j)) * (size_t)(chart)->grammar->labels)

void chart_free(Chart *chart);
int chart_new(Chart *chart);
int fill(Chart *chart);
int32_t best_root(const Chart *chart, int64_t *cost);
int is_late(Limits *limits);

typedef struct {
    int64_t most;                                  /* what a whole tree may cost */
    unsigned char *may_be_passive, *may_be_active; /* masks that are made, or */
    PyObject *passives, *actives, *combined;       /* lists of (start, end, symbol, depth) and (start, end, state, around) */
    int64_t *passive, *active;                     /* by item: what is around it in the cheapest whole tree */
} Outside;

int outside_costs(Chart *chart, Outside *outside);

Word *read_words(PyObject *list, const Grammar *grammar, int32_t tokens);
PyObject *forest_of(PyObject *self, PyObject *task);

#endif
