/* Records of the compiled tabular search: grammars, charts with their items, limits, outside costs. */
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
    int32_t impossible;   /* cost of an impossible step in the tables */
    int64_t infinite;     /* cost above any other in charts */
    PyObject *row_of, *kept; /* the function that returns a row; the bytes to which the pointers point */
    int32_t symbols, labels, states;
    const int32_t *label_of_state, *accept_symbol, *accept_cost;
    const int32_t *use_at, *use_label, *use_column;       /* by symbol: labels in which it is a daughter, its column */
    const int32_t *start_at, *start_state, *start_cost;  /* by symbol: states that it begins */
    const int32_t *unary_at, *unary_symbol, *unary_cost; /* by symbol: phrases over it alone */
    const int32_t *label_of_symbol, *root_cost;
    const int32_t **costs, **nexts; /* rows of the states, NULL if not requested yet */
} Grammar;

PyObject *new_grammar(PyObject *self, PyObject *record);
int ask_row(Grammar *grammar, int32_t state);

typedef struct {
    int32_t state, left, right; /* left: the active item that it extends, or -1; right: passive item */
    int64_t cost;
} Active;

typedef struct {
    int32_t symbol, depth, below, word; /* below: a passive item for a phrase of one daughter, else an active one */
    int64_t cost;
    int32_t is_unary;
} Passive;

typedef struct {
    int32_t column, item;
    int64_t cost;
} Use; /* a passive item as a daughter of phrases with a label: its column in the rows of their states */

typedef struct {
    size_t combined, combined_end;     /* active items of several daughters, in `active` */
    size_t extendable, extendable_end; /* active items that may be extended, by their numbers, in `extendable` */
    size_t passive, passive_end;       /* passive items, in `passive` */
    size_t uses;                       /* start of the ranges of uses by label, in `ranges` */
} Cell; /* the items over a span */

typedef struct {
    int32_t start, end, symbol, index;
    int64_t cost;
} Word;

enum { NOT_STOPPED, BY_ITEMS, BY_SECONDS };

typedef struct {
    int64_t most, built; /* items: maximum of all passes (-1: none), number built by earlier passes */
    PyObject *overdue;   /* the clock, or NULL */
    int stopped;
} Limits;

typedef struct {
    Grammar *grammar;
    int32_t tokens, unary_limit;
    Word *words;
    size_t word_count;
    const unsigned char *may_be_passive, *may_be_active; /* by span and label, or NULL for all */
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
    int64_t most;                                  /* maximum cost of a complete tree */
    unsigned char *may_be_passive, *may_be_active; /* masks under construction, or */
    PyObject *passives, *actives, *combined;       /* lists of (start, end, symbol, depth) and (start, end, state, around) */
    int64_t *passive, *active;                     /* by item: outside cost */
} Outside;

int outside_costs(Chart *chart, Outside *outside);

Word *read_words(PyObject *list, const Grammar *grammar, int32_t tokens);
PyObject *forest_of(PyObject *self, PyObject *task);

#endif
