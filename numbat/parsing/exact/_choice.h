/* The answer of a search as rows of numbers, and the choice of one analysis in it. */
#ifndef NUMBAT_CHOICE_H
#define NUMBAT_CHOICE_H
#include "_search.h"

typedef struct { /* an item as chart.py reads it, with the number of its first edge */
    int32_t start, end, kind, edge;
} SpanRow;

typedef struct { /* quantities of an item */
    Value value;
    int64_t count, rest;
} ItemRow;

typedef struct { /* an edge */
    Value own;
    int32_t parts[2], label, nothing;
} EdgeRow;

/* Return the rows of the chosen analysis as bytes, or None: for chart.SearchAnswer and choice.ChoiceRequest. */
PyObject *choose_analysis(PyObject *self, PyObject *arguments);

#endif
