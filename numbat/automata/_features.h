/* What decides the features of a phrase: the compiled twin of feature_inheritance.Origins.
 *
 * Contributions are rows of (place of a contributor, feature, value), sorted by place; where a contributor was matched,
 * (place, MATCHED, MATCHED) comes first. Features and values are numbers that Python gives (daughter_classes.py).
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

typedef struct { /* marked where it is the stamp: emptied by another one */
    Vector of_place; /* int32_t */
    Vector of_pair;  /* int32_t, by place and feature */
} Marks;

typedef struct {
    PyObject *twin; /* the PhraseFeatures of Python */
    int32_t places, width; /* how many contributors, and how many features were seen */
    int32_t inherits_all, stamp;
    Vector inherited;      /* int32_t: features */
    Vector heads;          /* int32_t: places, the first choice first */
    Vector rules, sources; /* FeatureRule; int32_t: places */
    Rows contributed;      /* what a daughter contributes, by the number that Python gave it */
    Rows contributions;    /* what still decides; that of nothing first */
    Rows bundles;          /* (feature, value) of phrases */
    Vector kinds;          /* int32_t: of phrases, by bundle */
    Marks had, asked;
    Vector settled, values;      /* int32_t, by feature: marks; those of the phrase */
    Vector value_of;             /* int32_t, by place and feature: what was had */
    Vector merged, row;          /* int32_t: rows that are being made */
} Features;

int features_new(Features *features, PyObject *twin);
void features_free(Features *features);
/* The number of what decides after one more daughter: its contribution counts where it is the first match. */
int features_with(Features *features, int32_t contributions, int32_t more, int32_t *found);
/* The kind of the phrase whose features these contributions decide. */
int features_phrase(Features *features, int32_t contributions, int32_t *found);

#endif
