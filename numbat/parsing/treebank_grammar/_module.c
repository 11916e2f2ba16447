/* Python interface of the compiled tabular search: passes, each within the labels that the one before it keeps, and the
 * result of the last.
 */
#include "_chart.h"

/* output */

/* Append symbol, word (-1 for a phrase) and number of daughters of each node of a tree, in pre-order. */
static int report_tree(const Chart *chart, int32_t top, PyObject *list) {
    Vector waiting = {.width = sizeof(int32_t)};
    int bad = add_number(&waiting, top) < 0;
    while (!bad && waiting.used) {
        const Passive *item = PASSIVE(chart, ((int32_t *)waiting.at)[--waiting.used]);
        int32_t daughters = 0;
        if (item->is_unary) {
            if ((bad = add_number(&waiting, item->below) < 0)) break;
            daughters = 1;
        } else if (item->word < 0)
            for (int32_t part = item->below; part >= 0; part = ACTIVE(chart, part)->left) {
                if ((bad = add_number(&waiting, ACTIVE(chart, part)->right) < 0)) break;
                daughters++;
            }
        PyObject *node = bad ? NULL : Py_BuildValue("(iii)", item->symbol, item->word, daughters);
        bad = bad || !node || PyList_Append(list, node) < 0;
        Py_XDECREF(node);
    }
    free(waiting.at);
    return bad ? -1 : 0;
}

/* Append the nodes of the cheapest sequence of passive items over the sentence; each costs `fragment` more. */
static int report_cover(const Chart *chart, int64_t fragment, int64_t *cost, PyObject *list) {
    size_t positions = (size_t)chart->tokens + 1;
    int64_t *best = malloc(positions * sizeof *best);
    int32_t *item = malloc(positions * sizeof *item), *to = malloc(positions * sizeof *to);
    int64_t infinite = chart->grammar->infinite;
    int bad = !best || !item || !to;
    *cost = infinite;
    if (bad) PyErr_NoMemory();
    for (int32_t start = chart->tokens; start >= 0 && !bad; start--) {
        best[start] = start == chart->tokens ? 0 : infinite;
        for (int32_t end = start + 1; end <= chart->tokens; end++) {
            const Cell *cell = CELL(chart, start, end);
            for (size_t i = cell->passive; i < cell->passive_end && best[end] < infinite; i++)
                if (PASSIVE(chart, i)->cost + fragment + best[end] < best[start]) {
                    best[start] = PASSIVE(chart, i)->cost + fragment + best[end];
                    item[start] = (int32_t)i, to[start] = end;
                }
        }
    }
    if (best && !bad) *cost = best[0];
    for (int32_t start = 0; !bad && start < chart->tokens && best[start] < infinite; start = to[start])
        bad = report_tree(chart, item[start], list) < 0;
    free(best), free(item), free(to);
    return bad ? -1 : 0;
}

Word *read_words(PyObject *list, const Grammar *grammar, int32_t tokens) {
    Py_ssize_t size = PyList_Size(list);
    Word *words = malloc(((size_t)size + 1) * sizeof *words);
    if (!words) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        Word *word = words + i;
        long long cost;
        int read = PyArg_ParseTuple(PyList_GetItem(list, i), "iiiLi", &word->start, &word->end, &word->symbol, &cost,
                                    &word->index);
        if (read && (word->start < 0 || word->end > tokens || word->symbol < 0 || word->symbol >= grammar->symbols)) {
            PyErr_SetString(PyExc_ValueError, "a word that is not in the sentence or the grammar");
            read = 0;
        }
        if (!read) {
            free(words);
            return NULL;
        }
        word->cost = cost;
    }
    return words;
}

typedef struct {
    unsigned char *passive, *active; /* by span and label: what the next pass may build; NULL: all */
} Masks;

static void masks_free(Masks *masks) {
    free(masks->passive), free(masks->active);
    *masks = (Masks){0};
}

/* Run one pass: fill a chart within the masks of the pass before it. The chart owns its words. */
static int pass(Chart *chart, PyObject *stage, int32_t tokens, int32_t unary_limit, const Masks *masks, Limits *limits,
                long long *threshold) {
    PyObject *capsule, *list;
    if (!PyArg_ParseTuple(stage, "OO!L", &capsule, &PyList_Type, &list, threshold)) return -1;
    Grammar *grammar = PyCapsule_GetPointer(capsule, "numbat.expansions");
    if (!grammar) return -1;
    *chart = (Chart){.grammar = grammar, .tokens = tokens, .unary_limit = unary_limit,
                     .word_count = (size_t)PyList_Size(list), .may_be_passive = masks->passive,
                     .may_be_active = masks->active, .limits = limits};
    chart->words = read_words(list, grammar, tokens);
    return !chart->words || chart_new(chart) < 0 || fill(chart) < 0 ? -1 : 0;
}

/* Compute the masks for the next pass: the labels of items in trees that cost at most `most`. */
static int mask(Chart *chart, int64_t most, Masks *masks) {
    size_t positions = (size_t)chart->tokens + 1, size = positions * positions * (size_t)chart->grammar->labels + 1;
    Masks made = {calloc(size, 1), calloc(size, 1)};
    int bad = !made.passive || !made.active;
    if (bad) PyErr_NoMemory();
    Outside outside = {.most = most, .may_be_passive = made.passive, .may_be_active = made.active};
    bad = bad || outside_costs(chart, &outside) < 0;
    masks_free(masks);
    *masks = made;
    return bad ? -1 : 0;
}

/* Return the fields of search.CompiledResult. With a slack of 0 or more they include the items of trees within it of the
 * best, unless time was up. */
static PyObject *result(Chart *chart, int32_t root, int64_t cost, long long fragment, long long slack) {
    PyObject *answer = NULL, *nodes = PyList_New(0);
    PyObject *lists[3] = {PyList_New(0), PyList_New(0), PyList_New(0)};
    int bad = !nodes || !lists[0] || !lists[1] || !lists[2];
    bad = bad || (root >= 0 ? report_tree(chart, root, nodes) : report_cover(chart, fragment, &cost, nodes)) < 0;
    if (!bad && root >= 0 && slack >= 0) {
        Outside outside = {.most = cost + slack, .passives = lists[0], .actives = lists[1], .combined = lists[2]};
        bad = outside_costs(chart, &outside) < 0;
        for (int i = 0; i < 3 && !bad && chart->limits->stopped; i++)
            bad = PyList_SetSlice(lists[i], 0, PyList_Size(lists[i]), NULL) < 0;
    }
    long long built = chart->limits->built + (long long)(chart->active.used + chart->passive.used);
    if (!bad)
        answer = Py_BuildValue("(LiOL(OOO)i)", (long long)cost, root >= 0, nodes, built, lists[0], lists[1], lists[2],
                               chart->limits->stopped);
    Py_XDECREF(nodes);
    for (int i = 0; i < 3; i++) Py_XDECREF(lists[i]);
    return answer;
}

static PyObject *search(PyObject *self, PyObject *task) {
    PyObject *stages, *overdue, *answer = NULL;
    int tokens, unary_limit;
    long long fragment, slack, most, threshold;
    if (!PyArg_ParseTuple(task, "O!iiLLLO", &PyList_Type, &stages, &tokens, &unary_limit, &fragment, &slack, &most,
                          &overdue)) /* search.CompiledTask */
        return NULL;
    Limits limits = {.most = most, .overdue = overdue == Py_None ? NULL : overdue};
    Masks masks = {0}; /* masks of the last pass that found a tree */
    Py_ssize_t last = PyList_Size(stages) - 1;
    int bad = 0;
    for (Py_ssize_t i = 0; i <= last && !bad; i++) {
        if (limits.stopped) i = last;
        Chart chart = {0};
        int64_t cost = 0;
        bad = pass(&chart, PyList_GetItem(stages, i), tokens, unary_limit, &masks, &limits, &threshold) < 0;
        int32_t root = bad ? -1 : best_root(&chart, &cost);
        if (!bad && i == last) answer = result(&chart, root, cost, fragment, slack);
        else if (!bad && root >= 0) bad = mask(&chart, cost + threshold, &masks) < 0;
        limits.built += (int64_t)(chart.active.used + chart.passive.used);
        chart_free(&chart);
    }
    masks_free(&masks);
    return answer;
}

static PyMethodDef methods[] = {
    {"new_grammar", new_grammar, METH_O, "Tables of a grammar; its rows are requested on demand."},
    {"forest", forest_of, METH_O, "As python_search.forest_of; takes a tuple, and returns the columns of a Forest as bytes."},
    {"search", search, METH_O, "As python_search.search; takes a search.CompiledTask."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_tabular", "The tabular search, compiled.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__tabular(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "INTERFACE", INTERFACE) < 0) Py_CLEAR(made);
    return made;
}
