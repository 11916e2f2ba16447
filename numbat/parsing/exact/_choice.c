/* Choice of one analysis among those that a search returned: equal to choice.py, which explains it.
 *
 * A node is an item or, after the items, a position: the rest of the sentence from there on. The sums of weights come
 * from mappings, which compute what they do not have yet.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include "_choice.h"

typedef struct { /* one analysis of a node; `parts` are the numbers of other ways, or -1 */
    Value value;
    int64_t sum;
    int32_t node, label, word, parts[2];
} Way;

typedef struct { /* the ways of a node that are kept, the best first; size -1: not known yet */
    int32_t first, size;
} Kept;

typedef struct {
    int32_t tokens, items, most;
    int64_t limit, fragment_cost;
    Py_buffer spans, quantities, edges, starting, roots; /* of the answer */
    Py_buffer lengths, words, starts, readings, categories; /* of the request */
    PyObject *shapes, *links, *tops;
    Kept *kept;
    Vector ways, waiting, daughters, key, rows;
} Choice;

#define ROW(type, buffer, i) ((const type *)(buffer).buf)[i]
#define COUNT(type, buffer) ((int32_t)((size_t)(buffer).len / sizeof(type)))
#define SPAN(choice, i) ROW(SpanRow, (choice)->spans, i)
#define WAY(choice, i) ((Way *)(choice)->ways.at + (i))

static int is_open(const Choice *choice, int32_t node) { return node >= choice->items || SPAN(choice, node).kind < 0; }

/* Append the numbers of the finished constituents of a way of an item to `daughters`, in order. */
static int unfold(Choice *choice, int32_t number) {
    size_t first = choice->daughters.used, last;
    for (; is_open(choice, WAY(choice, number)->node); number = WAY(choice, number)->parts[0]) {
        int32_t right = WAY(choice, number)->parts[1];
        if (right >= 0 && add_number(&choice->daughters, right) < 0) return -1;
    }
    if (add_number(&choice->daughters, number) < 0) return -1;
    for (last = choice->daughters.used - 1; first < last; first++, last--) {
        int32_t kept = AT(int32_t, choice->daughters, first);
        AT(int32_t, choice->daughters, first) = AT(int32_t, choice->daughters, last);
        AT(int32_t, choice->daughters, last) = kept;
    }
    return 0;
}

/* sums of weights */

static int32_t class_of(const Choice *choice, int32_t length) {
    int32_t found = 1;
    while (found <= COUNT(int32_t, choice->lengths) && length > ROW(int32_t, choice->lengths, found - 1)) found++;
    return found;
}

/* Return what a mapping has for the key; a new reference. */
static PyObject *asked(const Choice *choice, PyObject *mapping) {
    PyObject *key = PyBytes_FromStringAndSize(choice->key.at, (Py_ssize_t)(choice->key.used * sizeof(int32_t)));
    PyObject *answer = key ? PyObject_GetItem(mapping, key) : NULL;
    Py_XDECREF(key);
    return answer;
}

static int key_of(Choice *choice, size_t size, const int32_t *numbers) {
    choice->key.used = 0;
    for (size_t i = 0; i < size; i++)
        if (add_number(&choice->key, numbers[i]) < 0) return -1;
    return 0;
}

static int add_sum(int64_t *sum, PyObject *number) {
    int64_t more = number ? PyLong_AsLongLong(number) : -1;
    if (more == -1 && PyErr_Occurred()) return -1;
    if (!__builtin_add_overflow(*sum, more, sum)) return 0;
    PyErr_SetString(PyExc_OverflowError, "a sum of weights exceeds 64 bits");
    return -1;
}

/* Add the sum of a shape, the key; return the number of the daughter that is the head. */
static int32_t add_shape(Choice *choice, int64_t *sum) {
    PyObject *pair = asked(choice, choice->shapes);
    PyObject *head = pair ? PyTuple_GetItem(pair, 1) : NULL;
    int32_t number = head && add_sum(sum, PyTuple_GetItem(pair, 0)) == 0 ? (int32_t)PyLong_AsLong(head) : -1;
    Py_XDECREF(pair);
    return number;
}

/* Add what a mapping has for the key. */
static int add_asked(Choice *choice, PyObject *mapping, int64_t *sum) {
    PyObject *number = asked(choice, mapping);
    int bad = add_sum(sum, number);
    Py_XDECREF(number);
    return bad;
}

static int32_t category_of(const Choice *choice, int32_t node) {
    return ROW(int32_t, choice->categories, SPAN(choice, node).kind);
}

/* Complete a way to build a phrase: the sum of the phrase, and the word from which it has its features. */
static int add_phrase(Choice *choice, Way *way) {
    Vector *daughters = &choice->daughters;
    daughters->used = 0;
    for (int i = 0; i < 2; i++)
        if (way->parts[i] >= 0 && unfold(choice, way->parts[i]) < 0) return -1;
    if (key_of(choice, 1, &SPAN(choice, way->node).kind) < 0) return -1;
    for (size_t i = 0; i < daughters->used; i++) {
        const Way *daughter = WAY(choice, AT(int32_t, *daughters, i));
        SpanRow span = SPAN(choice, daughter->node);
        int32_t length = daughter->parts[0] < 0 ? 0 : class_of(choice, span.end - span.start);
        if (add_number(&choice->key, span.kind) < 0 || add_number(&choice->key, length) < 0) return -1;
    }
    int32_t head = add_shape(choice, &way->sum);
    if (head < 0 || (size_t)head >= daughters->used) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no daughter has this number");
        return -1;
    }
    way->word = WAY(choice, AT(int32_t, *daughters, head))->word;
    int32_t mother = category_of(choice, way->node), of = ROW(int32_t, choice->starts, way->word);
    for (size_t i = 0; i < daughters->used; i++) {
        const Way *other = WAY(choice, AT(int32_t, *daughters, i));
        int32_t away = ROW(int32_t, choice->starts, other->word) - of;
        int32_t link[5] = {mother, ROW(int32_t, choice->words, way->word), category_of(choice, other->node),
                           ROW(int32_t, choice->words, other->word), class_of(choice, away < 0 ? -away : away)};
        if ((int32_t)i != head && (key_of(choice, 5, link) < 0 || add_asked(choice, choice->links, &way->sum) < 0)) return -1;
    }
    return 0;
}

/* ways */

/* Return 1 if a way comes before another one: by its cost less its sum, then by its value. */
static int is_before(const Way *one, const Way *other) {
    int64_t a = one->value.major - one->sum, b = other->value.major - other->sum;
    if (a != b) return a < b;
    if (one->value.major != other->value.major) return one->value.major < other->value.major;
    return one->value.minor < other->value.minor;
}

/* Keep a way, if it is among the best so far and within the limit. */
static int keep(Choice *choice, Kept *kept, Way way) {
    int64_t rest = way.node < choice->items ? ROW(ItemRow, choice->quantities, way.node).rest : 0;
    if (way.value.major + rest > choice->limit) return 0;
    if (kept->size == choice->most) {
        if (!is_before(&way, WAY(choice, kept->first + kept->size - 1))) return 0;
    } else {
        if (!vector_add(&choice->ways)) return -1;
        kept->size++;
    }
    int32_t at = kept->first + kept->size - 1;
    for (; at > kept->first && is_before(&way, WAY(choice, at - 1)); at--) *WAY(choice, at) = *WAY(choice, at - 1);
    *WAY(choice, at) = way;
    return 0;
}

/* Keep the ways by one edge: a label, two parts (-1: none), and the value that it adds. */
static int keep_ways(Choice *choice, Kept *kept, int32_t node, EdgeRow edge) {
    Kept nothing = {-1, 1}, left = choice->kept[edge.parts[0]];
    Kept right = edge.parts[1] < 0 ? nothing : choice->kept[edge.parts[1]];
    for (int32_t i = 0; i < left.size; i++)
        for (int32_t k = 0; k < right.size; k++) {
            Way way = {edge.own, 0, node, edge.label, 0, {left.first + i, right.first + k}};
            for (int part = 0; part < 2; part++) {
                if (way.parts[part] < 0) continue;
                const Way *below = WAY(choice, way.parts[part]);
                way.value.major += below->value.major, way.value.minor += below->value.minor, way.sum += below->sum;
            }
            int bad = 0;
            if (node >= choice->items)
                bad = key_of(choice, 1, &SPAN(choice, edge.parts[0]).kind) < 0 || add_asked(choice, choice->tops, &way.sum) < 0;
            else if (edge.label >= 0)
                bad = add_phrase(choice, &way);
            if (bad || keep(choice, kept, way) < 0) return -1;
        }
    return 0;
}

static int keep_word(Choice *choice, Kept *kept, int32_t node, EdgeRow edge) {
    Way way = {edge.own, ROW(int64_t, choice->readings, edge.label), node, edge.label, edge.label, {-1, -1}};
    return keep(choice, kept, way);
}

/* Return the edge of a position by which the rest of the sentence begins with an item. */
static EdgeRow cover_edge(const Choice *choice, int32_t item) {
    int64_t cost = choice->fragment_cost;
    for (int32_t i = 0; i < COUNT(int32_t, choice->roots); i++)
        if (ROW(int32_t, choice->roots, i) == item) cost = 0;
    int32_t end = SPAN(choice, item).end, after = end == choice->tokens ? -1 : choice->items + end;
    return (EdgeRow){{cost, 0}, {item, after}, -1, 0};
}

/* Return the edge of a node with a number, from 0; 0 if there is none. */
static int edge_of(const Choice *choice, int32_t node, int32_t number, EdgeRow *edge) {
    if (node >= choice->items) {
        int32_t position = node - choice->items, at = ROW(int32_t, choice->starting, position) + number;
        if (at >= ROW(int32_t, choice->starting, position + 1)) return 0;
        *edge = cover_edge(choice, ROW(int32_t, choice->starting, at));
        return 1;
    }
    int32_t at = SPAN(choice, node).edge + number;
    int32_t end = node + 1 < choice->items ? SPAN(choice, node + 1).edge : COUNT(EdgeRow, choice->edges);
    if (at >= end) return 0;
    *edge = ROW(EdgeRow, choice->edges, at);
    return 1;
}

/* Wait for the parts of a node that are not known yet; return 1 if there are some. */
static int await_parts(Choice *choice, int32_t node) {
    EdgeRow edge;
    size_t before = choice->waiting.used;
    for (int32_t i = 0; edge_of(choice, node, i, &edge); i++)
        for (int part = 0; part < 2; part++)
            if (edge.parts[part] >= 0 && choice->kept[edge.parts[part]].size < 0 &&
                add_number(&choice->waiting, edge.parts[part]) < 0)
                return -1;
    return choice->waiting.used > before;
}

static int find_ways(Choice *choice) {
    for (int32_t i = 0; i <= choice->items + choice->tokens; i++) choice->kept[i] = (Kept){0, -1};
    if (add_number(&choice->waiting, choice->items) < 0) return -1;
    while (choice->waiting.used) {
        int32_t node = AT(int32_t, choice->waiting, choice->waiting.used - 1);
        int more = choice->kept[node].size < 0 ? await_parts(choice, node) : 0;
        if (more < 0) return -1;
        if (more) continue;
        choice->waiting.used--;
        if (choice->kept[node].size >= 0) continue;
        EdgeRow edge;
        Kept kept = {(int32_t)choice->ways.used, 0};
        for (int32_t i = 0; edge_of(choice, node, i, &edge); i++)
            if ((edge.parts[0] < 0 ? keep_word(choice, &kept, node, edge) : keep_ways(choice, &kept, node, edge)) < 0) return -1;
        choice->kept[node] = kept;
    }
    return 0;
}

/* Return the rows of the best way, daughters before their phrase: label, item, number of daughters. */
static PyObject *rows_of(Choice *choice) {
    Kept goal = choice->kept[choice->items];
    if (!goal.size) return Py_NewRef(Py_None);
    for (int32_t rest = goal.first; rest >= 0; rest = WAY(choice, rest)->parts[1])
        if (add_number(&choice->waiting, WAY(choice, rest)->parts[0]) < 0) return NULL;
    while (choice->waiting.used) {
        int32_t number = AT(int32_t, choice->waiting, --choice->waiting.used);
        const Way way = *WAY(choice, number);
        choice->daughters.used = 0;
        for (int i = 0; i < 2; i++)
            if (way.parts[i] >= 0 && unfold(choice, way.parts[i]) < 0) return NULL;
        int32_t row[3] = {way.label, way.node, (int32_t)choice->daughters.used};
        for (int i = 0; i < 3; i++)
            if (add_number(&choice->rows, row[i]) < 0) return NULL;
        for (size_t i = 0; i < choice->daughters.used; i++)
            if (add_number(&choice->waiting, AT(int32_t, choice->daughters, i)) < 0) return NULL;
    }
    return PyBytes_FromStringAndSize(choice->rows.at, (Py_ssize_t)(choice->rows.used * sizeof(int32_t)));
}

static int read_answer(Choice *choice, PyObject *answer) {
    Py_buffer *buffers[] = {&choice->spans, &choice->quantities, &choice->edges, &choice->starting, &choice->roots};
    for (int i = 0; i < 5; i++) {
        PyObject *bytes = PyTuple_GetItem(answer, i + 1);
        if (!bytes || PyObject_GetBuffer(bytes, buffers[i], PyBUF_SIMPLE) < 0) return -1;
    }
    choice->items = COUNT(SpanRow, choice->spans);
    return 0;
}

static PyObject *chosen(Choice *choice, PyObject *answer, PyObject *request) {
    long long limit, fragment_cost;
    if (!PyArg_ParseTuple(request, "iLLiy*y*y*y*y*OOO", &choice->tokens, &limit, &fragment_cost, &choice->most, &choice->lengths,
                          &choice->words, &choice->starts, &choice->readings, &choice->categories, &choice->shapes, &choice->links,
                          &choice->tops))
        return NULL;
    choice->limit = limit, choice->fragment_cost = fragment_cost;
    if (read_answer(choice, answer) < 0) return NULL;
    choice->kept = malloc(((size_t)choice->items + (size_t)choice->tokens + 1) * sizeof(Kept));
    if (!choice->kept) return PyErr_NoMemory();
    return find_ways(choice) < 0 ? NULL : rows_of(choice);
}

PyObject *choose_analysis(PyObject *self, PyObject *arguments) {
    PyObject *answer, *request;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyTuple_Type, &answer, &PyTuple_Type, &request)) return NULL;
    Choice choice = {.ways.width = sizeof(Way), .waiting.width = sizeof(int32_t), .daughters.width = sizeof(int32_t),
                     .key.width = sizeof(int32_t), .rows.width = sizeof(int32_t)};
    PyObject *made = chosen(&choice, answer, request);
    Py_buffer *buffers[] = {&choice.spans, &choice.quantities, &choice.edges, &choice.starting, &choice.roots,
                            &choice.lengths, &choice.words, &choice.starts, &choice.readings, &choice.categories};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i]->obj) PyBuffer_Release(buffers[i]);
    Vector *vectors[] = {&choice.ways, &choice.waiting, &choice.daughters, &choice.key, &choice.rows};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) free(vectors[i]->at);
    free(choice.kept);
    return made;
}
