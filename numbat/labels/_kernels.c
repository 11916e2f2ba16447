/* The inner loops of the tagger's learners, with the same results as loops.py to the last digit.
 *
 * The arguments of a loop are records from loops.py, each unpacked into a struct with the same fields.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int view(PyObject *object, Py_buffer *buffer, int writable, Py_ssize_t least) {
    if (PyObject_GetBuffer(object, buffer, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) return -1;
    if (buffer->len < least) {
        PyBuffer_Release(buffer);
        PyErr_SetString(PyExc_ValueError, "a buffer is too short");
        return -1;
    }
    return 0;
}

/* The perceptron. A row of weights has three heads of `labels` numbers each: for the label of the token before, of the
 * token itself, and of the token after. */

#define MOST_WIDTH 16

typedef struct {
    const int64_t *codes;
    Py_ssize_t size;
} Codes;

typedef struct { /* loops.TokenArrays */
    const int32_t *features, *gold;
    const uint8_t *edges;
} TokenArrays;

typedef struct { /* loops.WeightArrays */
    float *weights;
    double *weight_sums;
    float *pairs;
    double *pair_sums;
    float *trigrams;
    double *trigram_sums;
} WeightArrays;

typedef struct { /* loops.Epoch, and the sizes of its arrays */
    const int32_t *order;
    TokenArrays tokens;
    Codes codes;
    WeightArrays weights;
    int width;
    float margin;
    long long steps;
    Py_ssize_t count, templates; /* tokens, features of each */
    int labels;
    float *scores; /* 3 x labels, memory for intermediate results */
} Epoch;

static Py_ssize_t find(const Codes *codes, int64_t code) {
    Py_ssize_t low = 0, high = codes->size;
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        if (codes->codes[middle] < code) low = middle + 1;
        else high = middle;
    }
    return low < codes->size && codes->codes[low] == code ? low : -1;
}

/* Find the `width` best labels of one head, the best first and the lower number first among equals; 0 is the edge. */
static int shortlist(const float *scores, int labels, int is_edge, int width, int *chosen) {
    if (is_edge) {
        chosen[0] = 0;
        return 1;
    }
    int number = 0;
    for (int label = 1; label < labels; label++) {
        int place = number;
        while (place > 0 && scores[label] > scores[chosen[place - 1]]) place--;
        if (place >= width) continue;
        int last = number < width ? number++ : width - 1;
        for (int i = last; i > place; i--) chosen[i] = chosen[i - 1];
        chosen[place] = label;
    }
    return number;
}

/* Find the best class that combines the few best labels of each head. */
static void best_class(const Epoch *e, const uint8_t *edges, int *found) {
    int labels = e->labels, few[3][MOST_WIDTH], sizes[3];
    Py_ssize_t square = (Py_ssize_t)labels * labels;
    const float *scores = e->scores, *pairs = e->weights.pairs;
    for (int head = 0; head < 3; head++)
        sizes[head] = shortlist(scores + head * labels, labels, edges[head], e->width, few[head]);
    float best = -INFINITY;
    found[0] = found[1] = found[2] = 0;
    for (int i = 0; i < sizes[0]; i++)
        for (int j = 0; j < sizes[1]; j++)
            for (int k = 0; k < sizes[2]; k++) {
                int x = few[0][i], y = few[1][j], z = few[2][k];
                float value = scores[x] + scores[labels + y] + scores[2 * labels + z] + pairs[x * labels + y] +
                              pairs[square + y * labels + z];
                Py_ssize_t at = find(&e->codes, ((int64_t)x * labels + y) * labels + z);
                if (at >= 0) value += e->weights.trigrams[at];
                if (value > best) {
                    best = value;
                    found[0] = x, found[1] = y, found[2] = z;
                }
            }
}

static void change(float *weights, double *sums, Py_ssize_t at, int by, long long step) {
    weights[at] += (float)by;
    sums[at] += by * (double)step;
}

/* Raise the weights of the right class and lower those of the predicted one, where the classes differ. */
static void learn(const Epoch *e, const int32_t *features, const int32_t *right, const int *found) {
    const WeightArrays *w = &e->weights;
    int labels = e->labels;
    Py_ssize_t across = 3 * (Py_ssize_t)labels, square = (Py_ssize_t)labels * labels;
    for (int head = 0; head < 3; head++)
        if (found[head] != right[head])
            for (Py_ssize_t t = 0; t < e->templates; t++)
                if (features[t]) {
                    Py_ssize_t at = features[t] * across + (Py_ssize_t)head * labels;
                    change(w->weights, w->weight_sums, at + right[head], 1, e->steps);
                    change(w->weights, w->weight_sums, at + found[head], -1, e->steps);
                }
    for (int pair = 0; pair < 2; pair++) {
        Py_ssize_t wanted = square * pair + (Py_ssize_t)right[pair] * labels + right[pair + 1];
        Py_ssize_t made = square * pair + (Py_ssize_t)found[pair] * labels + found[pair + 1];
        if (wanted == made) continue;
        change(w->pairs, w->pair_sums, wanted, 1, e->steps);
        change(w->pairs, w->pair_sums, made, -1, e->steps);
    }
    Py_ssize_t at = find(&e->codes, ((int64_t)right[0] * labels + right[1]) * labels + right[2]);
    if (at >= 0) change(w->trigrams, w->trigram_sums, at, 1, e->steps);
    at = find(&e->codes, ((int64_t)found[0] * labels + found[1]) * labels + found[2]);
    if (at >= 0) change(w->trigrams, w->trigram_sums, at, -1, e->steps);
}

/* Learn from all tokens in order, and return the number of mistakes. */
static long run_epoch(Epoch *e) {
    int labels = e->labels;
    Py_ssize_t across = 3 * (Py_ssize_t)labels;
    long mistakes = 0;
    for (Py_ssize_t n = 0; n < e->count; n++) {
        Py_ssize_t token = e->order[n];
        const int32_t *features = e->tokens.features + token * e->templates, *right = e->tokens.gold + token * 3;
        float *scores = e->scores;
        memset(scores, 0, sizeof(float) * across);
        for (Py_ssize_t t = 0; t < e->templates; t++)
            if (features[t]) {
                const float *row = e->weights.weights + features[t] * across;
                for (Py_ssize_t i = 0; i < across; i++) scores[i] += row[i];
            }
        for (int head = 0; head < 3; head++)
            for (int label = 0; label < labels; label++)
                if (label != right[head]) scores[head * labels + label] += e->margin;
        int found[3];
        best_class(e, e->tokens.edges + token * 3, found);
        e->steps++;
        if (found[0] == right[0] && found[1] == right[1] && found[2] == right[2]) continue;
        mistakes++;
        learn(e, features, right, found);
    }
    return mistakes;
}

enum { BETWEEN_CHECKS = 2048 }; /* tokens between two checks for signals */

#define ARRAYS 12 /* number of arrays in an epoch, with the scores; those from the sixth on are changed */

static PyObject *train_epoch(PyObject *self, PyObject *args) {
    PyObject *o[ARRAYS];
    Epoch e = {0};
    if (!PyArg_ParseTuple(args, "(O(OOO)O(OOOOOO)ifL)Oni", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6], &o[7],
                          &o[8], &o[9], &o[10], &e.width, &e.margin, &e.steps, &o[11], &e.templates, &e.labels))
        return NULL;
    if (e.width < 1 || e.width > MOST_WIDTH) {
        PyErr_SetString(PyExc_ValueError, "the width of the beam is not allowed");
        return NULL;
    }
    Py_buffer b[ARRAYS];
    for (int i = 0; i < ARRAYS; i++)
        if (view(o[i], &b[i], i >= 5, 0) < 0) {
            while (i-- > 0) PyBuffer_Release(&b[i]);
            return NULL;
        }
    e.order = b[0].buf, e.count = b[0].len / (Py_ssize_t)sizeof(int32_t);
    e.tokens = (TokenArrays){b[1].buf, b[2].buf, b[3].buf};
    e.codes = (Codes){b[4].buf, b[4].len / (Py_ssize_t)sizeof(int64_t)};
    e.weights = (WeightArrays){b[5].buf, b[6].buf, b[7].buf, b[8].buf, b[9].buf, b[10].buf};
    e.scores = b[11].buf;
    long mistakes = 0;
    int is_ended = 0;
    for (Py_ssize_t left = e.count; left > 0 && !is_ended; left -= e.count, e.order += e.count) {
        e.count = left < BETWEEN_CHECKS ? left : BETWEEN_CHECKS;
        Py_BEGIN_ALLOW_THREADS
        mistakes += run_epoch(&e);
        Py_END_ALLOW_THREADS
        is_ended = PyErr_CheckSignals() < 0;
    }
    for (int i = 0; i < ARRAYS; i++) PyBuffer_Release(&b[i]);
    return is_ended ? NULL : Py_BuildValue("lL", mistakes, e.steps); /* loops.EpochResult */
}

/* The nearest neighbours. `values` has the values of all instances feature by feature; instances are sorted by them.
 * For each value, `ends` has the end of the run of instances that are equal up to this feature: the runs form a tree. */

typedef struct { /* loops.NearestQuery, and the sizes of its arrays */
    const int32_t *values, *ends, *focus;
    const int64_t *weights, *least; /* distance for a mismatch; smallest distance in all features from this one on */
    const int32_t **distances;      /* the distance of each value from the focus; NULL for overlap */
    Py_ssize_t feature, low, high;
    int k;
    Py_ssize_t features, instances;
} NearestQuery;

typedef struct {
    NearestQuery query;
    int known;
    int64_t *best; /* the smallest distances so far, in order: there are `known` of them, at most k */
    int64_t bound;
    int32_t *found; /* the instances for loops.Neighbours, and some that turned out to be too far */
    int64_t *far;
    Py_ssize_t number, room;
} Search;

static int keep(Search *s, Py_ssize_t instance, int64_t distance) {
    if (distance > s->bound) return 0;
    int place = s->known;
    while (place > 0 && s->best[place - 1] > distance) place--;
    if (place == 0 || s->best[place - 1] != distance) {
        int last = s->known < s->query.k ? s->known++ : s->query.k - 1;
        for (int i = last; i > place; i--) s->best[i] = s->best[i - 1];
        s->best[place] = distance;
        if (s->known == s->query.k) s->bound = s->best[s->query.k - 1];
    }
    if (s->number == s->room) {
        s->room = s->room ? 2 * s->room : 256;
        int32_t *found = realloc(s->found, s->room * sizeof *found);
        if (found) s->found = found;
        int64_t *far = realloc(s->far, s->room * sizeof *far);
        if (far) s->far = far;
        if (!found || !far) return -1;
    }
    s->found[s->number] = (int32_t)instance;
    s->far[s->number++] = distance;
    return 0;
}

static int64_t cost(const Search *s, Py_ssize_t feature, int32_t value) {
    if (s->query.distances[feature]) return s->query.distances[feature][value];
    return value == s->query.focus[feature] ? 0 : s->query.weights[feature];
}

static int descend(Search *s, Py_ssize_t feature, Py_ssize_t low, Py_ssize_t high, int64_t sum) {
    const NearestQuery *q = &s->query;
    if (feature == q->features) return keep(s, low, sum);
    const int32_t *values = q->values + feature * q->instances;
    const int32_t *ends = q->ends + feature * q->instances;
    if (high - low == 1) {
        for (; feature < q->features; feature++) {
            sum += cost(s, feature, q->values[feature * q->instances + low]);
            if (sum + q->least[feature + 1] > s->bound) return 0;
        }
        return keep(s, low, sum);
    }
    int32_t same = q->focus[feature];
    Py_ssize_t from = low, to = high;
    while (from < to) {
        Py_ssize_t middle = (from + to) / 2;
        if (values[middle] < same) from = middle + 1;
        else to = middle;
    }
    Py_ssize_t match = from < high && values[from] == same ? from : -1;
    if (match >= 0 && sum + q->least[feature + 1] <= s->bound && descend(s, feature + 1, match, ends[match], sum) < 0)
        return -1;
    const int32_t *given = q->distances[feature];
    for (Py_ssize_t i = low; i < high; i = ends[i]) {
        if (i == match) continue;
        int64_t now = sum + (given ? given[values[i]] : q->weights[feature]);
        if (now + q->least[feature + 1] > s->bound) {
            if (!given) return 0;
            continue;
        }
        if (descend(s, feature + 1, i, ends[i], now) < 0) return -1;
    }
    return 0;
}

static PyObject *nearest_instances(PyObject *self, PyObject *record) {
    PyObject *objects[5], *distances, *result = NULL;
    Search s = {0};
    NearestQuery *q = &s.query;
    if (!PyArg_ParseTuple(record, "OOOOOOnnni", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &distances, &q->feature, &q->low, &q->high, &q->k))
        return NULL;
    q->features = PyList_Size(distances);
    if (q->features < 0) return NULL;
    Py_buffer b[5], *own = calloc(q->features + 1, sizeof *own);
    int held = 0;
    Py_ssize_t taken = 0;
    q->distances = calloc(q->features + 1, sizeof *q->distances);
    s.best = calloc(q->k > 0 ? q->k : 1, sizeof *s.best);
    if (!own || !q->distances || !s.best) {
        PyErr_NoMemory();
        goto done;
    }
    for (; held < 5; held++)
        if (view(objects[held], &b[held], 0, 0) < 0) goto done;
    for (; taken < q->features; taken++) {
        PyObject *given = PyList_GetItem(distances, taken);
        if (!given) goto done;
        if (given != Py_None) {
            if (view(given, &own[taken], 0, 0) < 0) goto done;
            q->distances[taken] = own[taken].buf;
        }
    }
    q->values = b[0].buf, q->ends = b[1].buf, q->focus = b[2].buf, q->weights = b[3].buf, q->least = b[4].buf;
    q->instances = q->features ? b[0].len / (Py_ssize_t)sizeof(int32_t) / q->features : 0;
    s.bound = INT64_MAX;
    if (b[1].len < b[0].len || b[2].len < q->features * 4 || b[3].len < q->features * 8 ||
        b[4].len < (q->features + 1) * 8 || q->low < 0 || q->high > q->instances || q->low >= q->high ||
        q->feature < 0 || q->feature > q->features || q->k < 1) {
        PyErr_SetString(PyExc_ValueError, "the buffers do not fit");
        goto done;
    }
    if (descend(&s, q->feature, q->low, q->high, 0) < 0) {
        PyErr_NoMemory();
        goto done;
    }
    Py_ssize_t number = 0;
    for (Py_ssize_t i = 0; i < s.number; i++)
        if (s.far[i] <= s.bound) s.found[number] = s.found[i], s.far[number++] = s.far[i];
    result = Py_BuildValue("y#y#", s.found ? (char *)s.found : "", number * 4, s.far ? (char *)s.far : "", number * 8);
done:
    while (held-- > 0) PyBuffer_Release(&b[held]);
    for (Py_ssize_t i = 0; i < taken; i++)
        if (q->distances[i]) PyBuffer_Release(&own[i]);
    free(own), free(q->distances), free(s.best), free(s.found), free(s.far);
    return result;
}

static PyMethodDef methods[] = {
    {"train_epoch", train_epoch, METH_VARARGS, "See loops.train_epoch."},
    {"nearest_instances", nearest_instances, METH_O, "See loops.nearest_instances."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels", "What loops.py does, compiled.", -1,
                                    methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernels(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "INTERFACE", INTERFACE) < 0) Py_CLEAR(made);
    return made;
}
