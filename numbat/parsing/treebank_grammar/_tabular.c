/* The hot loops of parsing with counted expansions: the compiled twin of tabular.py, loop for loop.
 *
 * A grammar is tables in bytes objects; the rows of its states are asked of Python once and kept. Costs are fixed-point
 * integers. A coarse grammar over the bare labels decides first which labels a span may have.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_vector.h"

#define INTERFACE 2 /* as in native.py, which lets no other use this module */

/* grammars */

typedef struct { /* the fields of tabular.Constants */
    int32_t none;           /* a cost of the tables: not possible */
    int64_t infinite;       /* a cost of items: more than any */
    int done, going, built; /* kinds of items */
} Constants;

typedef struct { /* tabular.GrammarTables, unpacked */
    Constants constants;
    PyObject *row_of, *kept; /* asked for a row; the bytes that the pointers point into */
    int32_t symbols, labels, states;
    const int32_t *label_of_state, *accept_symbol, *accept_cost;
    const int32_t *use_at, *use_label, *use_local;       /* by symbol: in which labels it is a daughter, its column */
    const int32_t *start_at, *start_state, *start_cost;  /* by symbol: what it begins */
    const int32_t *unary_at, *unary_symbol, *unary_cost; /* by symbol: of what it is the only daughter */
    const int32_t *label_of_symbol, *root_cost;
    const int32_t **costs, **nexts; /* the rows of the states, NULL before they are asked for */
} Grammar;

static void grammar_free(PyObject *capsule) {
    Grammar *grammar = PyCapsule_GetPointer(capsule, "numbat.expansions");
    if (!grammar) return;
    Py_XDECREF(grammar->row_of);
    Py_XDECREF(grammar->kept);
    free(grammar->costs);
    free(grammar->nexts);
    free(grammar);
}

static PyObject *new_grammar(PyObject *self, PyObject *record) {
    Grammar *grammar = calloc(1, sizeof *grammar);
    if (!grammar) return PyErr_NoMemory();
    PyObject *row_of, *tables;
    Constants *constants = &grammar->constants;
    long long infinite;
    if (!PyArg_ParseTuple(record, "iiiOO!(iLiii)", &grammar->symbols, &grammar->labels, &grammar->states, &row_of,
                          &PyTuple_Type, &tables, &constants->none, &infinite, &constants->done, &constants->going,
                          &constants->built)) {
        free(grammar);
        return NULL;
    }
    constants->infinite = infinite;
    const int32_t **places[] = {&grammar->label_of_state, &grammar->accept_symbol, &grammar->accept_cost,
                                &grammar->use_at,         &grammar->use_label,     &grammar->use_local,
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

static int ask_row(Grammar *grammar, int32_t state) {
    PyObject *row = PyObject_CallFunction(grammar->row_of, "i", state);
    if (!row) return -1;
    int bad = PyList_Append(PyTuple_GetItem(grammar->kept, 1), row) < 0;
    Py_DecRef(row); /* the list keeps it */
    if (bad) return -1;
    PyObject *costs = PyTuple_GetItem(row, 0), *nexts = PyTuple_GetItem(row, 1);
    if (!costs || !nexts) return -1;
    grammar->costs[state] = (const int32_t *)PyBytes_AsString(costs);
    grammar->nexts[state] = (const int32_t *)PyBytes_AsString(nexts);
    return grammar->costs[state] && grammar->nexts[state] ? 0 : -1;
}

/* charts */

typedef struct {
    int32_t state, left, right; /* left: an open item, -1 where this one has one daughter */
    int64_t cost;
} Open;

typedef struct {
    int32_t symbol, depth, below, word; /* below: an open item at depth 1 without word, else a done item */
    int64_t cost;
    int32_t is_unary;
} Done;

typedef struct {
    int32_t local, item;
    int64_t cost;
} Use;

typedef struct {
    size_t built, built_end;   /* open items of several daughters, in `open` */
    size_t going, going_end;   /* open items to go on with, in `going` */
    size_t done, done_end;     /* done items, in `done` */
    size_t uses;               /* where the ranges of uses by label start, in `ranges` */
} Cell;

typedef struct {
    int32_t start, end, symbol, index;
    int64_t cost;
} Word;

typedef struct {
    Grammar *grammar;
    int32_t tokens, unary_limit;
    Word *words;
    size_t many_words;
    const unsigned char *may_be_done, *may_be_open; /* by span and label, NULL: everything */
    Vector open, going, done, uses, ranges;
    Cell *cells;
    int64_t *best_state, *best_symbol;
    int32_t *at_state, *at_symbol;
} Chart;

#define OPEN(chart, i) ((Open *)(chart)->open.at + (i))
#define DONE(chart, i) ((Done *)(chart)->done.at + (i))
#define GOING(chart, i) (((int32_t *)(chart)->going.at)[i])
#define CELL(chart, i, j) ((chart)->cells + (size_t)(i) * ((size_t)(chart)->tokens + 1) + (size_t)(j))
#define MASK(chart, i, j) \
    (((size_t)(i) * ((size_t)(chart)->tokens + 1) + (size_t)(j)) * (size_t)(chart)->grammar->labels)

static void chart_free(Chart *chart) {
    free(chart->open.at), free(chart->going.at), free(chart->done.at), free(chart->uses.at), free(chart->ranges.at);
    free(chart->cells), free(chart->best_state), free(chart->best_symbol), free(chart->at_state);
    free(chart->at_symbol), free(chart->words);
}

static int chart_new(Chart *chart) {
    size_t positions = (size_t)chart->tokens + 1, states = (size_t)chart->grammar->states + 1;
    size_t symbols = (size_t)chart->grammar->symbols + 1;
    chart->open.width = sizeof(Open), chart->going.width = sizeof(int32_t), chart->done.width = sizeof(Done);
    chart->uses.width = sizeof(Use), chart->ranges.width = sizeof(size_t);
    chart->cells = calloc(positions * positions, sizeof *chart->cells);
    chart->best_state = malloc(states * sizeof *chart->best_state);
    chart->best_symbol = malloc(symbols * sizeof *chart->best_symbol);
    chart->at_state = malloc(states * sizeof *chart->at_state);
    chart->at_symbol = malloc(symbols * sizeof *chart->at_symbol);
    if (!chart->cells || !chart->best_state || !chart->best_symbol || !chart->at_state || !chart->at_symbol) {
        PyErr_NoMemory();
        return -1;
    }
    int64_t infinite = chart->grammar->constants.infinite;
    for (size_t i = 0; i < states; i++) chart->best_state[i] = infinite, chart->at_state[i] = -1;
    for (size_t i = 0; i < symbols; i++) chart->best_symbol[i] = infinite, chart->at_symbol[i] = -1;
    return 0;
}

/* Open items of several daughters over a span: each open item followed by each done one. */
static int combine(Chart *chart, int32_t start, int32_t end) {
    Grammar *grammar = chart->grammar;
    Cell *cell = CELL(chart, start, end);
    int32_t none = grammar->constants.none;
    cell->built = chart->open.used;
    for (int32_t middle = start + 1; middle < end; middle++) {
        Cell *left = CELL(chart, start, middle), *right = CELL(chart, middle, end);
        const size_t *ranges = (const size_t *)chart->ranges.at + right->uses;
        for (size_t g = left->going; g < left->going_end; g++) {
            int32_t before = GOING(chart, g);
            int32_t state = OPEN(chart, before)->state, label = grammar->label_of_state[state];
            if (ranges[label] == ranges[label + 1]) continue;
            if (chart->may_be_done && !chart->may_be_done[MASK(chart, start, end) + (size_t)label] &&
                !chart->may_be_open[MASK(chart, start, end) + (size_t)label])
                continue;
            if (!grammar->costs[state] && ask_row(grammar, state) < 0) return -1;
            const int32_t *costs = grammar->costs[state], *nexts = grammar->nexts[state];
            int64_t cost = OPEN(chart, before)->cost;
            const Use *uses = (const Use *)chart->uses.at;
            for (size_t u = ranges[label]; u < ranges[label + 1]; u++) {
                int32_t step = costs[uses[u].local];
                if (step == none) continue;
                int64_t whole = cost + uses[u].cost + step;
                int32_t next = nexts[uses[u].local];
                if (whole >= chart->best_state[next]) continue;
                if (chart->at_state[next] < 0) {
                    chart->at_state[next] = (int32_t)chart->open.used;
                    if (!vector_add(&chart->open)) return -1;
                }
                chart->best_state[next] = whole;
                *OPEN(chart, chart->at_state[next]) = (Open){next, before, uses[u].item, whole};
            }
        }
    }
    cell->built_end = chart->open.used;
    return 0;
}

/* A done item, kept if it is the best of its symbol and depth; those of one depth stand in one row from `first`. */
static int offer_done(Chart *chart, int32_t symbol, int32_t depth, int64_t cost, int32_t below, int32_t word,
                      int32_t is_unary) {
    int32_t at = chart->at_symbol[symbol];
    if (at >= 0 && DONE(chart, at)->cost <= cost) return 0;
    if (at < 0) {
        at = chart->at_symbol[symbol] = (int32_t)chart->done.used;
        if (!vector_add(&chart->done)) return -1;
    }
    *DONE(chart, at) = (Done){symbol, depth, below, word, cost, is_unary};
    return 0;
}

static int may_be(const unsigned char *allowed, const Chart *chart, int32_t start, int32_t end, int32_t label) {
    return !allowed || label < 0 || allowed[MASK(chart, start, end) + (size_t)label];
}

/* Done items over a span, depth by depth: words, phrases of several daughters, phrases of one. */
static int finish(Chart *chart, int32_t start, int32_t end) {
    Grammar *grammar = chart->grammar;
    Cell *cell = CELL(chart, start, end);
    cell->done = chart->done.used;
    size_t layer = chart->done.used;
    for (size_t w = 0; w < chart->many_words; w++) {
        const Word *word = chart->words + w;
        if (word->start == start && word->end == end &&
            offer_done(chart, word->symbol, 0, word->cost, -1, word->index, 0) < 0)
            return -1;
    }
    for (int32_t depth = 1; depth <= chart->unary_limit; depth++) {
        size_t layer_end = chart->done.used;
        if (depth > 1 && layer == layer_end) break;
        for (size_t i = layer; i < layer_end; i++) chart->at_symbol[DONE(chart, i)->symbol] = -1;
        if (depth == 1)
            for (size_t i = cell->built; i < cell->built_end; i++) {
                Open item = *OPEN(chart, i);
                int32_t cost = grammar->accept_cost[item.state], symbol = grammar->accept_symbol[item.state];
                if (cost == grammar->constants.none ||
                    !may_be(chart->may_be_done, chart, start, end, grammar->label_of_symbol[symbol]))
                    continue;
                if (offer_done(chart, symbol, depth, item.cost + cost, (int32_t)i, -1, 0) < 0) return -1;
            }
        for (size_t i = layer; i < layer_end; i++) {
            Done item = *DONE(chart, i);
            for (int32_t r = grammar->unary_at[item.symbol]; r < grammar->unary_at[item.symbol + 1]; r++) {
                int32_t symbol = grammar->unary_symbol[r];
                if (!may_be(chart->may_be_done, chart, start, end, grammar->label_of_symbol[symbol])) continue;
                if (offer_done(chart, symbol, depth, item.cost + grammar->unary_cost[r], (int32_t)i, -1, 1) < 0)
                    return -1;
            }
        }
        layer = layer_end;
    }
    for (size_t i = layer; i < chart->done.used; i++) chart->at_symbol[DONE(chart, i)->symbol] = -1;
    cell->done_end = chart->done.used;
    return 0;
}

static int add_use(Chart *chart, int32_t label, int32_t local, int32_t item, Vector *by_label) {
    Use *use = vector_add(&by_label[label]);
    if (!use) return -1;
    *use = (Use){local, item, DONE(chart, item)->cost};
    return 0;
}

/* What larger spans need of a span: its best done items by the labels that take them, and what they begin. */
static int offer_up(Chart *chart, int32_t start, int32_t end, Vector *by_label) {
    Grammar *grammar = chart->grammar;
    Cell *cell = CELL(chart, start, end);
    for (size_t i = cell->done; i < cell->done_end; i++) {
        int32_t symbol = DONE(chart, i)->symbol, known = chart->at_symbol[symbol];
        if (known < 0 || DONE(chart, i)->cost < DONE(chart, known)->cost) chart->at_symbol[symbol] = (int32_t)i;
    }
    for (size_t i = cell->done; i < cell->done_end; i++) {
        int32_t symbol = DONE(chart, i)->symbol;
        if (chart->at_symbol[symbol] != (int32_t)i) continue;
        for (int32_t u = grammar->use_at[symbol]; u < grammar->use_at[symbol + 1]; u++)
            if (add_use(chart, grammar->use_label[u], grammar->use_local[u], (int32_t)i, by_label) < 0) return -1;
        for (int32_t s = grammar->start_at[symbol]; end < chart->tokens && s < grammar->start_at[symbol + 1]; s++) {
            int32_t state = grammar->start_state[s];
            int64_t cost = DONE(chart, i)->cost + grammar->start_cost[s];
            if (cost >= chart->best_state[state]) continue;
            if (!may_be(chart->may_be_open, chart, start, end, grammar->label_of_state[state])) continue;
            if (chart->at_state[state] < (int32_t)cell->built_end) {
                chart->at_state[state] = (int32_t)chart->open.used;
                if (!vector_add(&chart->open)) return -1;
            }
            chart->best_state[state] = cost;
            *OPEN(chart, chart->at_state[state]) = (Open){state, -1, (int32_t)i, cost};
        }
    }
    for (size_t i = cell->done; i < cell->done_end; i++) chart->at_symbol[DONE(chart, i)->symbol] = -1;
    cell->going = chart->going.used;
    for (size_t i = cell->built; i < chart->open.used; i++) {
        int32_t state = OPEN(chart, i)->state;
        if (end < chart->tokens && chart->at_state[state] == (int32_t)i &&
            may_be(chart->may_be_open, chart, start, end, grammar->label_of_state[state])) {
            if (add_number(&chart->going, (int32_t)i) < 0) return -1;
        }
    }
    cell->going_end = chart->going.used;
    for (size_t i = cell->built; i < chart->open.used; i++) {
        int32_t state = OPEN(chart, i)->state;
        chart->best_state[state] = grammar->constants.infinite;
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

static int fill(Chart *chart) {
    int32_t labels = chart->grammar->labels;
    Vector *by_label = calloc((size_t)labels + 1, sizeof *by_label);
    if (!by_label) {
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; i < labels; i++) by_label[i].width = sizeof(Use);
    int bad = 0;
    for (int32_t length = 1; length <= chart->tokens && !bad; length++) {
        for (int32_t start = 0; start + length <= chart->tokens && !bad; start++)
            bad = combine(chart, start, start + length) < 0 || finish(chart, start, start + length) < 0 ||
                  offer_up(chart, start, start + length, by_label) < 0;
        if (!bad && PyErr_CheckSignals() < 0) bad = 1;
    }
    for (int32_t i = 0; i < labels; i++) free(by_label[i].at);
    free(by_label);
    return bad ? -1 : 0;
}

/* The best root over all, -1 for none. */
static int32_t best_root(const Chart *chart, int64_t *cost) {
    const Cell *cell = CELL(chart, 0, chart->tokens);
    int32_t best = -1;
    *cost = chart->grammar->constants.infinite;
    for (size_t i = cell->done; i < cell->done_end; i++) {
        int32_t root = chart->grammar->root_cost[DONE(chart, i)->symbol];
        if (root != chart->grammar->constants.none && DONE(chart, i)->cost + root < *cost) {
            *cost = DONE(chart, i)->cost + root;
            best = (int32_t)i;
        }
    }
    return best;
}

static int keep(PyObject *list, int32_t start, int32_t end, int kind, int32_t what, int32_t depth) {
    PyObject *item = Py_BuildValue("(iiiii)", start, end, kind, what, depth);
    int bad = !item || PyList_Append(list, item) < 0;
    Py_XDECREF(item);
    return bad ? -1 : 0;
}

/* What is around each item at least, from the largest spans to the smallest, and what follows from it for all items
 * that some tree has which costs no more than `most`: the masks, or with `kept` a list of them. */
static int look_around(Chart *chart, int64_t most, unsigned char *may_be_done, unsigned char *may_be_open,
                       PyObject *kept) {
    Grammar *grammar = chart->grammar;
    const Constants *constants = &grammar->constants;
    int32_t none = constants->none;
    int64_t infinite = constants->infinite;
    int bad = 0;
    int64_t *done = malloc((chart->done.used + 1) * sizeof *done);
    int64_t *open = malloc((chart->open.used + 1) * sizeof *open);
    if (!done || !open) {
        free(done), free(open);
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < chart->done.used; i++) done[i] = infinite;
    for (size_t i = 0; i < chart->open.used; i++) open[i] = infinite;
    Cell *all = CELL(chart, 0, chart->tokens);
    for (size_t i = all->done; i < all->done_end; i++)
        if (grammar->root_cost[DONE(chart, i)->symbol] != none) done[i] = grammar->root_cost[DONE(chart, i)->symbol];
    for (int32_t length = chart->tokens; length > 0; length--)
        for (int32_t start = 0; start + length <= chart->tokens; start++) {
            int32_t end = start + length;
            Cell *cell = CELL(chart, start, end);
            for (size_t g = cell->going; g < cell->going_end; g++) {
                Open *item = OPEN(chart, GOING(chart, g));
                chart->at_state[item->state] = GOING(chart, g);
            }
            /* what begins here with one daughter; the base of a symbol is that of its cheapest item */
            for (size_t i = cell->done; i < cell->done_end; i++) {
                int32_t symbol = DONE(chart, i)->symbol;
                if (chart->best_symbol[symbol] > done[i]) chart->best_symbol[symbol] = done[i];
                for (int32_t s = grammar->start_at[symbol]; s < grammar->start_at[symbol + 1]; s++) {
                    int32_t going = chart->at_state[grammar->start_state[s]];
                    if (going >= 0 && open[going] + grammar->start_cost[s] < chart->best_symbol[symbol])
                        chart->best_symbol[symbol] = open[going] + grammar->start_cost[s];
                }
            }
            for (size_t i = cell->done_end; i-- > cell->done;) {
                Done *item = DONE(chart, i);
                if (chart->best_symbol[item->symbol] < done[i]) done[i] = chart->best_symbol[item->symbol];
                if (item->is_unary) {
                    /* every done item of the depth below may be the daughter, not only the best */
                    for (size_t b = cell->done; b < i; b++) {
                        Done *below = DONE(chart, b);
                        if (below->depth != item->depth - 1) continue;
                        int32_t end = grammar->unary_at[below->symbol + 1];
                        for (int32_t r = grammar->unary_at[below->symbol]; r < end; r++)
                            if (grammar->unary_symbol[r] == item->symbol && done[i] + grammar->unary_cost[r] < done[b])
                                done[b] = done[i] + grammar->unary_cost[r];
                    }
                }
            }
            for (size_t i = cell->done; i < cell->done_end; i++) chart->at_symbol[DONE(chart, i)->symbol] = (int32_t)i;
            for (size_t i = cell->done_end; i-- > cell->done;)
                if (DONE(chart, i)->depth == 1) chart->at_symbol[DONE(chart, i)->symbol] = (int32_t)i;
            /* open items of several daughters, and their parts */
            for (size_t i = cell->built; i < cell->built_end; i++) {
                Open *item = OPEN(chart, i);
                int32_t going = chart->at_state[item->state];
                int64_t around = going >= 0 ? open[going] : infinite;
                int32_t cost = grammar->accept_cost[item->state];
                int32_t phrase = cost == none ? -1 : chart->at_symbol[grammar->accept_symbol[item->state]];
                if (phrase >= 0 && done[phrase] + cost < around) around = done[phrase] + cost;
                chart->best_state[item->state] = around;
                if (kept && around + item->cost <= most)
                    bad |= keep(kept, start, end, constants->built, item->state, 0) < 0;
            }
            for (int32_t middle = start + 1; middle < end; middle++) {
                Cell *left = CELL(chart, start, middle), *right = CELL(chart, middle, end);
                const size_t *ranges = (const size_t *)chart->ranges.at + right->uses;
                const Use *uses = (const Use *)chart->uses.at;
                for (size_t g = left->going; g < left->going_end; g++) {
                    int32_t before = GOING(chart, g);
                    Open *item = OPEN(chart, before);
                    int32_t label = grammar->label_of_state[item->state];
                    const int32_t *costs = grammar->costs[item->state], *nexts = grammar->nexts[item->state];
                    if (!costs) continue;
                    for (size_t u = ranges[label]; u < ranges[label + 1]; u++) {
                        int32_t step = costs[uses[u].local];
                        if (step == none) continue;
                        int64_t around = chart->best_state[nexts[uses[u].local]];
                        if (around >= infinite) continue;
                        around += step;
                        if (around + uses[u].cost < open[before]) open[before] = around + uses[u].cost;
                        if (around + item->cost < done[uses[u].item]) done[uses[u].item] = around + item->cost;
                    }
                }
            }
            for (size_t i = cell->built; i < cell->built_end; i++) chart->best_state[OPEN(chart, i)->state] = infinite;
            for (size_t i = cell->done; i < cell->done_end; i++) {
                int32_t symbol = DONE(chart, i)->symbol, label = grammar->label_of_symbol[symbol];
                chart->best_symbol[symbol] = infinite;
                chart->at_symbol[symbol] = -1;
                if (done[i] + DONE(chart, i)->cost > most) continue;
                if (kept) bad |= keep(kept, start, end, constants->done, symbol, DONE(chart, i)->depth) < 0;
                else if (label >= 0) may_be_done[MASK(chart, start, end) + (size_t)label] = 1;
            }
            for (size_t g = cell->going; g < cell->going_end; g++) {
                int32_t at = GOING(chart, g);
                Open *item = OPEN(chart, at);
                chart->at_state[item->state] = -1;
                if (open[at] + item->cost > most) continue;
                if (kept) bad |= keep(kept, start, end, constants->going, item->state, 0) < 0;
                else may_be_open[MASK(chart, start, end) + (size_t)grammar->label_of_state[item->state]] = 1;
            }
        }
    free(done), free(open);
    return bad ? -1 : 0;
}

/* handing the result over */

/* Symbol, start, end, word and number of daughters of each node, each before its daughters. */
static int tell(const Chart *chart, int32_t top, PyObject *list) {
    Vector waiting = {.width = sizeof(int32_t)};
    int bad = add_number(&waiting, top) < 0;
    while (!bad && waiting.used) {
        const Done *item = DONE(chart, ((int32_t *)waiting.at)[--waiting.used]);
        int32_t daughters = 0;
        if (item->is_unary) {
            if ((bad = add_number(&waiting, item->below) < 0)) break;
            daughters = 1;
        } else if (item->word < 0)
            for (int32_t open = item->below; open >= 0; open = OPEN(chart, open)->left) {
                if ((bad = add_number(&waiting, OPEN(chart, open)->right) < 0)) break;
                daughters++;
            }
        PyObject *node = bad ? NULL : Py_BuildValue("(iii)", item->symbol, item->word, daughters);
        bad = bad || !node || PyList_Append(list, node) < 0;
        Py_XDECREF(node);
    }
    free(waiting.at);
    return bad ? -1 : 0;
}

/* The least row of done items that covers all; each costs `fragment` more. */
static int tell_cover(const Chart *chart, int64_t fragment, int64_t *cost, PyObject *list) {
    size_t positions = (size_t)chart->tokens + 1;
    int64_t *best = malloc(positions * sizeof *best);
    int32_t *item = malloc(positions * sizeof *item), *to = malloc(positions * sizeof *to);
    int64_t infinite = chart->grammar->constants.infinite;
    int bad = !best || !item || !to;
    *cost = infinite;
    if (bad) PyErr_NoMemory();
    for (int32_t start = chart->tokens; start >= 0 && !bad; start--) {
        best[start] = start == chart->tokens ? 0 : infinite;
        for (int32_t end = start + 1; end <= chart->tokens; end++) {
            const Cell *cell = CELL(chart, start, end);
            for (size_t i = cell->done; i < cell->done_end && best[end] < infinite; i++)
                if (DONE(chart, i)->cost + fragment + best[end] < best[start]) {
                    best[start] = DONE(chart, i)->cost + fragment + best[end];
                    item[start] = (int32_t)i, to[start] = end;
                }
        }
    }
    if (best && !bad) *cost = best[0];
    for (int32_t start = 0; !bad && start < chart->tokens && best[start] < infinite; start = to[start])
        bad = tell(chart, item[start], list) < 0;
    free(best), free(item), free(to);
    return bad ? -1 : 0;
}

static Word *read_words(PyObject *list, const Grammar *grammar, int32_t tokens) {
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

/* One pass, a tabular.CompiledStage: a chart filled within the masks of the pass before it. It keeps its words. */
static int pass(Chart *chart, PyObject *stage, int32_t tokens, int32_t unary_limit, const unsigned char *may_be_done,
                const unsigned char *may_be_open, long long *threshold) {
    PyObject *capsule, *list;
    if (!PyArg_ParseTuple(stage, "OO!L", &capsule, &PyList_Type, &list, threshold)) return -1;
    Grammar *grammar = PyCapsule_GetPointer(capsule, "numbat.expansions");
    if (!grammar) return -1;
    *chart = (Chart){.grammar = grammar, .tokens = tokens, .unary_limit = unary_limit,
                     .many_words = (size_t)PyList_Size(list), .may_be_done = may_be_done, .may_be_open = may_be_open};
    chart->words = read_words(list, grammar, tokens);
    return !chart->words || chart_new(chart) < 0 || fill(chart) < 0 ? -1 : 0;
}

typedef struct { /* the fields of tabular.Found */
    int64_t cost;
    int is_tree;
    PyObject *nodes;
    size_t items;
    PyObject *kept; /* what the trees have that cost at most `slack` more; nothing if that is below 0 */
} Found;

static PyObject *search(PyObject *self, PyObject *arguments) {
    PyObject *stages, *answer = NULL;
    int tokens, unary_limit;
    long long fragment, slack, threshold;
    if (!PyArg_ParseTuple(arguments, "O!iiLL", &PyList_Type, &stages, &tokens, &unary_limit, &fragment, &slack))
        return NULL;
    unsigned char *done = NULL, *open = NULL; /* the masks of the last pass that found a tree */
    Py_ssize_t last = PyList_Size(stages) - 1;
    int bad = 0;
    for (Py_ssize_t i = 0; i <= last && !bad; i++) {
        Chart chart = {0};
        int64_t cost = 0;
        bad = pass(&chart, PyList_GetItem(stages, i), tokens, unary_limit, done, open, &threshold) < 0;
        int32_t root = bad ? -1 : best_root(&chart, &cost);
        if (!bad && i == last) {
            Found found = {cost, root >= 0, PyList_New(0), chart.open.used + chart.done.used, PyList_New(0)};
            bad = !found.nodes || !found.kept ||
                  (root >= 0 ? tell(&chart, root, found.nodes)
                             : tell_cover(&chart, fragment, &found.cost, found.nodes)) < 0;
            if (!bad && root >= 0 && slack >= 0) bad = look_around(&chart, cost + slack, NULL, NULL, found.kept) < 0;
            if (!bad)
                answer = Py_BuildValue("(LiOLO)", (long long)found.cost, found.is_tree, found.nodes,
                                       (long long)found.items, found.kept);
            Py_XDECREF(found.nodes);
            Py_XDECREF(found.kept);
        } else if (!bad && root >= 0) {
            size_t size = ((size_t)tokens + 1) * ((size_t)tokens + 1) * (size_t)chart.grammar->labels + 1;
            unsigned char *new_done = calloc(size, 1), *new_open = calloc(size, 1);
            if (!new_done || !new_open) PyErr_NoMemory();
            bad = !new_done || !new_open || look_around(&chart, cost + threshold, new_done, new_open, NULL) < 0;
            free(done), free(open);
            done = new_done, open = new_open;
        }
        chart_free(&chart);
    }
    free(done), free(open);
    return answer;
}

static PyMethodDef methods[] = {
    {"new_grammar", new_grammar, METH_O, "The tables of a grammar; its rows are asked for when they are needed."},
    {"search", search, METH_VARARGS, "See tabular.search."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_tabular", "The compiled twin of tabular.py.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__tabular(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "INTERFACE", INTERFACE) < 0) Py_CLEAR(made);
    return made;
}
