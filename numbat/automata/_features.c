#define Py_LIMITED_API 0x030B0000
#include "_automata.h"

#define ENTRY 3 /* numbers of an entry: place, feature, value */

/* marks */

static int zeros(Vector *vector, size_t size) {
    int32_t *at = vector_of(vector, size);
    if (size && !at) return -1;
    if (size) memset(at, 0, size * sizeof *at);
    return 0;
}

/* Widen the tables for at least `width` features, and clear all marks. */
static int widen(Features *features, int32_t width) {
    if (width <= features->width) return 0;
    size_t of_places = (size_t)features->places, wide = (size_t)width * 2;
    features->width = (int32_t)wide, features->stamp = 0;
    Marks *marks[] = {&features->had, &features->asked};
    for (size_t i = 0; i < 2; i++)
        if (zeros(&marks[i]->of_place, of_places) < 0 || zeros(&marks[i]->of_pair, of_places * wide) < 0) return -1;
    return zeros(&features->settled, wide) < 0 || zeros(&features->values, wide) < 0
               ? -1
               : zeros(&features->value_of, of_places * wide);
}

static int begin_marks(Features *features) {
    if (features->stamp == INT32_MAX) {
        int32_t width = features->width;
        features->width = 0;
        if (widen(features, (width + 1) / 2) < 0) return -1;
    }
    features->stamp++;
    return 0;
}

static size_t pair_at(const Features *features, int32_t place, int32_t feature) {
    return (size_t)place * (size_t)features->width + (size_t)feature;
}

static int is_had(const Features *features, int32_t place) {
    return AT(int32_t, features->had.of_place, place) == features->stamp;
}

static int has_value(const Features *features, int32_t place, int32_t feature) {
    return AT(int32_t, features->had.of_pair, pair_at(features, place, feature)) == features->stamp;
}

static int is_asked(const Features *features, int32_t place) {
    return AT(int32_t, features->asked.of_place, place) == features->stamp;
}

static int is_settled(const Features *features, int32_t feature) {
    return AT(int32_t, features->settled, feature) == features->stamp;
}

/* Mark the contributors in a row that were matched, and store their values. */
static int mark_had(Features *features, const int32_t *row, size_t size) {
    if (begin_marks(features) < 0) return -1;
    for (size_t i = 0; i < size; i += ENTRY) {
        if (row[i + 1] == MATCHED) {
            AT(int32_t, features->had.of_place, row[i]) = features->stamp;
            continue;
        }
        size_t at = pair_at(features, row[i], row[i + 1]);
        AT(int32_t, features->had.of_pair, at) = features->stamp;
        AT(int32_t, features->value_of, at) = row[i + 2];
    }
    return 0;
}

/* Conditions of rules are stored as twice their places, plus 1 for an absence. */
static int32_t condition_of(const Features *features, int32_t k) { return AT(int32_t, features->sources, k) >> 1; }

static int is_absence(const Features *features, int32_t k) { return AT(int32_t, features->sources, k) & 1; }

/* Return whether a rule applies; with `for_good`, whether it applies whatever daughters follow. */
static int is_met(const Features *features, const FeatureRule *rule, int for_good) {
    for (int32_t k = rule->conditions; k < rule->sources; k++) {
        int absent = is_absence(features, k);
        if (is_had(features, condition_of(features, k)) == absent || (for_good && absent)) return 0;
    }
    return 1;
}

/* Mark the contributors and features that rules need, and the features that no further daughter can change. */
static void mark_asked(Features *features) {
    for (size_t i = 0; i < features->rules.used; i++) {
        const FeatureRule *rule = &AT(FeatureRule, features->rules, i);
        if (is_settled(features, rule->feature)) continue;
        int is_certain = rule->value != MATCHED;
        for (int32_t k = rule->conditions; k < rule->sources; k++)
            AT(int32_t, features->asked.of_place, condition_of(features, k)) = features->stamp;
        for (int32_t k = rule->sources; k < rule->end; k++) {
            int32_t place = AT(int32_t, features->sources, k);
            AT(int32_t, features->asked.of_place, place) = features->stamp;
            AT(int32_t, features->asked.of_pair, pair_at(features, place, rule->feature)) = features->stamp;
            if (has_value(features, place, rule->feature)) {
                is_certain = 1;
                break;
            }
        }
        if (is_certain && is_met(features, rule, 1)) AT(int32_t, features->settled, rule->feature) = features->stamp;
    }
}

/* Return the best head that was matched; `NO_PLACE` if there is none. */
static int32_t head_of(const Features *features) {
    for (size_t i = 0; i < features->heads.used; i++)
        if (is_had(features, AT(int32_t, features->heads, i))) return AT(int32_t, features->heads, i);
    return NO_PLACE;
}

/* deciding contributions */

/* Append an entry to a row. */
static int add_entry(Vector *row, const int32_t *entry) {
    for (int k = 0; k < ENTRY; k++)
        if (add_number(row, entry[k]) < 0) return -1;
    return 0;
}

/* Merge into a row those entries of a daughter whose contributors have not come yet and may still decide something.
 * Return their number, -1 without memory. */
static int merge_fresh(Features *features, const int32_t *row, size_t size, const int32_t *more, size_t more_size) {
    if (mark_had(features, row, size) < 0) return -1;
    mark_asked(features);
    for (size_t i = 0; i < features->heads.used; i++) {
        int32_t head = AT(int32_t, features->heads, i);
        if (is_had(features, head)) break;
        AT(int32_t, features->asked.of_place, head) = features->stamp;
    }
    int fresh = 0;
    size_t at = 0;
    features->merged.used = 0;
    for (size_t i = 0; i < more_size; i += ENTRY) {
        if (is_had(features, more[i]) || !is_asked(features, more[i])) continue;
        for (; at < size && row[at] < more[i]; at += ENTRY)
            if (add_entry(&features->merged, row + at) < 0) return -1;
        if (add_entry(&features->merged, more + i) < 0) return -1;
        fresh++;
    }
    for (; at < size; at += ENTRY)
        if (add_entry(&features->merged, row + at) < 0) return -1;
    return fresh;
}

/* Find the number of those contributions of the merged row that still decide something. */
static int still_deciding(Features *features, int32_t *out) {
    const int32_t *merged = (const int32_t *)features->merged.at;
    size_t size = features->merged.used;
    int is_new;
    if (mark_had(features, merged, size) < 0) return -1;
    mark_asked(features);
    int32_t head = head_of(features);
    if (head != NO_PLACE) AT(int32_t, features->asked.of_place, head) = features->stamp;
    features->row.used = 0;
    for (size_t i = 0; i < size; i += ENTRY) {
        int32_t place = merged[i], feature = merged[i + 1];
        int stays = is_asked(features, place);
        if (stays && feature != MATCHED)
            stays = AT(int32_t, features->asked.of_pair, pair_at(features, place, feature)) == features->stamp ||
                    (place == head && !is_settled(features, feature));
        if (stays && add_entry(&features->row, merged + i) < 0) return -1;
    }
    *out = rows_put(&features->contributions, &features->row, &is_new);
    return *out < 0 ? -1 : 0;
}

/* questions to Python */

/* Append the numbers of a Python tuple to a row; a number out of range is an error. */
static int add_tuple(Vector *row, PyObject *tuple) {
    Py_ssize_t size = tuple ? PyTuple_Size(tuple) : -1;
    int bad = size < 0;
    for (Py_ssize_t i = 0; i < size && !bad; i++) {
        long number = PyLong_AsLong(PyTuple_GetItem(tuple, i));
        bad = (number == -1 && PyErr_Occurred()) ||
              (number < MATCHED || number > INT32_MAX ? overflowed() : add_number(row, (int32_t)number)) < 0;
    }
    Py_XDECREF(tuple);
    return bad ? -1 : 0;
}

/* Read the contributions of daughters up to a number. */
static int know_contributed(Features *features, int32_t number) {
    while ((size_t)number >= features->contributed.begins.used) {
        int is_new;
        int32_t next = (int32_t)features->contributed.begins.used;
        features->row.used = 0;
        if (add_tuple(&features->row, PyObject_CallMethod(features->twin, "contribution_row", "i", next)) < 0)
            return -1;
        for (size_t i = 0; i < features->row.used; i += ENTRY)
            if (widen(features, AT(int32_t, features->row, i + 1) + 1) < 0) return -1;
        int32_t known = rows_put(&features->contributed, &features->row, &is_new);
        if (known < 0) return -1;
        if (known != next) return overflowed(); /* Python numbers each row */
    }
    return 0;
}

int features_with(Features *features, int32_t contributions, int32_t more, int32_t *out) {
    if (know_contributed(features, more) < 0) return -1;
    size_t size, more_size;
    const int32_t *row = row_of(&features->contributions, contributions, &size);
    const int32_t *fresh = row_of(&features->contributed, more, &more_size);
    *out = contributions;
    if (!more_size) return 0;
    int merged = merge_fresh(features, row, size, fresh, more_size);
    return merged <= 0 ? merged : still_deciding(features, out);
}

/* the phrase */

static int is_inherited(const Features *features, int32_t feature) {
    for (size_t i = 0; i < features->inherited.used; i++)
        if (AT(int32_t, features->inherited, i) == feature) return 1;
    return features->inherits_all;
}

/* Return the value that a rule gives its feature; MATCHED if it does not apply. */
static int32_t value_by(const Features *features, const FeatureRule *rule) {
    if (!is_met(features, rule, 0)) return MATCHED;
    if (rule->sources == rule->end) return rule->value;
    for (int32_t k = rule->sources; k < rule->end; k++) {
        int32_t place = AT(int32_t, features->sources, k);
        if (has_value(features, place, rule->feature))
            return AT(int32_t, features->value_of, pair_at(features, place, rule->feature));
    }
    return MATCHED;
}

/* Make the row of the features of a phrase: those of its head, overridden by the first rule that applies to each. */
static int make_bundle(Features *features, const int32_t *row, size_t size) {
    if (mark_had(features, row, size) < 0) return -1;
    int32_t head = head_of(features);
    for (int32_t feature = 0; feature < features->width; feature++) {
        int has = head != NO_PLACE && has_value(features, head, feature) && is_inherited(features, feature);
        AT(int32_t, features->values, feature) =
            has ? AT(int32_t, features->value_of, pair_at(features, head, feature)) : MATCHED;
    }
    for (size_t i = 0; i < features->rules.used; i++) {
        const FeatureRule *rule = &AT(FeatureRule, features->rules, i);
        int32_t value = is_settled(features, rule->feature) ? MATCHED : value_by(features, rule);
        if (value == MATCHED) continue;
        AT(int32_t, features->values, rule->feature) = value;
        AT(int32_t, features->settled, rule->feature) = features->stamp;
    }
    features->row.used = 0;
    for (int32_t feature = 0; feature < features->width; feature++) {
        int32_t value = AT(int32_t, features->values, feature);
        if (value != MATCHED && (add_number(&features->row, feature) < 0 || add_number(&features->row, value) < 0))
            return -1;
    }
    return 0;
}

int features_phrase(Features *features, int32_t contributions, int32_t *out) {
    size_t size;
    int is_new;
    const int32_t *row = row_of(&features->contributions, contributions, &size);
    if (make_bundle(features, row, size) < 0) return -1;
    int32_t number = rows_put(&features->bundles, &features->row, &is_new);
    if (number < 0) return -1;
    if (is_new) {
        PyObject *pairs = tuple_of((const int32_t *)features->row.at, (int32_t)features->row.used);
        PyObject *kind = pairs ? PyObject_CallMethod(features->twin, "phrase_with", "(N)", pairs) : NULL;
        if (ask_number(kind, out) < 0 || add_number(&features->kinds, *out) < 0) return -1;
    }
    *out = AT(int32_t, features->kinds, number);
    return 0;
}

/* creation */

/* Read the rules: feature, value, and tuples of conditions and sources. */
static int read_rules(Features *features, PyObject *rules) {
    Py_ssize_t size = rules ? PyTuple_Size(rules) : -1;
    int bad = size < 0;
    for (Py_ssize_t i = 0; i < size && !bad; i++) {
        FeatureRule rule = {.conditions = (int32_t)features->sources.used}, *fresh;
        PyObject *conditions, *sources;
        bad = !PyArg_ParseTuple(PyTuple_GetItem(rules, i), "iiOO", &rule.feature, &rule.value, &conditions,
                                &sources) ||
              add_tuple(&features->sources, Py_NewRef(conditions)) < 0;
        rule.sources = (int32_t)features->sources.used;
        bad = bad || add_tuple(&features->sources, Py_NewRef(sources)) < 0 ||
              widen(features, rule.feature + 1) < 0 || !(fresh = vector_add(&features->rules));
        rule.end = (int32_t)features->sources.used;
        if (!bad) *fresh = rule;
    }
    return bad ? -1 : 0;
}

int features_new(Features *features, PyObject *twin) {
    Vector *numbers[] = {&features->inherited, &features->heads, &features->sources, &features->kinds,
                         &features->had.of_place, &features->had.of_pair, &features->asked.of_place,
                         &features->asked.of_pair, &features->settled, &features->values, &features->value_of,
                         &features->merged, &features->row};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) numbers[i]->width = sizeof(int32_t);
    features->rules.width = sizeof(FeatureRule);
    rows_new(&features->contributed), rows_new(&features->contributions), rows_new(&features->bundles);
    features->twin = Py_NewRef(twin);
    PyObject *answer = PyObject_CallMethod(twin, "rules_of_features", NULL), *heads, *inherited, *rules;
    int is_new, bad = !answer || !PyArg_ParseTuple(answer, "iOpOO", &features->places, &heads, &features->inherits_all,
                                                   &inherited, &rules) ||
                      widen(features, 1) < 0 || add_tuple(&features->heads, Py_NewRef(heads)) < 0 ||
                      add_tuple(&features->inherited, Py_NewRef(inherited)) < 0 || read_rules(features, rules) < 0 ||
                      rows_put(&features->contributions, &features->row, &is_new) < 0;
    Py_XDECREF(answer);
    return bad ? -1 : 0;
}

void features_free(Features *features) {
    Py_XDECREF(features->twin);
    Vector *vectors[] = {&features->inherited, &features->heads, &features->sources, &features->kinds,
                         &features->had.of_place, &features->had.of_pair, &features->asked.of_place,
                         &features->asked.of_pair, &features->settled, &features->values, &features->value_of,
                         &features->merged, &features->row, &features->rules};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) free(vectors[i]->at);
    rows_free(&features->contributed), rows_free(&features->contributions), rows_free(&features->bundles);
}
