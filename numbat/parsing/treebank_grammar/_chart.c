/* The charts of the tabular search, compiled: python_search.py does the same, loop for loop.
 *
 * A grammar is tables in bytes objects (markov.py); the rows of its states are requested from Python once and kept.
 * Costs are fixed-point integers.
 */
#include "_chart.h"

/* grammars */

static void grammar_free(PyObject *capsule) {
    Grammar *grammar = PyCapsule_GetPointer(capsule, "numbat.expansions");
    if (!grammar) return;
    Py_XDECREF(grammar->row_of);
    Py_XDECREF(grammar->kept);
    free(grammar->costs);
    free(grammar->nexts);
    free(grammar);
}

PyObject *new_grammar(PyObject *self, PyObject *record) {
    Grammar *grammar = calloc(1, sizeof *grammar);
    if (!grammar) return PyErr_NoMemory();
    PyObject *row_of, *tables;
    long long infinite;
    if (!PyArg_ParseTuple(record, "iiiOO!iL", &grammar->symbols, &grammar->labels, &grammar->states, &row_of,
                          &PyTuple_Type, &tables, &grammar->impossible, &infinite)) {
        free(grammar);
        return NULL;
    }
    grammar->infinite = infinite;
    const int32_t **places[] = {&grammar->label_of_state, &grammar->accept_symbol, &grammar->accept_cost,
                                &grammar->use_at,         &grammar->use_label,     &grammar->use_column,
                                &grammar->start_at,       &grammar->start_state,   &grammar->start_cost,
                                &grammar->unary_at,       &grammar->unary_symbol,  &grammar->unary_cost,
                                &grammar->label_of_symbol, &grammar->root_cost};
    for (Py_ssize_t i = 0; i < 14; i++) {
        char *at = PyBytes_AsString(PyTuple_GetItem(tables, i));
        if (!at) {
            free(grammar);
            return NULL;
        }
        *places[i] = (const int32_t *)at;
    }
    grammar->costs = calloc((size_t)grammar->states + 1, sizeof *grammar->costs);
    grammar->nexts = calloc((size_t)grammar->states + 1, sizeof *grammar->nexts);
    if (!grammar->costs || !grammar->nexts) {
        free(grammar->costs);
        free(grammar->nexts);
        free(grammar);
        return PyErr_NoMemory();
    }
    PyObject *rows = PyList_New(0);
    grammar->kept = rows ? PyTuple_Pack(2, tables, rows) : NULL;
    Py_XDECREF(rows);
    grammar->row_of = Py_NewRef(row_of);
    PyObject *capsule = grammar->kept ? PyCapsule_New(grammar, "numbat.expansions", grammar_free) : NULL;
    return capsule;
}

int ask_row(Grammar *grammar, int32_t state) {
    PyObject *row = PyObject_CallFunction(grammar->row_of, "i", state);
    if (!row) return -1;
    int bad = PyList_Append(PyTuple_GetItem(grammar->kept, 1), row) < 0;
    Py_DecRef(row); /* the list owns it */
    if (bad) return -1;
    PyObject *costs = PyTuple_GetItem(row, 0), *nexts = PyTuple_GetItem(row, 1);
    if (!costs || !nexts) return -1;
    grammar->costs[state] = (const int32_t *)PyBytes_AsString(costs);
    grammar->nexts[state] = (const int32_t *)PyBytes_AsString(nexts);
    return grammar->costs[state] && grammar->nexts[state] ? 0 : -1;
}

/* charts */

void chart_free(Chart *chart) {
    free(chart->active.at), free(chart->extendable.at), free(chart->passive.at);
    free(chart->uses.at), free(chart->ranges.at);
    free(chart->cells), free(chart->best_state), free(chart->best_symbol), free(chart->at_state);
    free(chart->at_symbol), free(chart->words);
}

int chart_new(Chart *chart) {
    size_t positions = (size_t)chart->tokens + 1, states = (size_t)chart->grammar->states + 1;
    size_t symbols = (size_t)chart->grammar->symbols + 1;
    chart->active.width = sizeof(Active), chart->passive.width = sizeof(Passive);
    chart->extendable.width = sizeof(int32_t), chart->uses.width = sizeof(Use), chart->ranges.width = sizeof(size_t);
    chart->cells = calloc(positions * positions, sizeof *chart->cells);
    chart->best_state = malloc(states * sizeof *chart->best_state);
    chart->best_symbol = malloc(symbols * sizeof *chart->best_symbol);
    chart->at_state = malloc(states * sizeof *chart->at_state);
    chart->at_symbol = malloc(symbols * sizeof *chart->at_symbol);
    if (!chart->cells || !chart->best_state || !chart->best_symbol || !chart->at_state || !chart->at_symbol) {
        PyErr_NoMemory();
        return -1;
    }
    int64_t infinite = chart->grammar->infinite;
    for (size_t i = 0; i < states; i++) chart->best_state[i] = infinite, chart->at_state[i] = -1;
    for (size_t i = 0; i < symbols; i++) chart->best_symbol[i] = infinite, chart->at_symbol[i] = -1;
    return 0;
}

/* Build the active items of several daughters over a span: extend each active item by each passive one after it. */
static int combine(Chart *chart, int32_t start, int32_t end) {
    Grammar *grammar = chart->grammar;
    Cell *cell = CELL(chart, start, end);
    int32_t impossible = grammar->impossible;
    cell->combined = chart->active.used;
    for (int32_t middle = start + 1; middle < end; middle++) {
        Cell *left = CELL(chart, start, middle), *right = CELL(chart, middle, end);
        const size_t *ranges = (const size_t *)chart->ranges.at + right->uses;
        for (size_t g = left->extendable; g < left->extendable_end; g++) {
            int32_t before = EXTENDABLE(chart, g);
            int32_t state = ACTIVE(chart, before)->state, label = grammar->label_of_state[state];
            if (ranges[label] == ranges[label + 1]) continue;
            if (chart->may_be_passive && !chart->may_be_passive[MASK(chart, start, end) + (size_t)label] &&
                !chart->may_be_active[MASK(chart, start, end) + (size_t)label])
                continue;
            if (!grammar->costs[state] && ask_row(grammar, state) < 0) return -1;
            const int32_t *costs = grammar->costs[state], *nexts = grammar->nexts[state];
            int64_t cost = ACTIVE(chart, before)->cost;
            const Use *uses = (const Use *)chart->uses.at;
            for (size_t u = ranges[label]; u < ranges[label + 1]; u++) {
                int32_t step = costs[uses[u].column];
                if (step == impossible) continue;
                int64_t whole = cost + uses[u].cost + step;
                int32_t next = nexts[uses[u].column];
                if (whole >= chart->best_state[next]) continue;
                if (chart->at_state[next] < 0) {
                    chart->at_state[next] = (int32_t)chart->active.used;
                    if (!vector_add(&chart->active)) return -1;
                }
                chart->best_state[next] = whole;
                *ACTIVE(chart, chart->at_state[next]) = (Active){next, before, uses[u].item, whole};
            }
        }
    }
    cell->combined_end = chart->active.used;
    return 0;
}

/* Add a passive item, unless a better one has its symbol and depth. */
static int offer_passive(Chart *chart, int32_t symbol, int32_t depth, int64_t cost, int32_t below, int32_t word,
                      int32_t is_unary) {
    int32_t at = chart->at_symbol[symbol];
    if (at >= 0 && PASSIVE(chart, at)->cost <= cost) return 0;
    if (at < 0) {
        at = chart->at_symbol[symbol] = (int32_t)chart->passive.used;
        if (!vector_add(&chart->passive)) return -1;
    }
    *PASSIVE(chart, at) = (Passive){symbol, depth, below, word, cost, is_unary};
    return 0;
}

static int may_be(const unsigned char *allowed, const Chart *chart, int32_t start, int32_t end, int32_t label) {
    return !allowed || label < 0 || allowed[MASK(chart, start, end) + (size_t)label];
}

static int add_words(Chart *chart, int32_t start, int32_t end) {
    for (size_t w = 0; w < chart->word_count; w++) {
        const Word *word = chart->words + w;
        if (word->start == start && word->end == end &&
            offer_passive(chart, word->symbol, 0, word->cost, -1, word->index, 0) < 0)
            return -1;
    }
    return 0;
}

static void forget_symbols(Chart *chart, size_t first) {
    for (size_t i = first; i < chart->passive.used; i++) chart->at_symbol[PASSIVE(chart, i)->symbol] = -1;
}

/* Build the passive items over a span, by depth: words, phrases of several daughters, phrases of one daughter. */
static int complete(Chart *chart, int32_t start, int32_t end) {
    Grammar *grammar = chart->grammar;
    Cell *cell = CELL(chart, start, end);
    cell->passive = chart->passive.used;
    size_t layer = chart->passive.used;
    if (add_words(chart, start, end) < 0) return -1;
    for (int32_t depth = 1; depth <= chart->unary_limit; depth++) {
        size_t layer_end = chart->passive.used;
        if (depth > 1 && layer == layer_end) break;
        for (size_t i = layer; i < layer_end; i++) chart->at_symbol[PASSIVE(chart, i)->symbol] = -1;
        if (depth == 1)
            for (size_t i = cell->combined; i < cell->combined_end; i++) {
                Active item = *ACTIVE(chart, i);
                int32_t cost = grammar->accept_cost[item.state], symbol = grammar->accept_symbol[item.state];
                if (cost == grammar->impossible) continue;
                if (!may_be(chart->may_be_passive, chart, start, end, grammar->label_of_symbol[symbol])) continue;
                if (offer_passive(chart, symbol, depth, item.cost + cost, (int32_t)i, -1, 0) < 0) return -1;
            }
        for (size_t i = layer; i < layer_end; i++) {
            Passive item = *PASSIVE(chart, i);
            for (int32_t r = grammar->unary_at[item.symbol]; r < grammar->unary_at[item.symbol + 1]; r++) {
                int32_t symbol = grammar->unary_symbol[r];
                if (!may_be(chart->may_be_passive, chart, start, end, grammar->label_of_symbol[symbol])) continue;
                if (offer_passive(chart, symbol, depth, item.cost + grammar->unary_cost[r], (int32_t)i, -1, 1) < 0)
                    return -1;
            }
        }
        layer = layer_end;
    }
    forget_symbols(chart, layer);
    cell->passive_end = chart->passive.used;
    return 0;
}

/* Add only the words of spans that were not filled when a limit was met. */
static int complete_words(Chart *chart) {
    for (size_t w = 0; w < chart->word_count; w++) {
        int32_t start = chart->words[w].start, end = chart->words[w].end;
        Cell *cell = CELL(chart, start, end);
        if (cell->passive_end) continue; /* a filled span already has its words */
        cell->passive = chart->passive.used;
        if (add_words(chart, start, end) < 0) return -1;
        forget_symbols(chart, cell->passive);
        cell->passive_end = chart->passive.used;
    }
    return 0;
}

static int add_use(Chart *chart, int32_t label, int32_t column, int32_t item, Vector *by_label) {
    Use *use = vector_add(&by_label[label]);
    if (!use) return -1;
    *use = (Use){column, item, PASSIVE(chart, item)->cost};
    return 0;
}

/* Index a span for larger ones: its best passive items by the labels that admit them, and what they begin. */
static int index_span(Chart *chart, int32_t start, int32_t end, Vector *by_label) {
    Grammar *grammar = chart->grammar;
    Cell *cell = CELL(chart, start, end);
    for (size_t i = cell->passive; i < cell->passive_end; i++) {
        int32_t symbol = PASSIVE(chart, i)->symbol, known = chart->at_symbol[symbol];
        if (known < 0 || PASSIVE(chart, i)->cost < PASSIVE(chart, known)->cost) chart->at_symbol[symbol] = (int32_t)i;
    }
    for (size_t i = cell->passive; i < cell->passive_end; i++) {
        int32_t symbol = PASSIVE(chart, i)->symbol;
        if (chart->at_symbol[symbol] != (int32_t)i) continue;
        for (int32_t u = grammar->use_at[symbol]; u < grammar->use_at[symbol + 1]; u++)
            if (add_use(chart, grammar->use_label[u], grammar->use_column[u], (int32_t)i, by_label) < 0) return -1;
        for (int32_t s = grammar->start_at[symbol]; end < chart->tokens && s < grammar->start_at[symbol + 1]; s++) {
            int32_t state = grammar->start_state[s];
            int64_t cost = PASSIVE(chart, i)->cost + grammar->start_cost[s];
            if (cost >= chart->best_state[state]) continue;
            if (!may_be(chart->may_be_active, chart, start, end, grammar->label_of_state[state])) continue;
            if (chart->at_state[state] < (int32_t)cell->combined_end) {
                chart->at_state[state] = (int32_t)chart->active.used;
                if (!vector_add(&chart->active)) return -1;
            }
            chart->best_state[state] = cost;
            *ACTIVE(chart, chart->at_state[state]) = (Active){state, -1, (int32_t)i, cost};
        }
    }
    for (size_t i = cell->passive; i < cell->passive_end; i++) chart->at_symbol[PASSIVE(chart, i)->symbol] = -1;
    cell->extendable = chart->extendable.used;
    for (size_t i = cell->combined; i < chart->active.used; i++) {
        int32_t state = ACTIVE(chart, i)->state;
        if (end < chart->tokens && chart->at_state[state] == (int32_t)i &&
            may_be(chart->may_be_active, chart, start, end, grammar->label_of_state[state])) {
            if (add_number(&chart->extendable, (int32_t)i) < 0) return -1;
        }
    }
    cell->extendable_end = chart->extendable.used;
    for (size_t i = cell->combined; i < chart->active.used; i++) {
        int32_t state = ACTIVE(chart, i)->state;
        chart->best_state[state] = grammar->infinite;
        chart->at_state[state] = -1;
    }
    cell->uses = chart->ranges.used;
    for (int32_t label = 0; label <= grammar->labels; label++) {
        size_t *range = vector_add(&chart->ranges);
        if (!range) return -1;
        *range = chart->uses.used;
        if (label == grammar->labels) break;
        for (size_t u = 0; u < by_label[label].used; u++) {
            Use *use = vector_add(&chart->uses);
            if (!use) return -1;
            *use = ((Use *)by_label[label].at)[u];
        }
        by_label[label].used = 0;
    }
    return 0;
}

/* Return 1 if time is up, now or earlier; -1 for an error. */
int is_late(Limits *limits) {
    if (!limits->stopped && limits->overdue) {
        PyObject *answer = PyObject_CallObject(limits->overdue, NULL);
        int late = answer ? PyObject_IsTrue(answer) : -1;
        Py_XDECREF(answer);
        if (late < 0) return -1;
        if (late) limits->stopped = BY_SECONDS;
    }
    return limits->stopped != NOT_STOPPED;
}

/* Return 1 if a limit is met, -1 for an error. */
static int is_over(Chart *chart) {
    Limits *limits = chart->limits;
    int64_t built = limits->built + (int64_t)(chart->active.used + chart->passive.used);
    if (!limits->stopped && limits->most >= 0 && built >= limits->most) limits->stopped = BY_ITEMS;
    return is_late(limits);
}

/* Fill all spans, from the smallest to the largest; after a limit is met, only with words. */
int fill(Chart *chart) {
    int32_t labels = chart->grammar->labels;
    Vector *by_label = calloc((size_t)labels + 1, sizeof *by_label);
    if (!by_label) {
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; i < labels; i++) by_label[i].width = sizeof(Use);
    int bad = 0, over = 0;
    for (int32_t length = 1; length <= chart->tokens && !bad && !over; length++) {
        for (int32_t start = 0; start + length <= chart->tokens && !bad && !over; start++) {
            over = is_over(chart);
            if (over < 0) bad = 1;
            else if (over) bad = complete_words(chart) < 0;
            else
                bad = combine(chart, start, start + length) < 0 || complete(chart, start, start + length) < 0 ||
                      index_span(chart, start, start + length, by_label) < 0;
        }
        if (!bad && PyErr_CheckSignals() < 0) bad = 1;
    }
    for (int32_t i = 0; i < labels; i++) free(by_label[i].at);
    free(by_label);
    return bad ? -1 : 0;
}

/* Return the best root over the whole sentence, or -1. */
int32_t best_root(const Chart *chart, int64_t *cost) {
    const Cell *cell = CELL(chart, 0, chart->tokens);
    int32_t best = -1;
    *cost = chart->grammar->infinite;
    for (size_t i = cell->passive; i < cell->passive_end; i++) {
        int32_t root = chart->grammar->root_cost[PASSIVE(chart, i)->symbol];
        if (root != chart->grammar->impossible && PASSIVE(chart, i)->cost + root < *cost) {
            *cost = PASSIVE(chart, i)->cost + root;
            best = (int32_t)i;
        }
    }
    return best;
}
