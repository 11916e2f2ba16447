/* What Python asks of the exact search, and how it gets the answer.
 *
 * The automata and their moves are kept in a capsule between sentences. Whatever does not fit (numbers beyond 64 bits,
 * more than 4095 tokens, ...) raises OverflowError, and kernel.py does the work.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include "_search.h"

#define MOST_ITEMS ((int64_t)1 << 31) /* more than fit */

static void free_capsule(PyObject *capsule) {
    Search *search = PyCapsule_GetPointer(capsule, "numbat.tables");
    if (!search) return;
    tables_free(&search->tables);
    search_free(search);
    free(search);
}

static PyObject *new_tables(PyObject *self, PyObject *arguments) {
    PyObject *automata;
    long long node_cost, fragment_cost, usual_cost;
    int lexicographic, unary_limit;
    if (!PyArg_ParseTuple(arguments, "O!piLLL", &PyList_Type, &automata, &lexicographic, &unary_limit, &node_cost,
                          &fragment_cost, &usual_cost))
        return NULL;
    Py_ssize_t constructions = PyList_Size(automata);
    if (too_large(constructions, 12) || too_large(unary_limit, 7)) return NULL;
    Search *search = calloc(1, sizeof *search);
    if (!search) return PyErr_NoMemory();
    search->lexicographic = lexicographic, search->unary_limit = unary_limit;
    search->late = unary_limit + 2;
    search->fragment_cost = fragment_cost, search->usual_cost = usual_cost;
    search_new(search);
    int bad = tables_fill(&search->tables, automata, node_cost) < 0;
    PyObject *capsule = bad ? NULL : PyCapsule_New(search, "numbat.tables", free_capsule);
    if (capsule) return capsule;
    tables_free(&search->tables);
    free(search);
    return NULL;
}

/* what a search is given */

/* The numbers of a word: start, end, kind and cost; a format for them would take a twentieth of a short search. */
static int read_word(PyObject *word, int64_t *numbers) {
    for (Py_ssize_t i = 0; i < 4; i++) {
        PyObject *number = PyTuple_GetItem(word, i);
        numbers[i] = number ? PyLong_AsLongLong(number) : -1;
        if (numbers[i] == -1 && PyErr_Occurred()) return -1;
    }
    return too_large(numbers[0], 12) || too_large(numbers[1], 12) || too_large(numbers[2], 24) ? -1 : 0;
}

static int offer_words(Search *search, PyObject *words) {
    Py_ssize_t size = PyList_Size(words);
    for (Py_ssize_t i = 0; i < size; i++) {
        int64_t word[4];
        if (read_word(PyList_GetItem(words, i), word) < 0 ||
            search_offer_word(search, (int32_t)word[0], (int32_t)word[1], (int32_t)word[2], word[3], (int32_t)i) < 0)
            return -1;
    }
    return 0;
}

/* The view of each construction at each position. */
static int read_views(Search *search, const Py_buffer *views) {
    size_t size = ((size_t)search->tokens + 1) * (size_t)search->tables.constructions;
    if ((size_t)views->len != size * sizeof(int32_t)) {
        PyErr_SetString(PyExc_ValueError, "a view for each construction at each position");
        return -1;
    }
    int32_t *viewed = vector_of(&search->viewed, size + 1);
    if (!viewed) return -1;
    memcpy(viewed, views->buf, (size_t)views->len);
    for (size_t i = 0; i < size; i++)
        if (too_large(viewed[i], 24)) return -1;
    return 0;
}

/* handing the result over */

static PyObject *numbers_of(const Vector *vector) {
    return PyBytes_FromStringAndSize(vector->at ? vector->at : "", (Py_ssize_t)(vector->used * vector->width));
}

static PyObject *room_for(size_t rows, size_t width) {
    return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(rows * width));
}

/* What may cover the input from a position on: in the best covers only, or everything. */
static PyObject *covering(Search *search, int32_t position, const Value *best) {
    search->chosen.used = 0;
    for (int32_t i = search_choices(search, position); i >= 0; i = LINK(search, i)->next) {
        Value value;
        if (search_cover_from(search, LINK(search, i)->item, best, &value) < 0) return NULL;
        if (!search->everything && less(best[position], value)) continue;
        if (add_number(&search->chosen, LINK(search, i)->item) < 0) return NULL;
    }
    return numbers_of(&search->chosen);
}

typedef struct { /* an edge as compiled.py reads it */
    Value own;
    int32_t left, right, label, nothing;
} EdgeRow;

static PyObject *result(Search *search) {
    size_t items = search->items.used, edges = 0;
    for (size_t i = 0; i < items; i++)
        for (int32_t at = ITEM(search, i)->head; at >= 0; at = EDGE(search, at)->next) edges++;
    PyObject *about = room_for(items, 4 * sizeof(int32_t)), *values = room_for(items, sizeof(Value));
    PyObject *rows = room_for(edges, sizeof(EdgeRow)), *counts = room_for(items, sizeof(int64_t));
    PyObject *covers = room_for((size_t)search->tokens + 1, sizeof(Value));
    PyObject *starting = PyList_New(search->tokens), *made = NULL;
    int bad = !about || !values || !rows || !counts || !starting || !covers;
    bad = bad || search_covers(search, (Value *)PyBytes_AsString(covers)) < 0;
    int32_t *row = bad ? NULL : (int32_t *)PyBytes_AsString(about);
    EdgeRow *part = bad ? NULL : (EdgeRow *)PyBytes_AsString(rows);
    Value *value = bad ? NULL : (Value *)PyBytes_AsString(values);
    int64_t *count = bad ? NULL : (int64_t *)PyBytes_AsString(counts);
    edges = 0;
    for (size_t i = 0; i < items && !bad; i++, row += 4) {
        Item *item = ITEM(search, i);
        count[i] = item->count;
        value[i] = item->value;
        row[0] = item->start, row[1] = item->end, row[2] = item->kind, row[3] = (int32_t)edges;
        for (int32_t at = item->head; at >= 0; at = EDGE(search, at)->next) {
            Edge *edge = EDGE(search, at);
            part[edges++] = (EdgeRow){edge->own, edge->left, edge->right, edge->label, 0};
        }
    }
    for (int32_t position = 0; position < search->tokens && !bad; position++) {
        PyObject *settled = covering(search, position, (Value *)PyBytes_AsString(covers));
        bad = !settled || PyList_SetItem(starting, position, settled) < 0;
    }
    if (!bad)
        made = Py_BuildValue("(OOOOONOLNNNNn)", about, values, counts, rows, starting, numbers_of(&search->roots),
                             covers, (long long)search->settled, PyBool_FromLong(search->pruned),
                             PyBool_FromLong(search->stopped), PyBool_FromLong(search->crowded),
                             PyBool_FromLong(search->rationed), (Py_ssize_t)tables_states(&search->tables));
    PyObject *owned[] = {about, values, counts, rows, starting, covers};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) Py_XDECREF(owned[i]);
    return made;
}

static PyObject *search(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *machine, *words, *overdue, *answer = NULL;
    Py_buffer views;
    long long limit, most, most_states, patience;
    int has_limit, everything, tokens;
    if (!PyArg_ParseTuple(arguments, "OOiO!y*iLiLLOL", &capsule, &machine, &tokens, &PyList_Type, &words, &views,
                          &has_limit, &limit, &everything, &most, &most_states, &overdue, &patience))
        return NULL;
    Search *search = PyCapsule_GetPointer(capsule, "numbat.tables");
    if (search && search->busy) PyErr_SetString(PyExc_RuntimeError, "another search is using these tables");
    if (!search || search->busy || too_large(tokens, 12)) {
        PyBuffer_Release(&views);
        return NULL;
    }
    search->tables.machine = machine, search->overdue = overdue;
    search->tokens = tokens, search->everything = everything;
    search->grows = search->lexicographic && !everything;
    search->dominates = !search->lexicographic && !everything;
    search->has_limit = has_limit, search->limit = limit;
    search->most = most < MOST_ITEMS ? most : MOST_ITEMS;
    search->has_ceiling = has_limit || search->grows, search->ceiling = search->grows ? 0 : limit;
    search->most_states = most_states;
    search->patience = patience > 0 ? patience : 1;
    search->busy = 1;
    int collects = PyGC_Disable(); /* what a search asks of Python is kept: there is no garbage to look for */
    int bad = search_begin(search) < 0 || read_views(search, &views) < 0 || offer_words(search, words) < 0;
    if (!bad && search_run(search) == 0) answer = result(search);
    search_end(search);
    if (collects) PyGC_Enable();
    PyBuffer_Release(&views);
    search->busy = 0;
    return answer;
}

static PyMethodDef methods[] = {
    {"new_tables", new_tables, METH_VARARGS, "Empty tables of moves of automata, kept between sentences."},
    {"search", search, METH_VARARGS, "See kernel.search."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernel", "The compiled twin of kernel.py.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernel(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "INTERFACE", 8) < 0) Py_CLEAR(made);
    return made;
}
