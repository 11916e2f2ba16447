/* Python interface of the exact search.
 *
 * Two capsules are kept between sentences. The first has the automata, without weights, and the memory of searches;
 * several vectors of weights may share it, one search at a time. The second has the moves with one vector of weights.
 * Input that does not fit (numbers beyond 64 bits, more than 4095 tokens, ...) raises OverflowError; then
 * python_search.py does the work.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include "_choice.h"

#define MOST_ITEMS ((int64_t)1 << 31) /* beyond the maximum */

typedef struct {
    Shapes *shapes;
    Automaton **automata;
    uint8_t *is_top; /* by construction: 1 if it cannot be a daughter */
    Py_ssize_t constructions;
    Search search;
} Shared;

typedef struct {
    PyObject *shared; /* the capsule of the automata */
    Tables tables;
    int lexicographic, unary_limit;
    int64_t fragment_cost, usual_cost;
} Values;

static void shared_free(Shared *shared) {
    search_free(&shared->search);
    for (Py_ssize_t i = 0; shared->automata && i < shared->constructions; i++) automaton_free(shared->automata[i]);
    free(shared->automata);
    free(shared->is_top);
    shapes_free(shared->shapes);
    free(shared);
}

static void free_shared(PyObject *capsule) {
    Shared *shared = PyCapsule_GetPointer(capsule, "numbat.tables");
    if (!shared) return;
    shared_free(shared);
    give_back();
}

static PyObject *new_tables(PyObject *self, PyObject *arguments) {
    PyObject *shapes, *automata;
    const char *tops;
    Py_ssize_t constructions;
    if (!PyArg_ParseTuple(arguments, "OO!y#", &shapes, &PyTuple_Type, &automata, &tops, &constructions)) return NULL;
    if (too_large(constructions, 12)) return NULL;
    if (PyTuple_Size(automata) != constructions) {
        PyErr_SetString(PyExc_ValueError, "a byte for each construction");
        return NULL;
    }
    Shared *shared = calloc(1, sizeof *shared);
    if (!shared) return PyErr_NoMemory();
    search_new(&shared->search);
    shared->constructions = constructions;
    shared->automata = calloc((size_t)constructions + 1, sizeof *shared->automata);
    shared->is_top = malloc((size_t)constructions + 1);
    int bad = !shared->automata || !shared->is_top ? (PyErr_NoMemory(), 1) : !(shared->shapes = shapes_new(shapes));
    if (!bad) memcpy(shared->is_top, tops, (size_t)constructions);
    for (Py_ssize_t i = 0; i < constructions && !bad; i++)
        bad = !(shared->automata[i] = automaton_new(PyTuple_GetItem(automata, i), shared->shapes));
    PyObject *capsule = bad ? NULL : PyCapsule_New(shared, "numbat.tables", free_shared);
    if (!capsule) shared_free(shared);
    return capsule;
}

static void values_free(Values *values) {
    tables_free(&values->tables);
    Py_XDECREF(values->shared);
    free(values);
}

static void free_values(PyObject *capsule) {
    Values *values = PyCapsule_GetPointer(capsule, "numbat.values");
    if (values) values_free(values);
}

static PyObject *new_values(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *weighted;
    long long node_cost, fragment_cost, usual_cost;
    int lexicographic, unary_limit;
    if (!PyArg_ParseTuple(arguments, "OO!piLLL", &capsule, &PyTuple_Type, &weighted, &lexicographic, &unary_limit,
                          &node_cost, &fragment_cost, &usual_cost))
        return NULL;
    Shared *shared = PyCapsule_GetPointer(capsule, "numbat.tables");
    if (!shared || too_large(unary_limit, 7)) return NULL;
    if (PyTuple_Size(weighted) != shared->constructions) {
        PyErr_SetString(PyExc_ValueError, "weights for each construction");
        return NULL;
    }
    Values *values = calloc(1, sizeof *values);
    if (!values) return PyErr_NoMemory();
    values->shared = Py_NewRef(capsule);
    values->lexicographic = lexicographic, values->unary_limit = unary_limit;
    values->fragment_cost = fragment_cost, values->usual_cost = usual_cost;
    values->tables.is_top = shared->is_top;
    int bad = tables_fill(&values->tables, shared->automata, weighted, node_cost) < 0;
    PyObject *made = bad ? NULL : PyCapsule_New(values, "numbat.values", free_values);
    if (!made) values_free(values);
    return made;
}

/* input */

/* Read a word: start, end, kind and cost. (PyArg_ParseTuple would take a twentieth of a short search.) */
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

/* Read the lookahead number of each construction at each position. */
static int read_lookaheads(Search *search, const Py_buffer *given) {
    size_t size = ((size_t)search->tokens + 1) * (size_t)search->tables->constructions;
    if ((size_t)given->len != size * sizeof(int32_t)) {
        PyErr_SetString(PyExc_ValueError, "a lookahead number for each construction at each position");
        return -1;
    }
    int32_t *lookaheads = vector_of(&search->lookaheads, size + 1);
    if (!lookaheads) return -1;
    memcpy(lookaheads, given->buf, (size_t)given->len);
    for (size_t i = 0; i < size; i++)
        if (too_large(lookaheads[i], 24)) return -1;
    return 0;
}

/* Read the number of the mark at each position; none if the grammar declares no marks. */
static int read_marks(Search *search, const Py_buffer *given) {
    size_t size = (size_t)given->len / sizeof(int32_t);
    if (size && size != (size_t)search->tokens + 1) {
        PyErr_SetString(PyExc_ValueError, "a mark for each position");
        return -1;
    }
    int32_t *marks = vector_of(&search->marks, size);
    if (!size) return 0;
    if (!marks) return -1;
    memcpy(marks, given->buf, (size_t)given->len);
    for (size_t i = 0; i < size; i++)
        if (too_large(marks[i], 16)) return -1;
    return 0;
}

/* output */

static PyObject *numbers_of(const Vector *vector) {
    return PyBytes_FromStringAndSize(vector->at ? vector->at : "", (Py_ssize_t)(vector->used * vector->width));
}

static PyObject *room_for(size_t rows, size_t width) {
    return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(rows * width));
}

/* Add an item to the output, unless it is -1. */
static int reach(Search *search, int32_t at) {
    if (at < 0 || ITEM(search, at)->reached >= 0) return 0;
    ITEM(search, at)->reached = 0;
    return add_number(&search->reached, at);
}

/* Add the parts of the items that were reached to the output. */
static int reach_parts(Search *search) {
    for (size_t i = 0; i < search->reached.used; i++)
        for (int32_t k = ITEM(search, AT(int32_t, search->reached, i))->head; k >= 0; k = EDGE(search, k)->next)
            if (reach(search, EDGE(search, k)->left) < 0 || reach(search, EDGE(search, k)->right) < 0) return -1;
    return 0;
}

static int is_first(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a < b) - (a > b);
}

/* Find the least cost of the rest of a solution around each item that may begin a cover, and forget those of which each
 * solution costs more than the ceiling. */
static int cut_covers(Search *search, const Value *best, int64_t *before, int64_t *rest) {
    size_t first = (size_t)search->tokens + 1, kept = first, next = first;
    for (int32_t position = 0; position <= search->tokens; position++) before[position] = position ? INT64_MAX : 0;
    for (int32_t position = 0; position < search->tokens; position++) {
        size_t end = (size_t)AT(int32_t, search->chosen, position + 1);
        AT(int32_t, search->chosen, position) = (int32_t)kept;
        for (; next < end; next++) {
            Value value;
            int32_t at = AT(int32_t, search->chosen, next);
            const Item *item = ITEM(search, at);
            if (search_cover_from(search, at, best, &value) < 0) return -1;
            int64_t total = level_with(before[position], value.major);
            if (total > search->ceiling) {
                search->pruned = 1;
                continue;
            }
            int64_t so_far = level_with(before[position], level_with(item->value.major, search->fragment_cost));
            if (so_far < before[item->end]) before[item->end] = so_far;
            rest[at] = total - item->value.major;
            AT(int32_t, search->chosen, kept++) = at;
        }
    }
    AT(int32_t, search->chosen, search->tokens) = (int32_t)kept;
    search->chosen.used = kept;
    return 0;
}

/* Forget the ways to build an item of which each solution costs more than the ceiling. */
static void cut_edges(Search *search, Item *item, int64_t *rest, int64_t around) {
    int32_t next = item->head;
    item->head = item->tail = -1;
    for (int32_t k = next; k >= 0; k = next) {
        Edge *edge = EDGE(search, k);
        int32_t parts[2] = {edge->left, edge->right};
        int64_t total = level_with(around, edge->own.major);
        for (int i = 0; i < 2; i++)
            if (parts[i] >= 0) total = level_with(total, ITEM(search, parts[i])->value.major);
        next = edge->next, edge->next = -1;
        if (total > search->ceiling) {
            search->pruned = 1;
            continue;
        }
        for (int i = 0; i < 2; i++) {
            int64_t beside = parts[i] < 0 ? 0 : total - ITEM(search, parts[i])->value.major;
            if (parts[i] >= 0 && beside < rest[parts[i]]) rest[parts[i]] = beside;
        }
        if (item->tail >= 0)
            EDGE(search, item->tail)->next = k;
        else
            item->head = k;
        item->tail = k;
    }
}

/* Leave out of the output what is in no solution within the margin. Wholes come before their parts. */
static int cut(Search *search, const Value *best) {
    search->ceiling = level_with(best[0].major, search->margin);
    if (search->has_max_ceiling && search->max_ceiling < search->ceiling) search->ceiling = search->max_ceiling;
    size_t items = search->items.used, reached = search->reached.used;
    int64_t *before = malloc(((size_t)search->tokens + 1 + items) * sizeof(int64_t));
    uint64_t *order = malloc((reached + 1) * sizeof(uint64_t));
    int bad = !before || !order ? (PyErr_NoMemory(), 1) : 0;
    int64_t *rest = before + search->tokens + 1;
    for (size_t i = 0; i < items && !bad; i++) rest[i] = INT64_MAX;
    bad = bad || cut_covers(search, best, before, rest) < 0;
    for (size_t i = 0; i < reached && !bad; i++) {
        int32_t at = AT(int32_t, search->reached, i);
        order[i] = (search_place(search, ITEM(search, at)) << 32) | (uint64_t)at;
    }
    if (!bad) qsort(order, reached, sizeof *order, is_first);
    for (size_t i = 0; i < reached && !bad; i++) {
        int32_t at = (int32_t)(order[i] & 0x7FFFFFFF);
        Item *item = ITEM(search, at);
        item->rest = rest[at];
        if (rest[at] < INT64_MAX) cut_edges(search, item, rest, rest[at]);
        item->reached = rest[at] < INT64_MAX ? 0 : -1;
    }
    free(before);
    free(order);
    return bad ? -1 : 0;
}

/* Number the items of the output in the order in which they were built. Return the number of their edges. */
static Py_ssize_t number_reached(Search *search) {
    Py_ssize_t edges = 0;
    int32_t number = 0;
    for (size_t i = 0; i < search->items.used; i++) {
        if (ITEM(search, i)->reached < 0) continue;
        for (int32_t k = ITEM(search, i)->head; k >= 0; k = EDGE(search, k)->next) edges++;
        AT(int32_t, search->reached, number) = (int32_t)i;
        ITEM(search, i)->reached = number++;
    }
    search->reached.used = (size_t)number;
    return edges;
}

static void renumber(const Search *search, int32_t *items, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (items[i] >= 0) items[i] = ITEM(search, items[i])->reached;
}

static PyObject *reached_roots(Search *search) {
    size_t used = 0;
    for (size_t i = 0; i < search->roots.used; i++) {
        int32_t number = ITEM(search, AT(int32_t, search->roots, i))->reached;
        if (number >= 0) AT(int32_t, search->roots, used++) = number;
    }
    search->roots.used = used;
    return numbers_of(&search->roots);
}

/* Choose the items that may begin a cover at each position, of the best covers or of all: the offsets of each
 * position's choices, then the choices. */
static int choose(Search *search, const Value *best) {
    size_t first = (size_t)search->tokens + 1;
    if (!vector_of(&search->chosen, first)) return -1;
    for (int32_t position = 0; position < search->tokens; position++) {
        AT(int32_t, search->chosen, position) = (int32_t)search->chosen.used;
        for (int32_t i = search_choices(search, position); i >= 0; i = LINK(search, i)->next) {
            Value value;
            int32_t item = LINK(search, i)->item;
            if (search_cover_from(search, item, best, &value) < 0) return -1;
            if (!search->keep_all_edges && less(best[position], value)) continue;
            if (add_number(&search->chosen, item) < 0 || reach(search, item) < 0) return -1;
        }
    }
    AT(int32_t, search->chosen, search->tokens) = (int32_t)search->chosen.used;
    for (size_t i = 0; search->return_all_items && i < search->items.used; i++)
        if (reach(search, (int32_t)i) < 0) return -1;
    return 0;
}

/* Output the items that were reached: their spans, values, numbers of trees, and edges. */
static void write_items(const Search *search, SpanRow *span, ItemRow *row, EdgeRow *edge) {
    int32_t edges = 0;
    for (size_t i = 0; i < search->reached.used; i++) {
        const Item *item = ITEM(search, AT(int32_t, search->reached, i));
        row[i] = (ItemRow){item->value, item->count, item->rest};
        span[i] = (SpanRow){item->start, item->end, item->kind, edges};
        for (int32_t k = item->head; k >= 0; k = EDGE(search, k)->next, edges++) {
            const Edge *found = EDGE(search, k);
            edge[edges] = (EdgeRow){found->own, {found->left, found->right}, found->label, 0};
            renumber(search, edge[edges].parts, 2);
        }
    }
}

/* Build the result, chart.SearchAnswer. */
static PyObject *result(Search *search, const Shared *shared) {
    size_t states = search->tables->steps.used;
    for (Py_ssize_t i = 0; i < shared->constructions; i++) states += shared->automata[i]->states.begins.used;
    PyObject *covers = room_for((size_t)search->tokens + 1, sizeof(Value)), *about = NULL, *rows = NULL, *quantities = NULL;
    PyObject *made = NULL;
    Value *best = covers ? (Value *)PyBytes_AsString(covers) : NULL;
    int bad = !best || search_covers(search, best) < 0 || choose(search, best) < 0 || reach_parts(search) < 0 ||
              (search->margin >= 0 && cut(search, best) < 0);
    Py_ssize_t edges = bad ? -1 : number_reached(search);
    if (!bad) {
        size_t items = search->reached.used, offsets = (size_t)search->tokens + 1;
        renumber(search, (int32_t *)search->chosen.at + offsets, search->chosen.used - offsets);
        about = room_for(items, sizeof(SpanRow)), quantities = room_for(items, sizeof(ItemRow));
        rows = room_for((size_t)edges, sizeof(EdgeRow));
    }
    if (about && quantities && rows) {
        write_items(search, (SpanRow *)PyBytes_AsString(about), (ItemRow *)PyBytes_AsString(quantities),
                    (EdgeRow *)PyBytes_AsString(rows));
        made = Py_BuildValue("(nOOONNOLNNLNNn)", (Py_ssize_t)search_built(search), about, quantities, rows,
                             numbers_of(&search->chosen), reached_roots(search), covers, (long long)search->settled,
                             PyBool_FromLong(search->pruned), PyBool_FromLong(search->stopped),
                             (long long)search->at_least, PyBool_FromLong(search->hit_state_limit),
                             PyBool_FromLong(search->hit_budget), (Py_ssize_t)states);
    }
    PyObject *owned[] = {about, quantities, rows, covers};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) Py_XDECREF(owned[i]);
    return made;
}

/* Read the request, chart.Request. */
static int read_request(Search *search, PyObject *request, PyObject **words, Py_buffer *lookaheads, Py_buffer *marks) {
    long long ceiling, floor, margin, items, states, items_between_checks, edges_an_item, items_a_state, fewest_states, rise_divisor;
    int tokens, has_ceiling, keep_all_edges, return_all_items;
    if (!PyArg_ParseTuple(request, "iO!y*y*pLLpLLLOLLLLLp", &tokens, &PyList_Type, words, lookaheads, marks, &has_ceiling, &ceiling,
                          &floor, &keep_all_edges, &margin, &items, &states, &search->overdue, &items_between_checks, &edges_an_item,
                          &items_a_state, &fewest_states, &rise_divisor, &return_all_items))
        return -1;
    search->tokens = tokens, search->keep_all_edges = keep_all_edges, search->return_all_items = return_all_items;
    search->margin = search->lexicographic && keep_all_edges ? margin : -1;
    search->grows = search->lexicographic && (!keep_all_edges || margin >= 0);
    search->dominates = !search->lexicographic && !keep_all_edges;
    search->has_max_ceiling = has_ceiling, search->max_ceiling = ceiling;
    search->max_items = items < MOST_ITEMS ? items : MOST_ITEMS;
    search->has_ceiling = has_ceiling || search->grows, search->ceiling = search->grows ? floor : ceiling;
    search->most_states = states;
    search->patience = items_between_checks > 0 ? items_between_checks : 1;
    search->edges_an_item = edges_an_item > 0 ? edges_an_item : 1;
    search->items_a_state = items_a_state > 0 ? items_a_state : 1, search->fewest_states = fewest_states;
    search->rise_divisor = rise_divisor > 0 ? rise_divisor : 1;
    if (!too_large(tokens, 12)) return 0;
    PyBuffer_Release(lookaheads);
    PyBuffer_Release(marks);
    return -1;
}

static PyObject *search(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *compiled, *request, *words, *answer = NULL;
    Py_buffer lookaheads, marks;
    if (!PyArg_ParseTuple(arguments, "OOO!", &capsule, &compiled, &PyTuple_Type, &request)) return NULL;
    Values *values = PyCapsule_GetPointer(capsule, "numbat.values");
    Shared *shared = values ? PyCapsule_GetPointer(values->shared, "numbat.tables") : NULL;
    if (!shared) return NULL;
    Search *search = &shared->search;
    if (search->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another search is using these tables");
        return NULL;
    }
    search->tables = &values->tables, values->tables.compiled = compiled;
    search->lexicographic = values->lexicographic, search->unary_limit = values->unary_limit;
    search->last_place = values->unary_limit + 2;
    search->fragment_cost = values->fragment_cost, search->usual_cost = values->usual_cost;
    if (read_request(search, request, &words, &lookaheads, &marks) < 0) return NULL;
    search->busy = 1;
    int collects = PyGC_Disable(); /* all objects that a search creates are kept, so there is no garbage */
    int bad = search_begin(search) < 0 || read_lookaheads(search, &lookaheads) < 0 || read_marks(search, &marks) < 0 ||
              offer_words(search, words) < 0;
    if (!bad && search_run(search) == 0) answer = result(search, shared);
    search_end(search);
    if (collects) PyGC_Enable();
    PyBuffer_Release(&lookaheads);
    PyBuffer_Release(&marks);
    search->busy = 0;
    return answer;
}

static PyMethodDef methods[] = {
    {"new_tables", new_tables, METH_VARARGS, "Tables for the states of automata, without weights, kept between sentences."},
    {"new_values", new_values, METH_VARARGS, "Values of the moves of such automata with a vector of weights."},
    {"search", search, METH_VARARGS, "See chart.Request and chart.SearchAnswer."},
    {"choose", choose_analysis, METH_VARARGS, "See choice.ChoiceRequest and chart.SearchAnswer; the rows are those of choice.Row."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_search", "The compiled twin of python_search.py.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__search(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "INTERFACE", INTERFACE) < 0) Py_CLEAR(made);
    return made;
}
