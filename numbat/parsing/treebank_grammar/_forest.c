/* Packed forests of the viable items of a search, compiled: python_search.py does the same, loop for loop. */
#include "_chart.h"

enum { WORD_EDGE, START_EDGE, COMBINE_EDGE, ACCEPT_EDGE, UNARY_EDGE, SAME_EDGE, ROOT_EDGE }; /* items.EdgeKind */
enum { LARGEST_COST = 2000000000 }; /* python_search.py */
enum { FEWEST_SLOTS = 256 };
enum { EDGE_COLUMNS = 8 }; /* head, left, right, cost, kind, state, daughter, sequence */

typedef struct {
    int32_t left, right, cost, kind, state, daughter, sequence, next; /* next: the next edge of the same beginning, or -1 */
} Edge;

typedef struct {
    int32_t state, sequence, node, first, last; /* its edges, in `edges` */
    int64_t inside;
} Beginning; /* beginning of a phrase: a state, and the sequence of daughters so far */

typedef struct {
    int32_t symbol, depth, node;
} Layered; /* a viable passive item over a span, and its node */

typedef struct {
    int32_t state;
    int64_t around;
} Around;

typedef struct {
    size_t layered, layered_end, active, active_end, combined, combined_end; /* viable items */
    size_t whole, whole_end, open, open_end;                                 /* their nodes */
} Span;

typedef struct {
    int32_t symbol, node;
} Whole;

typedef struct {
    Grammar *grammar;
    int32_t tokens;
    const int32_t *category;
    int64_t most;
    Word *words;
    size_t word_count;
    Span *spans;
    Vector layered, active, combined; /* Layered, Around, Around: viable items by span */
    Vector wholes, opens;             /* Whole, Beginning */
    Vector begun, edges;              /* Beginning, Edge: while one span is built */
    int32_t *begun_at;                /* beginnings by state and sequence, open addressing */
    size_t begun_slots;
    int64_t noted, most_noted; /* number of edges of beginnings, including those not kept, and its maximum */
    Vector inside, starts, ends, symbols;
    Vector columns[EDGE_COLUMNS];
    Vector befores, lasts;
    int32_t *slots; /* sequences by content, open addressing */
    size_t slot_count;
    int64_t *around; /* by state, while one span is built; infinite if not viable there */
} Forest;

#define SPAN(forest, i, j) ((forest)->spans + (size_t)(i) * ((size_t)(forest)->tokens + 1) + (size_t)(j))
#define NUMBERS(vector) ((int32_t *)(vector).at)

/* sequences of daughters */

static size_t slot_of(const Forest *forest, int32_t before, int32_t last) {
    size_t mask = forest->slot_count - 1;
    size_t at = ((size_t)(uint32_t)before * 0x9E3779B1u ^ (size_t)(uint32_t)last * 0x85EBCA77u) & mask;
    for (;; at = (at + 1) & mask) {
        int32_t known = forest->slots[at];
        if (known < 0 || (NUMBERS(forest->befores)[known] == before && NUMBERS(forest->lasts)[known] == last))
            return at;
    }
}

static int more_slots(Forest *forest) {
    size_t size = forest->slot_count ? forest->slot_count * 2 : 256;
    int32_t *slots = malloc(size * sizeof *slots);
    if (!slots) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < size; i++) slots[i] = -1;
    free(forest->slots);
    forest->slots = slots, forest->slot_count = size;
    for (size_t i = 0; i < forest->befores.used; i++)
        slots[slot_of(forest, NUMBERS(forest->befores)[i], NUMBERS(forest->lasts)[i])] = (int32_t)i;
    return 0;
}

/* Return the number of a sequence extended by a daughter, -1 for an error. */
static int32_t sequence(Forest *forest, int32_t before, int32_t symbol) {
    if (forest->befores.used * 2 >= forest->slot_count && more_slots(forest) < 0) return -1;
    size_t at = slot_of(forest, before, forest->category[symbol]);
    if (forest->slots[at] < 0) {
        forest->slots[at] = (int32_t)forest->befores.used;
        if (add_number(&forest->befores, before) < 0 || add_number(&forest->lasts, forest->category[symbol]) < 0)
            return -1;
    }
    return forest->slots[at];
}

/* nodes and edges */

static int32_t new_node(Forest *forest, int32_t start, int32_t end, int32_t symbol) {
    int64_t *inside = vector_add(&forest->inside);
    if (!inside || add_number(&forest->starts, start) < 0 || add_number(&forest->ends, end) < 0 ||
        add_number(&forest->symbols, symbol) < 0)
        return -1;
    *inside = forest->grammar->infinite;
    return (int32_t)forest->symbols.used - 1;
}

static int64_t cost_of(const Forest *forest, const Edge *edge) {
    const int64_t *inside = (const int64_t *)forest->inside.at;
    return edge->cost + (edge->left < 0 ? 0 : inside[edge->left]) + (edge->right < 0 ? 0 : inside[edge->right]);
}

static int add_edge(Forest *forest, int32_t head, Edge edge) {
    int32_t row[EDGE_COLUMNS] = {head, edge.left, edge.right, edge.cost, edge.kind, edge.state, edge.daughter,
                                 edge.sequence};
    int64_t cost = cost_of(forest, &edge), *inside = (int64_t *)forest->inside.at + head;
    if (cost < *inside) *inside = cost;
    for (int i = 0; i < EDGE_COLUMNS; i++)
        if (add_number(&forest->columns[i], row[i]) < 0) return -1;
    return 0;
}

static size_t begun_slot_of(const Forest *forest, int32_t state, int32_t row) {
    size_t mask = forest->begun_slots - 1;
    size_t at = ((size_t)(uint32_t)state * 0x9E3779B1u ^ (size_t)(uint32_t)row * 0x85EBCA77u) & mask;
    for (;; at = (at + 1) & mask) {
        int32_t known = forest->begun_at[at];
        if (known < 0) return at;
        const Beginning *begun = &AT(Beginning, forest->begun, known);
        if (begun->state == state && begun->sequence == row) return at;
    }
}

/* Remove the beginnings from `first` on from a table with this number of slots. */
static int forget_begun(Forest *forest, size_t size) {
    if (size != forest->begun_slots) {
        int32_t *slots = realloc(forest->begun_at, size * sizeof *slots);
        if (!slots) {
            PyErr_NoMemory();
            return -1;
        }
        forest->begun_at = slots, forest->begun_slots = size;
    }
    memset(forest->begun_at, 0xFF, size * sizeof *forest->begun_at);
    return 0;
}

static int more_begun(Forest *forest, size_t first) {
    if (forget_begun(forest, forest->begun_slots * 2) < 0) return -1;
    for (size_t i = first; i < forest->begun.used; i++) {
        const Beginning *begun = &AT(Beginning, forest->begun, i);
        forest->begun_at[begun_slot_of(forest, begun->state, begun->sequence)] = (int32_t)i;
    }
    return 0;
}

/* Add an edge to a beginning of the span, one of those from `first` on. */
static int begin(Forest *forest, size_t first, int32_t state, Edge edge, int32_t row) {
    int32_t at = (int32_t)forest->edges.used;
    Edge *noted = vector_add(&forest->edges);
    if (!noted || row < 0) return -1;
    forest->noted++;
    edge.next = -1;
    *noted = edge;
    int64_t cost = cost_of(forest, &edge);
    size_t slot = begun_slot_of(forest, state, row);
    if (forest->begun_at[slot] >= 0) {
        Beginning *known = &AT(Beginning, forest->begun, forest->begun_at[slot]);
        AT(Edge, forest->edges, known->last).next = at;
        known->last = at;
        if (cost < known->inside) known->inside = cost;
        return 0;
    }
    forest->begun_at[slot] = (int32_t)forest->begun.used;
    Beginning *made = vector_add(&forest->begun);
    if (!made) return -1;
    *made = (Beginning){state, row, -1, at, at, cost};
    return (forest->begun.used - first) * 2 > forest->begun_slots ? more_begun(forest, first) : 0;
}

static int is_too_large(const Forest *forest) { return forest->noted > forest->most_noted; }

/* Add a node for each beginning from `first` on that occurs in a tree within the maximum cost; discard the others. */
static int keep(Forest *forest, size_t first, int32_t start, int32_t end) {
    size_t kept = first;
    for (size_t i = first; i < forest->begun.used; i++) {
        Beginning *begun = &AT(Beginning, forest->begun, i);
        if (begun->inside + forest->around[begun->state] > forest->most) continue;
        if ((begun->node = new_node(forest, start, end, -1)) < 0) return -1;
        for (int32_t at = begun->first; at >= 0; at = AT(Edge, forest->edges, at).next)
            if (add_edge(forest, begun->node, AT(Edge, forest->edges, at)) < 0) return -1;
        AT(Beginning, forest->begun, kept) = *begun;
        kept++;
    }
    forest->begun.used = kept;
    forest->edges.used = 0;
    return forget_begun(forest, FEWEST_SLOTS);
}

static void set_around(Forest *forest, const Vector *viable, size_t first, size_t end, int is_set) {
    for (size_t i = first; i < end; i++) {
        const Around *item = (const Around *)viable->at + i;
        if (!is_set) forest->around[item->state] = forest->grammar->infinite;
        else if (item->around < forest->around[item->state]) forest->around[item->state] = item->around;
    }
}

/* Build the beginnings of several daughters over a span, in `begun`. */
static int combine(Forest *forest, int32_t start, int32_t end) {
    Grammar *grammar = forest->grammar;
    Span *span = SPAN(forest, start, end);
    if (span->combined == span->combined_end) return 0;
    for (int32_t middle = start + 1; middle < end; middle++) {
        Span *before = SPAN(forest, start, middle), *after = SPAN(forest, middle, end);
        for (size_t o = before->open; o < before->open_end; o++) {
            Beginning open = AT(Beginning, forest->opens, o);
            int32_t label = grammar->label_of_state[open.state];
            if (is_too_large(forest)) return 0;
            for (size_t w = after->whole; w < after->whole_end; w++) {
                Whole whole = AT(Whole, forest->wholes, w);
                for (int32_t u = grammar->use_at[whole.symbol]; u < grammar->use_at[whole.symbol + 1]; u++) {
                    if (grammar->use_label[u] != label) continue;
                    if (!grammar->costs[open.state] && ask_row(grammar, open.state) < 0) return -1;
                    int32_t column = grammar->use_column[u], cost = grammar->costs[open.state][column];
                    int32_t next = grammar->nexts[open.state][column];
                    if (cost == grammar->impossible || forest->around[next] >= grammar->infinite) continue;
                    Edge edge = {open.node, whole.node, cost, COMBINE_EDGE, open.state, whole.symbol, -1, -1};
                    if (begin(forest, 0, next, edge, sequence(forest, open.sequence, whole.symbol)) < 0) return -1;
                }
            }
        }
    }
    return keep(forest, 0, start, end);
}

static int complete_layer(Forest *forest, Span *span, size_t first, size_t end, size_t below, int32_t from, int32_t to) {
    Grammar *grammar = forest->grammar;
    for (size_t i = first; i < end; i++) {
        Layered *item = &AT(Layered, forest->layered, i);
        size_t edges = forest->columns[0].used;
        int32_t node = new_node(forest, from, to, item->symbol);
        if (node < 0) return -1;
        for (size_t w = 0; item->depth == 0 && w < forest->word_count; w++) {
            const Word *word = forest->words + w;
            if (word->start != from || word->end != to || word->symbol != item->symbol) continue;
            Edge edge = {-1, -1, word->cost < LARGEST_COST ? (int32_t)word->cost : LARGEST_COST, WORD_EDGE, item->symbol, word->index, -1, -1};
            if (add_edge(forest, node, edge) < 0) return -1;
        }
        for (size_t b = 0; item->depth == 1 && b < forest->begun.used; b++) {
            Beginning begun = AT(Beginning, forest->begun, b);
            int32_t cost = grammar->accept_cost[begun.state];
            if (grammar->accept_symbol[begun.state] != item->symbol || cost == grammar->impossible) continue;
            Edge edge = {begun.node, -1, cost, ACCEPT_EDGE, begun.state, item->symbol, begun.sequence, -1};
            if (add_edge(forest, node, edge) < 0) return -1;
        }
        for (size_t b = below; b < first; b++) {
            Layered only = AT(Layered, forest->layered, b);
            if (only.node < 0) continue;
            for (int32_t u = grammar->unary_at[only.symbol]; u < grammar->unary_at[only.symbol + 1]; u++) {
                if (grammar->unary_symbol[u] != item->symbol) continue;
                int32_t row = sequence(forest, -1, only.symbol);
                Edge edge = {only.node, -1, grammar->unary_cost[u], UNARY_EDGE, item->symbol, only.symbol, row, -1};
                if (row < 0 || add_edge(forest, node, edge) < 0) return -1;
            }
        }
        if (forest->columns[0].used > edges) item->node = node;
        else /* all of it was discarded */
            forest->inside.used--, forest->starts.used--, forest->ends.used--, forest->symbols.used--;
    }
    return 0;
}

static int by_symbol(const void *a, const void *b) {
    const Layered *one = a, *other = b;
    return one->symbol != other->symbol ? (one->symbol < other->symbol ? -1 : 1) : one->depth - other->depth;
}

/* Build words and phrases over a span, by depth, and one node for each symbol, of any depth. */
static int complete(Forest *forest, int32_t start, int32_t end) {
    Span *span = SPAN(forest, start, end);
    size_t below = span->layered, first = span->layered;
    for (int32_t depth = 0; first < span->layered_end; depth++) {
        size_t next = first;
        while (next < span->layered_end && AT(Layered, forest->layered, next).depth == depth) next++;
        if (complete_layer(forest, span, first, next, below, start, end) < 0) return -1;
        below = first, first = next;
    }
    qsort(&AT(Layered, forest->layered, span->layered), span->layered_end - span->layered, sizeof(Layered), by_symbol);
    span->whole = forest->wholes.used;
    for (size_t i = span->layered, next; i < span->layered_end; i = next) {
        int32_t symbol = AT(Layered, forest->layered, i).symbol, found = 0, node = -1;
        for (next = i; next < span->layered_end && AT(Layered, forest->layered, next).symbol == symbol; next++)
            if (AT(Layered, forest->layered, next).node >= 0) found++, node = AT(Layered, forest->layered, next).node;
        if (!found) continue;
        if (found > 1 && (node = new_node(forest, start, end, -1)) < 0) return -1;
        for (size_t j = i; found > 1 && j < next; j++) {
            Edge edge = {AT(Layered, forest->layered, j).node, -1, 0, SAME_EDGE, -1, -1, -1, -1};
            if (edge.left >= 0 && add_edge(forest, node, edge) < 0) return -1;
        }
        Whole *whole = vector_add(&forest->wholes);
        if (!whole) return -1;
        *whole = (Whole){symbol, node};
    }
    span->whole_end = forest->wholes.used;
    return 0;
}

/* Index the beginnings over a span that may be extended: those of several daughters, and those of one. */
static int open_span(Forest *forest, int32_t start, int32_t end) {
    Grammar *grammar = forest->grammar;
    Span *span = SPAN(forest, start, end);
    size_t combined = forest->begun.used;
    span->open = forest->opens.used;
    for (size_t b = 0; b < combined; b++) {
        Beginning begun = AT(Beginning, forest->begun, b);
        if (begun.inside + forest->around[begun.state] > forest->most) continue;
        Beginning *open = vector_add(&forest->opens);
        if (!open) return -1;
        *open = begun;
    }
    for (size_t w = span->whole; span->active < span->active_end && w < span->whole_end; w++) {
        Whole whole = AT(Whole, forest->wholes, w);
        for (int32_t s = grammar->start_at[whole.symbol]; s < grammar->start_at[whole.symbol + 1]; s++) {
            int32_t state = grammar->start_state[s];
            if (forest->around[state] >= grammar->infinite) continue;
            Edge edge = {whole.node, -1, grammar->start_cost[s], START_EDGE, state, whole.symbol, -1, -1};
            if (begin(forest, combined, state, edge, sequence(forest, -1, whole.symbol)) < 0) return -1;
        }
    }
    if (keep(forest, combined, start, end) < 0) return -1;
    for (size_t b = combined; b < forest->begun.used; b++) {
        Beginning *open = vector_add(&forest->opens);
        if (!open) return -1;
        *open = AT(Beginning, forest->begun, b);
    }
    span->open_end = forest->opens.used;
    forest->begun.used = 0;
    return 0;
}

static int add_span(Forest *forest, int32_t start, int32_t end) {
    Span *span = SPAN(forest, start, end);
    set_around(forest, &forest->combined, span->combined, span->combined_end, 1);
    int bad = combine(forest, start, end) < 0;
    set_around(forest, &forest->combined, span->combined, span->combined_end, 0);
    bad = bad || complete(forest, start, end) < 0;
    set_around(forest, &forest->active, span->active, span->active_end, 1);
    bad = bad || open_span(forest, start, end) < 0;
    set_around(forest, &forest->active, span->active, span->active_end, 0);
    return bad ? -1 : 0;
}

static int add_root(Forest *forest) {
    Grammar *grammar = forest->grammar;
    Span *all = SPAN(forest, 0, forest->tokens);
    int32_t root = new_node(forest, 0, forest->tokens, -1);
    if (root < 0) return -1;
    for (size_t w = all->whole; w < all->whole_end; w++) {
        Whole whole = AT(Whole, forest->wholes, w);
        int32_t cost = grammar->root_cost[whole.symbol];
        Edge edge = {whole.node, -1, cost, ROOT_EDGE, whole.symbol, -1, -1, -1};
        if (cost != grammar->impossible && add_edge(forest, root, edge) < 0) return -1;
    }
    return 0;
}

/* viable items from Python: lists of tuples, sorted by span */

typedef struct {
    int32_t start, end, what, depth;
    int64_t around;
} Item;

static int by_item(const void *a, const void *b) {
    const Item *one = a, *other = b;
    if (one->start != other->start) return one->start < other->start ? -1 : 1;
    if (one->end != other->end) return one->end < other->end ? -1 : 1;
    if (one->depth != other->depth) return one->depth < other->depth ? -1 : 1;
    return one->what < other->what ? -1 : one->what > other->what;
}

static Item *items_of(PyObject *list, int is_passive, const Forest *forest, size_t *count) {
    Py_ssize_t size = PyList_Size(list);
    Item *items = calloc((size_t)size + 1, sizeof *items);
    if (!items) PyErr_NoMemory();
    int32_t most = is_passive ? forest->grammar->symbols : forest->grammar->states;
    int bad = !items;
    for (Py_ssize_t i = 0; i < size && !bad; i++) {
        Item *item = items + i;
        long long around = 0;
        PyObject *record = PyList_GetItem(list, i);
        bad = is_passive ? !PyArg_ParseTuple(record, "iiii", &item->start, &item->end, &item->what, &item->depth)
                         : !PyArg_ParseTuple(record, "iiiL", &item->start, &item->end, &item->what, &around);
        item->around = around;
        if (!bad && (item->start < 0 || item->start >= item->end || item->end > forest->tokens || item->what < 0 ||
                     item->what >= most)) {
            PyErr_SetString(PyExc_ValueError, "an item that is not in the sentence or the grammar");
            bad = 1;
        }
    }
    if (bad) {
        free(items);
        return NULL;
    }
    qsort(items, (size_t)size, sizeof *items, by_item);
    *count = (size_t)size;
    return items;
}

static int read_passive(Forest *forest, PyObject *list) {
    size_t count = 0;
    Item *items = items_of(list, 1, forest, &count);
    int bad = !items;
    for (size_t i = 0, next; i < count && !bad; i = next) {
        Span *span = SPAN(forest, items[i].start, items[i].end);
        span->layered = forest->layered.used;
        for (next = i; next < count && !bad && items[next].start == items[i].start && items[next].end == items[i].end;
             next++) {
            if (next > i && by_item(items + next, items + next - 1) == 0) continue;
            Layered *layered = vector_add(&forest->layered);
            if (!layered) bad = 1;
            else *layered = (Layered){items[next].what, items[next].depth, -1};
        }
        span->layered_end = forest->layered.used;
    }
    free(items);
    return bad ? -1 : 0;
}

static int read_around(Forest *forest, PyObject *list, int is_active) {
    size_t count = 0;
    Item *items = items_of(list, 0, forest, &count);
    Vector *to = is_active ? &forest->active : &forest->combined;
    int bad = !items;
    for (size_t i = 0, next; i < count && !bad; i = next) {
        Span *span = SPAN(forest, items[i].start, items[i].end);
        size_t first = to->used;
        for (next = i; next < count && !bad && items[next].start == items[i].start && items[next].end == items[i].end;
             next++) {
            Around *around = vector_add(to);
            if (!around) bad = 1;
            else *around = (Around){items[next].what, items[next].around};
        }
        if (is_active) span->active = first, span->active_end = to->used;
        else span->combined = first, span->combined_end = to->used;
    }
    free(items);
    return bad ? -1 : 0;
}

static int forest_new(Forest *forest) {
    size_t positions = (size_t)forest->tokens + 1, states = (size_t)forest->grammar->states + 1;
    Vector *numbers[] = {&forest->starts, &forest->ends, &forest->symbols, &forest->befores, &forest->lasts};
    for (int i = 0; i < 5; i++) numbers[i]->width = sizeof(int32_t);
    for (int i = 0; i < EDGE_COLUMNS; i++) forest->columns[i].width = sizeof(int32_t);
    forest->inside.width = sizeof(int64_t), forest->layered.width = sizeof(Layered);
    forest->active.width = forest->combined.width = sizeof(Around);
    forest->wholes.width = sizeof(Whole), forest->edges.width = sizeof(Edge);
    forest->opens.width = forest->begun.width = sizeof(Beginning);
    forest->spans = calloc(positions * positions, sizeof *forest->spans);
    forest->around = malloc(states * sizeof *forest->around);
    if (!forest->spans || !forest->around) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < states; i++) forest->around[i] = forest->grammar->infinite;
    return forget_begun(forest, FEWEST_SLOTS);
}

static void forest_free(Forest *forest) {
    Vector *vectors[] = {&forest->layered, &forest->active, &forest->combined, &forest->wholes, &forest->opens,
                         &forest->begun, &forest->edges, &forest->inside, &forest->starts, &forest->ends,
                         &forest->symbols, &forest->befores, &forest->lasts};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) free(vectors[i]->at);
    for (int i = 0; i < EDGE_COLUMNS; i++) free(forest->columns[i].at);
    free(forest->words), free(forest->spans), free(forest->slots), free(forest->begun_at), free(forest->around);
}

static PyObject *columns_of(const Forest *forest) {
    const Vector *vectors[5 + EDGE_COLUMNS] = {&forest->starts, &forest->ends, &forest->symbols};
    for (int i = 0; i < EDGE_COLUMNS; i++) vectors[3 + i] = &forest->columns[i];
    vectors[3 + EDGE_COLUMNS] = &forest->befores, vectors[4 + EDGE_COLUMNS] = &forest->lasts;
    PyObject *answer = PyTuple_New(5 + EDGE_COLUMNS);
    for (int i = 0; answer && i < 5 + EDGE_COLUMNS; i++) {
        const char *at = vectors[i]->at ? vectors[i]->at : "";
        PyObject *column = PyBytes_FromStringAndSize(at, (Py_ssize_t)(vectors[i]->used * sizeof(int32_t)));
        if (!column || PyTuple_SetItem(answer, i, column) < 0) Py_CLEAR(answer);
    }
    return answer;
}

PyObject *forest_of(PyObject *self, PyObject *task) {
    PyObject *capsule, *words, *passive, *active, *combined, *categories, *answer = NULL;
    Forest forest = {0};
    long long most, most_noted;
    if (!PyArg_ParseTuple(task, "OiO!O!O!O!SLL", &capsule, &forest.tokens, &PyList_Type, &words, &PyList_Type, &passive,
                          &PyList_Type, &active, &PyList_Type, &combined, &categories, &most, &most_noted))
        return NULL;
    forest.grammar = PyCapsule_GetPointer(capsule, "numbat.expansions");
    if (!forest.grammar) return NULL;
    forest.category = (const int32_t *)PyBytes_AsString(categories);
    forest.most = most;
    forest.most_noted = most_noted;
    forest.word_count = (size_t)PyList_Size(words);
    int bad = forest_new(&forest) < 0 || !(forest.words = read_words(words, forest.grammar, forest.tokens)) ||
              read_passive(&forest, passive) < 0 || read_around(&forest, active, 1) < 0 ||
              read_around(&forest, combined, 0) < 0;
    for (int32_t length = 1; length <= forest.tokens && !bad; length++)
        for (int32_t start = 0; start + length <= forest.tokens && !bad && !is_too_large(&forest); start++)
            bad = add_span(&forest, start, start + length) < 0;
    if (!bad && is_too_large(&forest)) answer = Py_NewRef(Py_None);
    else if (!bad && add_root(&forest) == 0) answer = columns_of(&forest);
    forest_free(&forest);
    return answer;
}
