/* Expected counts and best trees of the dependency model with valence: python_inference.py in scaled probabilities.

   LANES sentences of one length are processed at a time: the last index of each array of a chart is the lane. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 4 };
#define SCALE 8.0      /* factor of each link, so that products of many probabilities stay in range */
#define SMALLEST 1e-250 /* values outside these bounds are left to python_inference, which uses logarithms */
#define LARGEST 1e250

/* Compile the loops over lanes twice, so that processors with AVX2 use its instructions. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

typedef struct { /* python_inference.Weights, and counts of the same shape */
    double *stop, *go, *child, *root;
} Weights;

typedef struct {
    Py_ssize_t n, tags;
    const double *link; /* by distance */
    double breaks;      /* weight of each tree in a sequence of trees, 0 for single trees */
    /* by position, side, whether there is a child on that side, lane */
    double *stop, *go;
    double *root;                   /* by position, lane */
    double *weight;                 /* of a link: by head, child, lane */
    double *left, *right;           /* by head, last word: completed half of a tree, to the left, to the right */
    double *left_go, *right_go;     /* the same, about to take another child */
    double *left_link, *right_link; /* by head, child: the head with its half, the child with its half towards the head */
    double *d_left, *d_right, *d_left_go, *d_right_go, *d_left_link, *d_right_link; /* derivatives of the logarithm */
    double *before, *after;         /* by position: sums over the trees before it, from it on */
    double *all;                    /* memory of all arrays above */
} Chart;

#define AT(array, row, column) ((array) + ((row) * n + (column)) * LANES)
#define BY(array, position, side, has) ((array) + (((position) * 2 + (side)) * 2 + (has)) * LANES)
#define EACH for (int l = 0; l < LANES; l++)

static int make_chart(Chart *chart, Py_ssize_t n, Py_ssize_t tags, const double *link, double breaks) {
    size_t square = (size_t)(n * n * LANES), line = (size_t)((n + 1) * LANES);
    double *at = calloc(13 * square + 11 * line, sizeof *at);
    if (!at) return -1;
    *chart = (Chart){.n = n, .tags = tags, .link = link, .breaks = breaks, .all = at};
    double **squares[] = {&chart->weight,     &chart->left,       &chart->right,     &chart->left_go,     &chart->right_go,
                          &chart->left_link,  &chart->right_link, &chart->d_left,    &chart->d_right,     &chart->d_left_go,
                          &chart->d_right_go, &chart->d_left_link, &chart->d_right_link};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++, at += square) *squares[i] = at;
    chart->stop = at, at += 4 * line;
    chart->go = at, at += 4 * line;
    chart->root = at, at += line;
    chart->before = at, at += line;
    chart->after = at;
    return 0;
}

/* Copy the parameters that the sentences in the lanes use. */
static void look_up(Chart *chart, const int32_t *const words[LANES], const Weights *weights) {
    Py_ssize_t n = chart->n, tags = chart->tags;
    EACH for (Py_ssize_t i = 0; i < n; i++) {
        const int32_t head = words[l][i];
        for (int side = 0; side < 2; side++)
            for (int has = 0; has < 2; has++) {
                BY(chart->stop, i, side, has)[l] = weights->stop[(head * 2 + side) * 2 + has];
                BY(chart->go, i, side, has)[l] = weights->go[(head * 2 + side) * 2 + has];
            }
        chart->root[i * LANES + l] = weights->root[head] * SCALE;
        const double *child = weights->child + 2 * tags * head;
        for (Py_ssize_t j = 0; j < i; j++) AT(chart->weight, i, j)[l] = child[words[l][j]];
        for (Py_ssize_t j = i + 1; j < n; j++) AT(chart->weight, i, j)[l] = child[tags + words[l][j]];
    }
    for (Py_ssize_t i = 0; i < n; i++)
        for (Py_ssize_t j = 0; j < n; j++) {
            const double factor = chart->link[i < j ? j - i : i - j] * SCALE;
            double *weight = AT(chart->weight, i, j);
            EACH weight[l] *= factor;
        }
}

WIDE static void inside(Chart *chart) {
    const Py_ssize_t n = chart->n;
    for (Py_ssize_t i = 0; i < n; i++) {
        memcpy(AT(chart->left, i, i), BY(chart->stop, i, 0, 0), LANES * sizeof(double));
        memcpy(AT(chart->right, i, i), BY(chart->stop, i, 1, 0), LANES * sizeof(double));
        memcpy(AT(chart->left_go, i, i), BY(chart->go, i, 0, 0), LANES * sizeof(double));
        memcpy(AT(chart->right_go, i, i), BY(chart->go, i, 1, 0), LANES * sizeof(double));
    }
    for (Py_ssize_t width = 1; width < n; width++)
        for (Py_ssize_t i = 0, j = width; j < n; i++, j++) {
            double to_right[LANES] = {0}, to_left[LANES] = {0}, right[LANES] = {0}, left[LANES] = {0};
            const double *i_go = AT(chart->right_go, i, i), *j_left = AT(chart->left, j, i + 1);
            const double *i_right = AT(chart->right, i, i), *j_go = AT(chart->left_go, j, i + 1);
            for (Py_ssize_t k = 0; k < width * LANES; k += LANES) {
                EACH to_right[l] += i_go[k + l] * j_left[k + l];
                EACH to_left[l] += i_right[k + l] * j_go[k + l];
            }
            double *i_takes_j = AT(chart->right_link, i, j), *j_takes_i = AT(chart->left_link, j, i);
            EACH i_takes_j[l] = to_right[l] * AT(chart->weight, i, j)[l];
            EACH j_takes_i[l] = to_left[l] * AT(chart->weight, j, i)[l];
            for (Py_ssize_t d = i + 1; d <= j; d++) {
                const double *link = AT(chart->right_link, i, d), *rest = AT(chart->right, d, j);
                EACH right[l] += link[l] * rest[l];
            }
            for (Py_ssize_t d = i; d < j; d++) {
                const double *link = AT(chart->left_link, j, d), *rest = AT(chart->left, d, i);
                EACH left[l] += link[l] * rest[l];
            }
            double *right_stop = AT(chart->right, i, j), *right_more = AT(chart->right_go, i, j);
            double *left_stop = AT(chart->left, j, i), *left_more = AT(chart->left_go, j, i);
            const double *stop = BY(chart->stop, i, 1, 1), *go = BY(chart->go, i, 1, 1);
            EACH right_stop[l] = right[l] * stop[l];
            EACH right_more[l] = right[l] * go[l];
            stop = BY(chart->stop, j, 0, 1), go = BY(chart->go, j, 0, 1);
            EACH left_stop[l] = left[l] * stop[l];
            EACH left_more[l] = left[l] * go[l];
        }
}

/* Sum over the trees from `start` to `end`, both included. */
static inline void trees_over(const Chart *chart, Py_ssize_t start, Py_ssize_t end, double total[LANES]) {
    const Py_ssize_t n = chart->n;
    EACH total[l] = 0;
    for (Py_ssize_t r = start; r <= end; r++) {
        const double *root = chart->root + r * LANES, *left = AT(chart->left, r, start), *right = AT(chart->right, r, end);
        EACH total[l] += root[l] * left[l] * right[l];
    }
}

/* Sums over all analyses: one tree, or a sequence of trees with weight `breaks` each. */
WIDE static void sums(Chart *chart, double total[LANES]) {
    const Py_ssize_t n = chart->n;
    if (chart->breaks == 0) {
        trees_over(chart, 0, n - 1, total);
        return;
    }
    memset(chart->before, 0, (size_t)((n + 1) * LANES) * sizeof(double));
    EACH chart->before[l] = 1;
    for (Py_ssize_t end = 0; end < n; end++)
        for (Py_ssize_t start = 0; start <= end; start++) {
            double trees[LANES];
            trees_over(chart, start, end, trees);
            EACH chart->before[(end + 1) * LANES + l] += chart->before[start * LANES + l] * trees[l] * chart->breaks;
        }
    EACH total[l] = chart->before[n * LANES + l];
}

/* Add the derivatives for the halves at the roots of trees, times `factor` by lane, and count the roots. */
static inline void from_roots(Chart *chart, Py_ssize_t start, Py_ssize_t end, const double factor[LANES], double *roots) {
    const Py_ssize_t n = chart->n;
    for (Py_ssize_t r = start; r <= end; r++) {
        const double *root = chart->root + r * LANES, *left = AT(chart->left, r, start), *right = AT(chart->right, r, end);
        double *d_left = AT(chart->d_left, r, start), *d_right = AT(chart->d_right, r, end);
        EACH {
            const double share = factor[l] * root[l];
            d_left[l] += share * right[l];
            d_right[l] += share * left[l];
            roots[r * LANES + l] += share * left[l] * right[l];
        }
    }
}

WIDE static void outside_of_trees(Chart *chart, const double factor[LANES], double *roots) {
    const Py_ssize_t n = chart->n;
    if (chart->breaks == 0) {
        from_roots(chart, 0, n - 1, factor, roots);
        return;
    }
    memset(chart->after, 0, (size_t)((n + 1) * LANES) * sizeof(double));
    EACH chart->after[n * LANES + l] = 1;
    for (Py_ssize_t start = n - 1; start >= 0; start--)
        for (Py_ssize_t end = start; end < n; end++) {
            double trees[LANES], share[LANES];
            const double *before = chart->before + start * LANES, *after = chart->after + (end + 1) * LANES;
            trees_over(chart, start, end, trees);
            EACH share[l] = factor[l] * before[l] * chart->breaks * after[l];
            EACH chart->after[start * LANES + l] += trees[l] * chart->breaks * after[l];
            from_roots(chart, start, end, share, roots);
        }
}

WIDE static void outside(Chart *chart) {
    const Py_ssize_t n = chart->n;
    for (Py_ssize_t width = n - 1; width > 0; width--)
        for (Py_ssize_t i = 0, j = width; j < n; i++, j++) {
            double right[LANES], left[LANES];
            const double *d_stop = AT(chart->d_right, i, j), *d_go = AT(chart->d_right_go, i, j);
            const double *stop = BY(chart->stop, i, 1, 1), *go = BY(chart->go, i, 1, 1);
            EACH right[l] = d_stop[l] * stop[l] + d_go[l] * go[l];
            d_stop = AT(chart->d_left, j, i), d_go = AT(chart->d_left_go, j, i);
            stop = BY(chart->stop, j, 0, 1), go = BY(chart->go, j, 0, 1);
            EACH left[l] = d_stop[l] * stop[l] + d_go[l] * go[l];
            for (Py_ssize_t d = i + 1; d <= j; d++) {
                const double *link = AT(chart->right_link, i, d), *rest = AT(chart->right, d, j);
                double *d_link = AT(chart->d_right_link, i, d), *d_rest = AT(chart->d_right, d, j);
                EACH d_link[l] += right[l] * rest[l];
                EACH d_rest[l] += right[l] * link[l];
            }
            for (Py_ssize_t d = i; d < j; d++) {
                const double *link = AT(chart->left_link, j, d), *rest = AT(chart->left, d, i);
                double *d_link = AT(chart->d_left_link, j, d), *d_rest = AT(chart->d_left, d, i);
                EACH d_link[l] += left[l] * rest[l];
                EACH d_rest[l] += left[l] * link[l];
            }
            double to_right[LANES], to_left[LANES];
            EACH to_right[l] = AT(chart->d_right_link, i, j)[l] * AT(chart->weight, i, j)[l];
            EACH to_left[l] = AT(chart->d_left_link, j, i)[l] * AT(chart->weight, j, i)[l];
            const double *i_go = AT(chart->right_go, i, i), *j_left = AT(chart->left, j, i + 1);
            const double *i_right = AT(chart->right, i, i), *j_go = AT(chart->left_go, j, i + 1);
            double *d_i_go = AT(chart->d_right_go, i, i), *d_j_left = AT(chart->d_left, j, i + 1);
            double *d_i_right = AT(chart->d_right, i, i), *d_j_go = AT(chart->d_left_go, j, i + 1);
            for (Py_ssize_t k = 0; k < width * LANES; k += LANES) {
                EACH d_i_go[k + l] += to_right[l] * j_left[k + l];
                EACH d_j_left[k + l] += to_right[l] * i_go[k + l];
                EACH d_i_right[k + l] += to_left[l] * j_go[k + l];
                EACH d_j_go[k + l] += to_left[l] * i_right[k + l];
            }
        }
}

static inline void add(double *to, const double *expected, const int32_t *const words[LANES], const char good[LANES],
                       Py_ssize_t position, int side, int has) {
    EACH if (good[l]) to[(words[l][position] * 2 + side) * 2 + has] += expected[l];
}

/* Add the expected counts: the value of each part of the chart times its derivative. */
WIDE static void count(const Chart *chart, const int32_t *const words[LANES], const char good[LANES], const double *roots,
                  const Weights *counts) {
    const Py_ssize_t n = chart->n, tags = chart->tags;
    for (Py_ssize_t i = 0; i < n; i++) {
        EACH if (good[l]) counts->root[words[l][i]] += roots[i * LANES + l];
        for (int side = 0; side < 2; side++) {
            const double *value = side ? chart->right : chart->left, *d_value = side ? chart->d_right : chart->d_left;
            const double *go = side ? chart->right_go : chart->left_go, *d_go = side ? chart->d_right_go : chart->d_left_go;
            const double *link = side ? chart->right_link : chart->left_link;
            const double *d_link = side ? chart->d_right_link : chart->d_left_link;
            double stops[LANES], goes[LANES];
            EACH stops[l] = AT(value, i, i)[l] * AT(d_value, i, i)[l];
            EACH goes[l] = AT(go, i, i)[l] * AT(d_go, i, i)[l];
            add(counts->stop, stops, words, good, i, side, 0);
            add(counts->go, goes, words, good, i, side, 0);
            EACH stops[l] = goes[l] = 0;
            for (Py_ssize_t j = side ? i + 1 : 0; j < (side ? n : i); j++) {
                EACH stops[l] += AT(value, i, j)[l] * AT(d_value, i, j)[l];
                EACH goes[l] += AT(go, i, j)[l] * AT(d_go, i, j)[l];
                double links[LANES];
                EACH links[l] = AT(link, i, j)[l] * AT(d_link, i, j)[l];
                EACH if (good[l]) counts->child[(words[l][i] * 2 + side) * tags + words[l][j]] += links[l];
            }
            add(counts->stop, stops, words, good, i, side, 1);
            add(counts->go, goes, words, good, i, side, 1);
        }
    }
}

/* Compute the log sums of all sentences, NaN if out of range, and add the expected counts to `counts` if given. */
static int expect(const int32_t *words, Py_ssize_t sentences, Py_ssize_t n, Py_ssize_t tags, const Weights *weights,
                  const double *link, double breaks, const double *shares, double *values, const Weights *counts) {
    Chart chart;
    if (make_chart(&chart, n, tags, link, breaks) < 0) return -1;
    double *roots = malloc((size_t)(n * LANES) * sizeof *roots);
    const size_t square = (size_t)(n * n * LANES);
    for (Py_ssize_t first = 0; roots && first < sentences; first += LANES) {
        const int32_t *lanes[LANES];
        double total[LANES], factor[LANES];
        char good[LANES];
        EACH lanes[l] = words + (first + l < sentences ? first + l : first) * n;
        look_up(&chart, lanes, weights);
        inside(&chart);
        sums(&chart, total);
        EACH {
            const int used = first + l < sentences, in_range = total[l] > SMALLEST && total[l] < LARGEST;
            if (used) values[first + l] = in_range ? log(total[l]) - (double)n * log(SCALE) : NAN;
            good[l] = used && in_range;
            factor[l] = good[l] ? shares[first + l] / total[l] : 0;
        }
        if (!counts) continue;
        memset(roots, 0, (size_t)(n * LANES) * sizeof *roots);
        memset(chart.d_left, 0, 6 * square * sizeof(double));
        outside_of_trees(&chart, factor, roots);
        outside(&chart);
        count(&chart, lanes, good, roots, counts);
    }
    free(chart.all);
    if (!roots) return -1;
    free(roots);
    return 0;
}

/* -- Best trees: sums of logarithms, ties go to the first ------------------------------------------------------------ */

typedef struct {
    Py_ssize_t n;
    double *left, *right, *left_go, *right_go, *left_link, *right_link, *all;
    int32_t *split_left, *split_right, *child_left, *child_right; /* back pointers of the best parts */
} BestChart;

#define ON(array, row, column) (array)[(row) * n + (column)]

static void read_half(const BestChart *chart, Py_ssize_t head, Py_ssize_t end, int32_t *heads) {
    const Py_ssize_t n = chart->n;
    while (end != head) {
        const int to_right = end > head;
        const Py_ssize_t child = ON(to_right ? chart->child_right : chart->child_left, head, end);
        const Py_ssize_t split = ON(to_right ? chart->split_right : chart->split_left, head, child);
        heads[child] = (int32_t)head + 1;
        read_half(chart, child, end, heads);
        read_half(chart, child, to_right ? split + 1 : split, heads);
        end = to_right ? split : split + 1;
    }
}

static double best_tree(BestChart *chart, const int32_t *words, Py_ssize_t tags, const Weights *logs, int32_t *heads) {
    const Py_ssize_t n = chart->n;
#define STOP(i, side, has) logs->stop[(words[i] * 2 + (side)) * 2 + (has)]
#define GO(i, side, has) logs->go[(words[i] * 2 + (side)) * 2 + (has)]
    for (Py_ssize_t i = 0; i < n; i++) {
        ON(chart->left, i, i) = STOP(i, 0, 0), ON(chart->right, i, i) = STOP(i, 1, 0);
        ON(chart->left_go, i, i) = GO(i, 0, 0), ON(chart->right_go, i, i) = GO(i, 1, 0);
    }
    for (Py_ssize_t width = 1; width < n; width++)
        for (Py_ssize_t i = 0, j = width; j < n; i++, j++) {
            double right = -INFINITY, left = -INFINITY;
            Py_ssize_t right_split = i, left_split = i;
            for (Py_ssize_t k = i; k < j; k++) {
                const double takes = ON(chart->right_go, i, k) + ON(chart->left, j, k + 1);
                const double taken = ON(chart->right, i, k) + ON(chart->left_go, j, k + 1);
                if (takes > right) right = takes, right_split = k;
                if (taken > left) left = taken, left_split = k;
            }
            ON(chart->right_link, i, j) = right + logs->child[(words[i] * 2 + 1) * tags + words[j]];
            ON(chart->left_link, j, i) = left + logs->child[(words[j] * 2) * tags + words[i]];
            ON(chart->split_right, i, j) = (int32_t)right_split, ON(chart->split_left, j, i) = (int32_t)left_split;
            right = left = -INFINITY;
            Py_ssize_t right_child = j, left_child = i;
            for (Py_ssize_t d = i + 1; d <= j; d++) {
                const double whole = ON(chart->right_link, i, d) + ON(chart->right, d, j);
                if (whole > right) right = whole, right_child = d;
            }
            for (Py_ssize_t d = i; d < j; d++) {
                const double whole = ON(chart->left_link, j, d) + ON(chart->left, d, i);
                if (whole > left) left = whole, left_child = d;
            }
            ON(chart->child_right, i, j) = (int32_t)right_child, ON(chart->child_left, j, i) = (int32_t)left_child;
            ON(chart->right, i, j) = right + STOP(i, 1, 1), ON(chart->right_go, i, j) = right + GO(i, 1, 1);
            ON(chart->left, j, i) = left + STOP(j, 0, 1), ON(chart->left_go, j, i) = left + GO(j, 0, 1);
        }
    double best = -INFINITY;
    Py_ssize_t root = 0;
    for (Py_ssize_t r = 0; r < n; r++) {
        const double whole = ON(chart->left, r, 0) + ON(chart->right, r, n - 1) + logs->root[words[r]];
        if (whole > best) best = whole, root = r;
    }
    heads[root] = 0;
    read_half(chart, root, 0, heads);
    read_half(chart, root, n - 1, heads);
    return best;
}

static int best_trees(const int32_t *words, Py_ssize_t sentences, Py_ssize_t n, Py_ssize_t tags, const Weights *logs,
                      double *scores, int32_t *heads) {
    const size_t square = (size_t)(n * n);
    double *numbers = malloc(6 * square * sizeof *numbers);
    int32_t *places = malloc(4 * square * sizeof *places);
    if (numbers && places) {
        BestChart chart = {n,
                           numbers,
                           numbers + square,
                           numbers + 2 * square,
                           numbers + 3 * square,
                           numbers + 4 * square,
                           numbers + 5 * square,
                           numbers,
                           places,
                           places + square,
                           places + 2 * square,
                           places + 3 * square};
        for (Py_ssize_t i = 0; i < sentences; i++) scores[i] = best_tree(&chart, words + i * n, tags, logs, heads + i * n);
    }
    const int failed = !numbers || !places;
    free(numbers), free(places);
    return failed ? -1 : 0;
}

/* -- Calls from Python --------------------------------------------------------------------------------------------- */

enum { MOST_BUFFERS = 16 };

typedef struct {
    Py_buffer views[MOST_BUFFERS];
    int count;
} Buffers;

/* Return the memory of an array of `size` bytes, or NULL with an exception. */
static void *memory(Buffers *buffers, PyObject *object, Py_ssize_t size, int writable) {
    Py_buffer *view = &buffers->views[buffers->count];
    if (PyObject_GetBuffer(object, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) return NULL;
    buffers->count++;
    if (view->len == size) return view->buf;
    PyErr_Format(PyExc_ValueError, "an array of %zd bytes where %zd were expected", view->len, size);
    return NULL;
}

static void release(Buffers *buffers) {
    while (buffers->count) PyBuffer_Release(&buffers->views[--buffers->count]);
}

static int memory_of_weights(Buffers *buffers, PyObject *tuple, Py_ssize_t tags, int writable, Weights *made) {
    PyObject *stop, *go, *child, *root;
    if (!PyArg_ParseTuple(tuple, "OOOO", &stop, &go, &child, &root)) return -1;
    const Py_ssize_t size = (Py_ssize_t)sizeof(double);
    made->stop = memory(buffers, stop, 4 * tags * size, writable);
    made->go = made->stop ? memory(buffers, go, 4 * tags * size, writable) : NULL;
    made->child = made->go ? memory(buffers, child, 2 * tags * tags * size, writable) : NULL;
    made->root = made->child ? memory(buffers, root, tags * size, writable) : NULL;
    return made->root ? 0 : -1;
}

static int32_t *sentences_of(Buffers *buffers, PyObject *object, Py_ssize_t sentences, Py_ssize_t n, Py_ssize_t tags) {
    int32_t *words = NULL;
    if (n < 1 || tags < 1 || sentences < 0)
        PyErr_SetString(PyExc_ValueError, "sentences without words, or no tags");
    else
        words = memory(buffers, object, sentences * n * 4, 0);
    for (Py_ssize_t i = 0; words && i < sentences * n; i++)
        if (words[i] < 0 || words[i] >= tags) {
            PyErr_Format(PyExc_ValueError, "tag %d of %zd", words[i], tags);
            return NULL;
        }
    return words;
}

static PyObject *call_expect(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *words_in, *weights_in, *link_in, *shares_in, *values_in, *counts_in;
    Py_ssize_t sentences, n, tags;
    double breaks;
    if (!PyArg_ParseTuple(args, "O(nnn)O!OdOOO", &words_in, &sentences, &n, &tags, &PyTuple_Type, &weights_in, &link_in,
                          &breaks, &shares_in, &values_in, &counts_in))
        return NULL;
    Buffers buffers = {.count = 0};
    Weights weights, counts;
    const Py_ssize_t size = (Py_ssize_t)sizeof(double);
    const int32_t *words = sentences_of(&buffers, words_in, sentences, n, tags);
    const double *link = words ? memory(&buffers, link_in, n * size, 0) : NULL;
    const double *shares = link ? memory(&buffers, shares_in, sentences * size, 0) : NULL;
    double *values = shares ? memory(&buffers, values_in, sentences * size, 1) : NULL;
    int done = -1;
    if (values && memory_of_weights(&buffers, weights_in, tags, 0, &weights) == 0 &&
        (counts_in == Py_None || memory_of_weights(&buffers, counts_in, tags, 1, &counts) == 0)) {
        Py_BEGIN_ALLOW_THREADS
        done = expect(words, sentences, n, tags, &weights, link, breaks, shares, values,
                      counts_in == Py_None ? NULL : &counts);
        Py_END_ALLOW_THREADS
        if (done < 0) PyErr_NoMemory();
    }
    release(&buffers);
    return done < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *call_best(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *words_in, *logs_in, *scores_in, *heads_in;
    Py_ssize_t sentences, n, tags;
    if (!PyArg_ParseTuple(args, "O(nnn)O!OO", &words_in, &sentences, &n, &tags, &PyTuple_Type, &logs_in, &scores_in,
                          &heads_in))
        return NULL;
    Buffers buffers = {.count = 0};
    Weights logs;
    const int32_t *words = sentences_of(&buffers, words_in, sentences, n, tags);
    double *scores = words ? memory(&buffers, scores_in, sentences * (Py_ssize_t)sizeof(double), 1) : NULL;
    int32_t *heads = scores ? memory(&buffers, heads_in, sentences * n * 4, 1) : NULL;
    int done = -1;
    if (heads && memory_of_weights(&buffers, logs_in, tags, 0, &logs) == 0) {
        Py_BEGIN_ALLOW_THREADS
        done = best_trees(words, sentences, n, tags, &logs, scores, heads);
        Py_END_ALLOW_THREADS
        if (done < 0) PyErr_NoMemory();
    }
    release(&buffers);
    return done < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"expect", call_expect, METH_VARARGS, "See inference.expected."},
    {"best", call_best, METH_VARARGS, "See inference.best_trees."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_valence", "python_inference.py, compiled.",
                                    -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__valence(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "INTERFACE", INTERFACE) < 0) Py_CLEAR(made);
    return made;
}
