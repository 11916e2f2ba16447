/* The contributions that decide the features of a phrase: the compiled version of feature_inheritance.Origins.
 *
 * Contributions are rows of (place of a contributor, feature, value), sorted by place; if a contributor was matched,
 * (place, MATCHED, MATCHED) comes first. Python numbers features and values (daughter_classes.py).
 */
#ifndef NUMBAT_FEATURES_H
#define NUMBAT_FEATURES_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_rows.h"

#include <stdint.h>

#define MATCHED -1
#define NO_PLACE -1

typedef struct { /* feature_inheritance.Rule */
    int32_t feature, value, conditions, sources, end; /* the numbers of both in `sources`, conditions first */
} FeatureRule;

typedef struct { /* an entry is marked if it equals the stamp: a new stamp clears all */
    Vector of_place; /* int32_t */
    Vector of_pair;  /* int32_t, by place and feature */
} Marks;

typedef struct {
    PyObject *twin; /* the PhraseFeatures of Python */
    int32_t places, width; /* numbers of contributors, and of features seen */
    int32_t inherits_all, stamp;
    Vector inherited;      /* int32_t: features */
    Vector heads;          /* int32_t: places, by preference */
    Vector rules, sources; /* FeatureRule; int32_t: places */
    Rows contributed;      /* contributions of daughters, by their numbers in Python */
    Rows contributions;    /* deciding contributions; the empty row is the first */
    Rows bundles;          /* (feature, value) of phrases */
    Vector kinds;          /* int32_t: of phrases, by bundle */
    Marks had, asked;
    Vector settled, values;      /* int32_t, by feature: marks; values of the phrase */
    Vector value_of;             /* int32_t, by place and feature: values of daughters */
    Vector merged, row;          /* int32_t: rows in progress */
} Features;

int features_new(Features *features, PyObject *twin);
void features_free(Features *features);
/* Find the number of the contributions after one more daughter; it counts only where it is a first match. */
int features_with(Features *features, int32_t contributions, int32_t more, int32_t *out);
/* Find the kind of phrase that has the features decided by these contributions. */
int features_phrase(Features *features, int32_t contributions, int32_t *out);

#endif
