/* The hot loops of the sequence room: the compiled twins of loops.py. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
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

/* The perceptron. Rows of weights have three heads of `labels` numbers: for the label before, of, after a token. */

#define MOST 16

typedef struct {
    const int64_t *codes;
    Py_ssize_t size;
} Codes;

static Py_ssize_t find(const Codes *codes, int64_t code) {
    Py_ssize_t low = 0, high = codes->size;
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        if (codes->codes[middle] < code) low = middle + 1;
        else high = middle;
    }
    return low < codes->size && codes->codes[low] == code ? low : -1;
}

/* The `width` best labels of one head, best first, the lower number where two are equal; 0 is the edge. */
static int shortlist(const float *scores, int labels, int edge, int width, int *chosen) {
    if (edge) {
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

static void change(float *weights, double *sums, Py_ssize_t at, int by, long long count) {
    weights[at] += (float)by;
    sums[at] += by * (double)count;
}

static PyObject *epoch(PyObject *self, PyObject *args) {
    PyObject *objects[12];
    Py_ssize_t templates;
    int labels, width;
    float margin;
    long long count;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOOOniifL", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6], &objects[7], &objects[8], &objects[9], &objects[10], &objects[11],
                          &templates, &labels, &width, &margin, &count))
        return NULL;
    /* order, rows, gold, ends | codes | weights, sums, pairs, pair sums, trigrams, trigram sums | spare */
    Py_buffer b[12];
    for (int i = 0; i < 12; i++)
        if (view(objects[i], &b[i], i >= 5, 0) < 0) {
            while (i-- > 0) PyBuffer_Release(&b[i]);
            return NULL;
        }
    const int32_t *order = b[0].buf, *rows = b[1].buf, *gold = b[2].buf;
    const uint8_t *ends = b[3].buf;
    Codes codes = {b[4].buf, b[4].len / (Py_ssize_t)sizeof(int64_t)};
    float *weights = b[5].buf, *pairs = b[7].buf, *tri = b[9].buf, *scores = b[11].buf;
    double *sums = b[6].buf, *pair_sums = b[8].buf, *tri_sums = b[10].buf;
    Py_ssize_t tokens = b[0].len / (Py_ssize_t)sizeof(int32_t), across = 3 * (Py_ssize_t)labels,
               square = (Py_ssize_t)labels * labels;
    long mistakes = 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t n = 0; n < tokens; n++) {
        Py_ssize_t token = order[n];
        const int32_t *own = rows + token * templates, *right = gold + token * 3;
        memset(scores, 0, sizeof(float) * across);
        for (Py_ssize_t t = 0; t < templates; t++)
            if (own[t]) {
                const float *row = weights + own[t] * across;
                for (Py_ssize_t i = 0; i < across; i++) scores[i] += row[i];
            }
        for (int head = 0; head < 3; head++)
            for (int label = 0; label < labels; label++)
                if (label != right[head]) scores[head * labels + label] += margin;
        int few[3][MOST], sizes[3];
        for (int head = 0; head < 3; head++)
            sizes[head] = shortlist(scores + head * labels, labels,
                                    (head == 0 && (ends[token] & 1)) || (head == 2 && (ends[token] & 2)), width, few[head]);
        float best = -3e38f;
        int said[3] = {0, 0, 0};
        for (int i = 0; i < sizes[0]; i++)
            for (int j = 0; j < sizes[1]; j++)
                for (int k = 0; k < sizes[2]; k++) {
                    int x = few[0][i], y = few[1][j], z = few[2][k];
                    float value = scores[x] + scores[labels + y] + scores[2 * labels + z] +
                                  pairs[x * labels + y] + pairs[square + y * labels + z];
                    Py_ssize_t at = find(&codes, ((int64_t)x * labels + y) * labels + z);
                    if (at >= 0) value += tri[at];
                    if (value > best) {
                        best = value;
                        said[0] = x, said[1] = y, said[2] = z;
                    }
                }
        count++;
        if (said[0] == right[0] && said[1] == right[1] && said[2] == right[2]) continue;
        mistakes++;
        for (int head = 0; head < 3; head++)
            if (said[head] != right[head])
                for (Py_ssize_t t = 0; t < templates; t++)
                    if (own[t]) {
                        Py_ssize_t at = own[t] * across + (Py_ssize_t)head * labels;
                        change(weights, sums, at + right[head], 1, count);
                        change(weights, sums, at + said[head], -1, count);
                    }
        for (int pair = 0; pair < 2; pair++) {
            Py_ssize_t wanted = square * pair + (Py_ssize_t)right[pair] * labels + right[pair + 1];
            Py_ssize_t found = square * pair + (Py_ssize_t)said[pair] * labels + said[pair + 1];
            if (wanted != found) change(pairs, pair_sums, wanted, 1, count), change(pairs, pair_sums, found, -1, count);
        }
        Py_ssize_t at = find(&codes, ((int64_t)right[0] * labels + right[1]) * labels + right[2]);
        if (at >= 0) change(tri, tri_sums, at, 1, count);
        at = find(&codes, ((int64_t)said[0] * labels + said[1]) * labels + said[2]);
        if (at >= 0) change(tri, tri_sums, at, -1, count);
    }
    Py_END_ALLOW_THREADS
    for (int i = 0; i < 12; i++) PyBuffer_Release(&b[i]);
    return Py_BuildValue("lL", mistakes, count);
}

/* The nearest neighbours. Instances are sorted by their values, those of one feature stand together (`values`), and
 * `ends` says where the run of instances with equal values up to this feature ends: together they are a tree. */

typedef struct {
    Py_ssize_t features, instances;
    const int32_t *values, *ends, *focus;
    const int64_t *weights, *least; /* of a mismatch, and of what all features from this one on cost at least */
    const int32_t **rows;           /* the distance of each value from the focus; NULL for overlap */
    int k, known;
    int64_t *best; /* the nearest distances so far, in order */
    int64_t bound;
    int32_t *found;
    int64_t *far;
    Py_ssize_t number, room;
} Search;

static int keep(Search *s, Py_ssize_t instance, int64_t distance) {
    if (distance > s->bound) return 0;
    int place = s->known;
    while (place > 0 && s->best[place - 1] > distance) place--;
    if (place == 0 || s->best[place - 1] != distance) {
        int last = s->known < s->k ? s->known++ : s->k - 1;
        for (int i = last; i > place; i--) s->best[i] = s->best[i - 1];
        s->best[place] = distance;
        if (s->known == s->k) s->bound = s->best[s->k - 1];
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
    if (s->rows[feature]) return s->rows[feature][value];
    return value == s->focus[feature] ? 0 : s->weights[feature];
}

static int descend(Search *s, Py_ssize_t feature, Py_ssize_t low, Py_ssize_t high, int64_t sum) {
    if (feature == s->features) return keep(s, low, sum);
    const int32_t *values = s->values + feature * s->instances, *ends = s->ends + feature * s->instances;
    if (high - low == 1) {
        for (; feature < s->features; feature++) {
            sum += cost(s, feature, s->values[feature * s->instances + low]);
            if (sum + s->least[feature + 1] > s->bound) return 0;
        }
        return keep(s, low, sum);
    }
    int32_t same = s->focus[feature];
    Py_ssize_t from = low, to = high;
    while (from < to) {
        Py_ssize_t middle = (from + to) / 2;
        if (values[middle] < same) from = middle + 1;
        else to = middle;
    }
    Py_ssize_t match = from < high && values[from] == same ? from : -1;
    if (match >= 0 && sum + s->least[feature + 1] <= s->bound && descend(s, feature + 1, match, ends[match], sum) < 0)
        return -1;
    const int32_t *row = s->rows[feature];
    for (Py_ssize_t i = low; i < high; i = ends[i]) {
        if (i == match) continue;
        int64_t now = sum + (row ? row[values[i]] : s->weights[feature]);
        if (now + s->least[feature + 1] > s->bound) {
            if (!row) return 0;
            continue;
        }
        if (descend(s, feature + 1, i, ends[i], now) < 0) return -1;
    }
    return 0;
}

static PyObject *nearest(PyObject *self, PyObject *args) {
    PyObject *values, *ends, *focus, *weights, *least, *rows;
    Py_ssize_t feature, low, high;
    Search s = {0};
    if (!PyArg_ParseTuple(args, "OOOOOOnnni", &values, &ends, &focus, &weights, &least, &rows, &feature, &low, &high, &s.k))
        return NULL;
    s.features = PyList_Size(rows);
    if (s.features < 0) return NULL;
    Py_buffer b[5], *own = calloc(s.features + 1, sizeof *own);
    PyObject *objects[5] = {values, ends, focus, weights, least}, *result = NULL;
    int held = 0;
    Py_ssize_t taken = 0;
    s.rows = calloc(s.features + 1, sizeof *s.rows);
    s.best = calloc(s.k > 0 ? s.k : 1, sizeof *s.best);
    if (!own || !s.rows || !s.best) {
        PyErr_NoMemory();
        goto done;
    }
    for (; held < 5; held++)
        if (view(objects[held], &b[held], 0, 0) < 0) goto done;
    for (; taken < s.features; taken++) {
        PyObject *row = PyList_GetItem(rows, taken);
        if (!row) goto done;
        if (row != Py_None) {
            if (view(row, &own[taken], 0, 0) < 0) goto done;
            s.rows[taken] = own[taken].buf;
        }
    }
    s.values = b[0].buf, s.ends = b[1].buf, s.focus = b[2].buf, s.weights = b[3].buf, s.least = b[4].buf;
    s.instances = s.features ? b[0].len / (Py_ssize_t)sizeof(int32_t) / s.features : 0;
    s.bound = INT64_MAX;
    if (b[1].len < b[0].len || b[2].len < s.features * 4 || b[3].len < s.features * 8 || b[4].len < (s.features + 1) * 8 ||
        low < 0 || high > s.instances || low >= high || feature < 0 || feature > s.features || s.k < 1) {
        PyErr_SetString(PyExc_ValueError, "the buffers do not fit");
        goto done;
    }
    if (descend(&s, feature, low, high, 0) < 0) {
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
        if (s.rows[i]) PyBuffer_Release(&own[i]);
    free(own), free(s.rows), free(s.best), free(s.found), free(s.far);
    return result;
}

static PyMethodDef methods[] = {
    {"epoch", epoch, METH_VARARGS, NULL},
    {"nearest", nearest, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "numbat.sequence._kernels", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModule_Create(&module); }
