/* The linear model over trees, compiled: hashed features of a packed forest, its best tree, the features of a tree.
 * python_scoring.py does the same, loop for loop.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_EDGE, START_EDGE, COMBINE_EDGE, ACCEPT_EDGE, UNARY_EDGE, SAME_EDGE, ROOT_EDGE }; /* items.EdgeKind */
enum { WORDS = 1, EXPANSIONS = 2, AUXILIARY = 4, HEADS = 8 };                                                  /* templates.HashedGroup */
enum { PLACES = 16, LENGTH = 1000, LEFT_LENGTH, RIGHT_LENGTH };                                /* templates.py */
enum { OF_ROOT = -1, NO_LINK = -2 };                                                            /* heads.py */
enum { ALONE = 1, WITH_LABEL = 2, WITH_SYMBOL = 4 }; /* of spans; of steps: label, daughter, the two and the last */
enum { NO_SYMBOL = 5, FIRST = 6, LAST = 9 };         /* instead of missing keys */

typedef struct {
    int32_t count, *at, *code, *levels; /* of template t: code[at[t]] to code[at[t + 1]], levels[t] */
    uint32_t seed;
} Templates;

typedef struct { /* templates.Task */
    int32_t tokens, nodes, edges, sequences, columns, groups;
    const int32_t *starts, *ends, *symbols, *heads, *lefts, *rights, *costs, *kinds, *states, *daughters, *rows;
    const int32_t *befores, *lasts;
    const uint32_t *attributes; /* by attribute, then by token, with two places before the first and after the last */
    const int32_t *marks;       /* by span, or NULL */
    const uint32_t *label, *plain, *full, *state_label, *state_plain, *state_full, *state_last, *state_history;
    const uint32_t *category; /* the keys of symbols, states and categories */
    Templates spans, steps, links;
    const float *weights;
    int32_t named;
    uint32_t mask;
    const int32_t *extra_at, *extra_id; /* by edge */
    const float *extra_value;
    const double *losses; /* by node, or NULL */
    double likelihood;    /* weight of the log likelihood per unit of cost */
} Task;

typedef struct {
    uint32_t *ids; /* where features are collected, or NULL to score them */
    size_t used, room;
    double score;
    int bad;
} Sink;

static inline uint32_t mix(uint32_t hash, uint32_t key) {
    hash = (hash ^ key) * 0x9E3779B1u;
    hash ^= hash >> 15;
    hash *= 0x85EBCA77u;
    return hash ^ hash >> 13;
}

static inline void fire(const Task *task, Sink *sink, uint32_t hash) {
    uint32_t id = (uint32_t)task->named + (hash & task->mask);
    if (!sink->ids) {
        sink->score += task->weights[id];
        return;
    }
    if (sink->used == sink->room) {
        uint32_t *ids = realloc(sink->ids, sink->room * 2 * sizeof *ids);
        if (!ids) {
            sink->bad = 1;
            return;
        }
        sink->ids = ids, sink->room *= 2;
    }
    sink->ids[sink->used++] = id;
}

/* contexts: hashes of what templates observe around a span */

static uint32_t bucket(int32_t length) {
    return (uint32_t)(length < 6 ? length : length < 8 ? 6 : length < 11 ? 7 : length < 16 ? 8 : length < 26 ? 9 : 10);
}

/* Return a hash of what a template observes: attributes of the words at `places`, and `lengths`. */
static uint32_t observed(const Task *task, const Templates *templates, int32_t t, const int32_t *places,
                         const uint32_t *lengths) {
    uint32_t hash = (uint32_t)(t + 1) * templates->seed;
    for (int32_t c = templates->at[t]; c < templates->at[t + 1]; c++) {
        int32_t code = templates->code[c];
        hash = mix(hash, code >= LENGTH ? lengths[code - LENGTH]
                                        : task->attributes[code / PLACES * task->columns + places[code % PLACES] + 2]);
    }
    return hash;
}

static void contexts(const Task *task, const Templates *templates, int32_t start, int32_t middle, int32_t end,
                     uint32_t *found) {
    const int32_t places[] = {start - 2, start - 1, start, start + 1, end - 2, end - 1, end, end + 1, middle - 1, middle};
    const uint32_t lengths[] = {100 + bucket(end - start), 200 + bucket(middle - start), 300 + bucket(end - middle)};
    for (int32_t t = 0; t < templates->count; t++) found[t] = observed(task, templates, t, places, lengths);
}

/* features */

static void node_features(const Task *task, int32_t node, const uint32_t *context, Sink *sink) {
    int32_t symbol = task->symbols[node];
    uint32_t label = task->label[symbol], plain = task->plain[symbol];
    for (int32_t t = 0; task->groups & WORDS && t < task->spans.count; t++) {
        int32_t levels = task->spans.levels[t];
        if (levels & ALONE) fire(task, sink, context[t]);
        if (levels & WITH_LABEL) fire(task, sink, mix(context[t], label));
        if (levels & WITH_SYMBOL) fire(task, sink, mix(context[t], plain));
    }
    if (task->groups & EXPANSIONS) fire(task, sink, mix(3, task->full[symbol]));
    if (!(task->groups & AUXILIARY) || !task->marks) return;
    int32_t start = task->starts[node], end = task->ends[node];
    uint32_t mark = mix(37, (uint32_t)task->marks[start * (task->tokens + 1) + end]);
    fire(task, sink, mark);
    fire(task, sink, mix(mark, bucket(end - start)));
    fire(task, sink, mix(mark, label));
    fire(task, sink, mix(mark, plain));
}

static void edge_features(const Task *task, int32_t edge, const uint32_t *context, const uint32_t *rows, Sink *sink) {
    int32_t kind = task->kinds[edge], state = task->states[edge], daughter = task->daughters[edge];
    int is_unary = kind == UNARY_EDGE, is_start = kind == START_EDGE, is_accept = kind == ACCEPT_EDGE;
    uint32_t label = (is_unary ? task->label[state] : task->state_label[state]) + (uint32_t)kind;
    uint32_t last = is_start ? FIRST : is_unary ? NO_SYMBOL : is_accept ? task->state_history[state]
                                                                         : task->state_last[state];
    uint32_t added = is_accept ? LAST : task->label[daughter];
    for (int32_t t = 0; task->groups & WORDS && t < task->steps.count; t++) {
        int32_t levels = task->steps.levels[t];
        uint32_t hash = mix(context[t], label), both = mix(hash, added);
        if (levels & ALONE) fire(task, sink, hash);
        if (levels & WITH_LABEL) fire(task, sink, both);
        if (levels & WITH_SYMBOL) fire(task, sink, mix(both, last));
    }
    if (!(task->groups & EXPANSIONS)) return;
    uint32_t plain = is_unary ? task->plain[state] : task->state_plain[state];
    uint32_t full = is_unary ? task->full[state] : task->state_full[state];
    uint32_t history = is_unary || is_start ? NO_SYMBOL : task->state_history[state];
    uint32_t whole = is_accept ? LAST : task->full[daughter];
    fire(task, sink, mix(mix(mix(17, label), history), added));
    fire(task, sink, mix(mix(mix(17, plain), history), added));
    fire(task, sink, mix(mix(17, full), whole));
    fire(task, sink, mix(mix(17, plain), whole));
    if (task->rows[edge] < 0) return;
    uint32_t row = rows[task->rows[edge]];
    fire(task, sink, mix(row, label));
    fire(task, sink, mix(row, plain));
    fire(task, sink, mix(row, is_accept ? task->full[daughter] : full));
}

static int has_step(int32_t kind) {
    return kind == START_EDGE || kind == COMBINE_EDGE || kind == ACCEPT_EDGE || kind == UNARY_EDGE;
}

typedef struct {
    int32_t start, end, *step_stamp, stamp; /* span of the cached contexts */
    uint32_t *span, *step, *rows;           /* by template; by middle and template; by sequence */
} Cache;

static int cache_new(Cache *cache, const Task *task) {
    size_t positions = (size_t)task->tokens + 1;
    *cache = (Cache){.start = -1, .end = -1};
    cache->span = malloc(((size_t)task->spans.count + 1) * sizeof(uint32_t));
    cache->step = malloc(positions * ((size_t)task->steps.count + 1) * sizeof(uint32_t));
    cache->rows = malloc(((size_t)task->sequences + 1) * sizeof(uint32_t));
    cache->step_stamp = calloc(positions, sizeof(int32_t));
    if (!cache->span || !cache->step || !cache->rows || !cache->step_stamp) return -1;
    for (int32_t i = 0; i < task->sequences; i++)
        cache->rows[i] = mix(task->befores[i] < 0 ? 29 : cache->rows[task->befores[i]], task->category[task->lasts[i]]);
    return 0;
}

static void cache_free(Cache *cache) {
    free(cache->span), free(cache->step), free(cache->rows), free(cache->step_stamp);
}

static void look_at(const Task *task, Cache *cache, int32_t node) {
    if (task->starts[node] == cache->start && task->ends[node] == cache->end) return;
    cache->start = task->starts[node], cache->end = task->ends[node], cache->stamp++;
    if (task->groups & WORDS) contexts(task, &task->spans, cache->start, cache->start, cache->end, cache->span);
}

static const uint32_t *step_context(const Task *task, Cache *cache, int32_t edge) {
    int32_t middle = task->kinds[edge] == COMBINE_EDGE ? task->ends[task->lefts[edge]] : cache->start;
    uint32_t *found = cache->step + (size_t)middle * (size_t)task->steps.count;
    if (cache->step_stamp[middle] != cache->stamp && task->groups & WORDS) {
        contexts(task, &task->steps, cache->start, middle, cache->end, found);
        cache->step_stamp[middle] = cache->stamp;
    }
    return found;
}

static void link_features(const Task *task, int32_t head, int32_t dependent, Sink *sink) {
    const int32_t places[] = {head - 1, head, head + 1, dependent - 1, dependent, dependent + 1};
    uint32_t side = dependent < head, far = side * 16 + bucket(side ? head - dependent : dependent - head);
    for (int32_t t = 0; t < task->links.count; t++) {
        uint32_t hash = observed(task, &task->links, t, places, NULL);
        if (task->links.levels[t] & ALONE) fire(task, sink, mix(hash, side));
        if (task->links.levels[t] & WITH_LABEL) fire(task, sink, mix(hash, 32 + far));
    }
}

/* Return 1 if a node is a phrase, which edges complete. */
static int is_phrase(const Task *task, int32_t edge) {
    return task->kinds[edge] == ACCEPT_EDGE || task->kinds[edge] == UNARY_EDGE;
}

static double own_score(const Task *task, int32_t edge, Cache *cache, Sink *sink) {
    sink->score = 0;
    if (has_step(task->kinds[edge])) edge_features(task, edge, step_context(task, cache, edge), cache->rows, sink);
    double score = sink->score - task->likelihood * task->costs[edge];
    if (task->extra_at)
        for (int32_t x = task->extra_at[edge]; x < task->extra_at[edge + 1]; x++)
            score += (double)task->extra_value[x] * task->weights[task->extra_id[x]];
    return score;
}

/* Compute the contribution of each edge: its own score and that of the phrase that it completes. */
static int edge_scores(const Task *task, double *scores) {
    Cache cache;
    Sink sink = {0};
    if (cache_new(&cache, task) < 0) {
        cache_free(&cache);
        return -1;
    }
    double of_node = 0;
    for (int32_t edge = 0; edge < task->edges; edge++) {
        int32_t head = task->heads[edge];
        look_at(task, &cache, head);
        if (edge == 0 || task->heads[edge - 1] != head) {
            of_node = 0;
            if (is_phrase(task, edge)) {
                sink.score = 0;
                node_features(task, head, cache.span, &sink);
                of_node = sink.score + (task->losses ? task->losses[head] : 0);
            }
        }
        scores[edge] = own_score(task, edge, &cache, &sink) + of_node;
    }
    cache_free(&cache);
    return 0;
}

/* Forests split by the heads of phrases, as in heads.py, loop for loop */

typedef struct {
    int32_t nodes, edges, room;
    int32_t *of_node; /* original of each node */
    int32_t *columns; /* by edge: head, left, right, original, head word, dependent word */
} Split;

enum { COPY_HEAD, COPY_LEFT, COPY_RIGHT, ORIGIN, LINK_HEAD, LINK_DEPENDENT, SPLIT_COLUMNS };

typedef struct {
    const Task *task;
    size_t width;       /* 64-bit words of a set of places; the place after the last word stands for no head */
    uint64_t *sets;     /* by node: the words that may be the head of its phrase */
    int32_t *first;     /* by node: the first of its copies */
    char *is_open, *is_leaf; /* flags of nodes: it has no head word yet; it is a word */
    Split *split;
} Splitting;

static inline int has(const Splitting *s, int32_t node, int32_t place) {
    return (int)(s->sets[(size_t)node * s->width + (size_t)place / 64] >> (place % 64) & 1);
}

static inline void put(Splitting *s, int32_t node, int32_t place) {
    s->sets[(size_t)node * s->width + (size_t)place / 64] |= (uint64_t)1 << (place % 64);
}

static void put_all(Splitting *s, int32_t node, int32_t from) {
    for (size_t w = 0; w < s->width; w++) s->sets[(size_t)node * s->width + w] |= s->sets[(size_t)from * s->width + w];
}

static int32_t next_place(const Splitting *s, int32_t node, int32_t place) { /* return the next place in a set, or -1 */
    for (place++; place <= s->task->tokens; place++) {
        uint64_t rest = s->sets[(size_t)node * s->width + (size_t)place / 64] >> (place % 64);
        if (rest & 1) return place;
        if (!rest) place |= 63;
    }
    return -1;
}

static int32_t copy_of(const Splitting *s, int32_t node, int32_t place) {
    int32_t found = s->first[node];
    for (int32_t each = next_place(s, node, -1); each >= 0 && each < place; each = next_place(s, node, each)) found++;
    return found;
}

static void heads_below(Splitting *s) { /* collect the heads that are inside a node */
    const Task *task = s->task;
    for (int32_t edge = 0; edge < task->edges; edge++) {
        int32_t node = task->heads[edge], left = task->lefts[edge], right = task->rights[edge], none = task->tokens;
        switch (task->kinds[edge]) {
        case WORD_EDGE: s->is_leaf[node] = 1, put(s, node, task->starts[node]); break;
        case START_EDGE:
            if (s->is_leaf[left]) put(s, node, task->starts[left]);
            else s->is_open[node] = 1;
            break;
        case COMBINE_EDGE:
            if (!s->is_open[left]) put_all(s, node, left);
            else if (s->is_leaf[right]) put(s, node, task->starts[right]);
            else s->is_open[node] = 1;
            break;
        case UNARY_EDGE: put(s, node, s->is_leaf[left] ? task->starts[left] : none); break;
        case ROOT_EDGE: put(s, node, none); break;
        case ACCEPT_EDGE:
            if (s->is_open[left]) put(s, node, none);
            else put_all(s, node, left);
            break;
        default: put_all(s, node, left), s->is_leaf[node] |= s->is_leaf[left];
        }
    }
}

static void heads_to_come(Splitting *s) { /* collect the heads that may follow the beginning of a phrase */
    const Task *task = s->task;
    for (int32_t edge = task->edges; edge--;) {
        int32_t left = task->lefts[edge], right = task->rights[edge];
        if (left < 0 || !s->is_open[left]) continue;
        if (task->kinds[edge] == ACCEPT_EDGE) put(s, left, task->tokens);
        else if (task->kinds[edge] == COMBINE_EDGE && s->is_leaf[right]) put(s, left, task->starts[right]);
        else if (task->kinds[edge] == COMBINE_EDGE) put_all(s, left, task->heads[edge]);
    }
}

static int emit(Splitting *s, int32_t head, int32_t left, int32_t right, int32_t edge, int32_t from, int32_t to) {
    Split *split = s->split;
    if (split->edges == split->room) {
        int32_t room = split->room < 1 << 28 ? split->room * 2 : 0;
        int32_t *columns = room ? realloc(split->columns, (size_t)room * SPLIT_COLUMNS * sizeof *columns) : NULL;
        if (!columns) return -1;
        split->columns = columns, split->room = room;
    }
    int32_t *row = split->columns + (size_t)split->edges++ * SPLIT_COLUMNS;
    row[COPY_HEAD] = head, row[COPY_LEFT] = left, row[COPY_RIGHT] = right, row[ORIGIN] = edge;
    row[LINK_HEAD] = from, row[LINK_DEPENDENT] = to;
    return 0;
}

/* Add the copies of an edge whose phrase has its head at `place`: one for each possible head of the daughter. */
static int split_edge(Splitting *s, int32_t edge, int32_t head, int32_t place) {
    const Task *task = s->task;
    int32_t left = task->lefts[edge], right = task->rights[edge], none = task->tokens, kind = task->kinds[edge];
    int32_t begun = -1, daughter = -1, from = place == none ? NO_LINK : place;
    if (kind == WORD_EDGE) return emit(s, head, -1, -1, edge, NO_LINK, NO_LINK);
    if (kind == COMBINE_EDGE) {
        if (!has(s, left, place)) return 0;
        begun = copy_of(s, left, place), daughter = right;
        if (s->is_open[left] && s->is_leaf[right]) {
            if (place != task->starts[right]) return 0;
            from = NO_LINK;
        }
    } else if (kind == ACCEPT_EDGE || kind == SAME_EDGE) {
        return has(s, left, place) ? emit(s, head, copy_of(s, left, place), -1, edge, NO_LINK, NO_LINK) : 0;
    } else {
        daughter = left;
        if (kind == ROOT_EDGE) from = OF_ROOT;
        else if (s->is_leaf[left]) {
            if (place != task->starts[left]) return 0;
            from = NO_LINK;
        } else if (kind == UNARY_EDGE && place != none) return 0;
    }
    int32_t copy = s->first[daughter];
    for (int32_t each = next_place(s, daughter, -1); each >= 0; each = next_place(s, daughter, each), copy++) {
        int has_link = from != NO_LINK && each != none;
        if (emit(s, head, begun < 0 ? copy : begun, begun < 0 ? -1 : copy, edge, has_link ? from : NO_LINK,
                 has_link ? each : NO_LINK) < 0)
            return -1;
    }
    return 0;
}

static void split_free(Split *split) {
    free(split->of_node), free(split->columns);
}

static int split_by_heads(const Task *task, Split *split) {
    size_t nodes = (size_t)task->nodes + 1;
    Splitting s = {.task = task, .width = (size_t)task->tokens / 64 + 1, .split = split};
    s.sets = calloc(nodes * s.width, sizeof *s.sets), s.first = calloc(nodes, sizeof *s.first);
    s.is_open = calloc(nodes, 1), s.is_leaf = calloc(nodes, 1);
    *split = (Split){.room = task->edges + 16};
    split->columns = malloc((size_t)split->room * SPLIT_COLUMNS * sizeof *split->columns);
    int bad = !s.sets || !s.first || !s.is_open || !s.is_leaf || !split->columns;
    if (!bad) {
        heads_below(&s), heads_to_come(&s);
        for (int32_t node = 0; node < task->nodes; node++) {
            s.first[node] = split->nodes;
            for (int32_t each = next_place(&s, node, -1); each >= 0; each = next_place(&s, node, each)) split->nodes++;
        }
        split->of_node = malloc(((size_t)split->nodes + 1) * sizeof *split->of_node);
        bad = !split->of_node;
    }
    for (int32_t node = 0, begin = 0, end = 0, copy = 0; node < task->nodes && !bad; node++, begin = end) {
        while (end < task->edges && task->heads[end] == node) end++;
        for (int32_t each = next_place(&s, node, -1); each >= 0 && !bad; each = next_place(&s, node, each), copy++) {
            split->of_node[copy] = node;
            for (int32_t edge = begin; edge < end && !bad; edge++) bad = split_edge(&s, edge, copy, each) < 0;
        }
    }
    free(s.sets), free(s.first), free(s.is_open), free(s.is_leaf);
    if (bad) split_free(split), *split = (Split){0};
    return bad ? -1 : 0;
}

/* Compute the contribution of each edge of a split forest: that of its original, and the score of its link. */
static double *split_scores(const Task *task, const Split *split, const double *scores) {
    size_t columns = (size_t)task->tokens + 1;
    double *found = malloc(((size_t)split->edges + 1) * sizeof *found);
    double *links = malloc(columns * columns * sizeof *links);
    char *known = calloc(columns * columns, 1);
    for (int32_t edge = 0; edge < split->edges && found && links && known; edge++) {
        const int32_t *row = split->columns + (size_t)edge * SPLIT_COLUMNS;
        found[edge] = scores[row[ORIGIN]];
        if (row[LINK_HEAD] == NO_LINK) continue;
        size_t at = (size_t)(row[LINK_HEAD] + 1) * columns + (size_t)row[LINK_DEPENDENT];
        if (!known[at]) {
            Sink sink = {0};
            link_features(task, row[LINK_HEAD], row[LINK_DEPENDENT], &sink);
            links[at] = sink.score, known[at] = 1;
        }
        found[edge] += links[at];
    }
    if (!links || !known) free(found), found = NULL;
    free(links), free(known);
    return found;
}

typedef struct { /* input of the search for the best tree: a forest, or one split by heads */
    int32_t nodes, edges;
    size_t stride;
    const int32_t *heads, *lefts, *rights, *origins;
} Graph;

/* Find the best edge of each node, and collect the edges of the best tree; return their number, -1 without memory. */
static int32_t best_tree(const Graph *graph, const double *scores, double *value, int32_t *best, int32_t *found) {
    for (int32_t node = 0; node < graph->nodes; node++) best[node] = -1, value[node] = 0;
    for (int32_t edge = 0; edge < graph->edges; edge++) {
        size_t at = (size_t)edge * graph->stride;
        int32_t head = graph->heads[at], left = graph->lefts[at], right = graph->rights[at];
        double score = scores[edge];
        if (left >= 0) score += value[left];
        if (right >= 0) score += value[right];
        if (best[head] < 0 || score > value[head]) value[head] = score, best[head] = edge;
    }
    int32_t count = 0, waiting = 0, *stack = malloc(((size_t)graph->nodes + 2) * 2 * sizeof *stack);
    if (!stack) return -1;
    if (graph->nodes && best[graph->nodes - 1] >= 0) stack[waiting++] = graph->nodes - 1;
    while (waiting) {
        size_t at = (size_t)best[stack[--waiting]] * graph->stride;
        found[count++] = graph->origins ? graph->origins[at] : (int32_t)at;
        if (graph->rights[at] >= 0) stack[waiting++] = graph->rights[at];
        if (graph->lefts[at] >= 0) stack[waiting++] = graph->lefts[at];
    }
    free(stack);
    return count;
}

static int collect(const Task *task, const int32_t *edges, Py_ssize_t count, const int32_t *links, Py_ssize_t pairs,
                   Sink *sink) {
    Cache cache;
    sink->room = 1024, sink->ids = malloc(sink->room * sizeof *sink->ids);
    if (cache_new(&cache, task) < 0 || !sink->ids) sink->bad = 1;
    for (Py_ssize_t i = 0; i < count && !sink->bad; i++) {
        int32_t edge = edges[i];
        look_at(task, &cache, task->heads[edge]);
        if (is_phrase(task, edge)) node_features(task, task->heads[edge], cache.span, sink);
        if (has_step(task->kinds[edge])) edge_features(task, edge, step_context(task, &cache, edge), cache.rows, sink);
    }
    for (Py_ssize_t i = 0; i < pairs && !sink->bad; i++) link_features(task, links[2 * i], links[2 * i + 1], sink);
    cache_free(&cache);
    return sink->bad ? -1 : 0;
}

/* tasks from Python */

static int column(PyObject *tuple, Py_ssize_t i, const void **to, Py_ssize_t *length) {
    PyObject *bytes = PyTuple_GetItem(tuple, i);
    char *at;
    Py_ssize_t size;
    if (!bytes || PyBytes_AsStringAndSize(bytes, &at, &size) < 0) return -1;
    *to = at;
    if (length) *length = size / 4;
    return 0;
}

static int optional(PyObject *object, const void **to) {
    *to = NULL;
    if (object == Py_None) return 0;
    char *at = PyBytes_AsString(object);
    if (!at) return -1;
    *to = at;
    return 0;
}

static int read_forest(Task *task, PyObject *forest) {
    Py_ssize_t sizes[13];
    const void *at[13];
    for (Py_ssize_t i = 0; i < 13; i++)
        if (column(forest, i, &at[i], &sizes[i]) < 0) return -1;
    const int32_t **places[13] = {&task->starts, &task->ends, &task->symbols, &task->heads, &task->lefts,
                                  &task->rights, &task->costs, &task->kinds, &task->states, &task->daughters,
                                  &task->rows, &task->befores, &task->lasts};
    for (int i = 0; i < 13; i++) *places[i] = at[i];
    task->nodes = (int32_t)sizes[0], task->edges = (int32_t)sizes[3], task->sequences = (int32_t)sizes[11];
    return 0;
}

static int read_keys(Task *task, PyObject *keys) {
    const void *at[9];
    for (Py_ssize_t i = 0; i < 9; i++)
        if (column(keys, i, &at[i], NULL) < 0) return -1;
    const uint32_t **places[9] = {&task->label, &task->plain, &task->full, &task->state_label, &task->state_plain,
                                  &task->state_full, &task->state_last, &task->state_history, &task->category};
    for (int i = 0; i < 9; i++) *places[i] = at[i];
    return 0;
}

static int read_templates(Templates *templates, PyObject *record, uint32_t seed) {
    const void *at, *code, *levels;
    Py_ssize_t count;
    if (column(record, 0, &at, NULL) < 0 || column(record, 1, &code, NULL) < 0 ||
        column(record, 2, &levels, &count) < 0)
        return -1;
    *templates = (Templates){(int32_t)count, (int32_t *)at, (int32_t *)code, (int32_t *)levels, seed};
    return 0;
}

static int read_task(Task *task, PyObject *record, Py_buffer *weights) {
    PyObject *forest, *attributes, *marks, *keys, *spans, *steps, *links, *table, *extra, *losses;
    int bits, named;
    if (!PyArg_ParseTuple(record, "O!iSOO!O!O!O!iOiiOOd", &PyTuple_Type, &forest, &task->tokens, &attributes, &marks,
                          &PyTuple_Type, &keys, &PyTuple_Type, &spans, &PyTuple_Type, &steps, &PyTuple_Type, &links,
                          &task->groups, &table, &bits, &named, &extra, &losses, &task->likelihood))
        return -1;
    const void *found;
    task->columns = task->tokens + 4;
    task->attributes = (const uint32_t *)PyBytes_AsString(attributes);
    if (read_forest(task, forest) < 0 || read_keys(task, keys) < 0 || read_templates(&task->spans, spans, 7919) < 0 ||
        read_templates(&task->steps, steps, 104729) < 0 || read_templates(&task->links, links, 1299709) < 0)
        return -1;
    if (optional(marks, &found) < 0) return -1;
    task->marks = found;
    if (optional(losses, &found) < 0) return -1;
    task->losses = found;
    if (extra != Py_None) {
        const void *at, *id, *value;
        if (column(extra, 0, &at, NULL) < 0 || column(extra, 1, &id, NULL) < 0 || column(extra, 2, &value, NULL) < 0)
            return -1;
        task->extra_at = at, task->extra_id = id, task->extra_value = value;
    }
    if (PyObject_GetBuffer(table, weights, PyBUF_SIMPLE) < 0) return -1;
    task->named = named, task->mask = (uint32_t)(((uint64_t)1 << bits) - 1);
    if (weights->len < (Py_ssize_t)(((uint64_t)1 << bits) + (uint64_t)named) * 4) {
        PyBuffer_Release(weights);
        PyErr_SetString(PyExc_ValueError, "fewer weights than features");
        return -1;
    }
    task->weights = weights->buf;
    return 0;
}

/* Find the best tree; return the number of its edges, -1 without memory. */
static int32_t find_best(const Task *task, double *score, int32_t **found) {
    Split split = {0};
    Graph graph = {task->nodes, task->edges, 1, task->heads, task->lefts, task->rights, NULL};
    double *scores = malloc(((size_t)task->edges + 1) * sizeof *scores), *value = NULL;
    int32_t *chosen = NULL, count = -1;
    if (!scores || edge_scores(task, scores) < 0) goto end;
    if (task->groups & HEADS) {
        if (split_by_heads(task, &split) < 0) goto end;
        double *own = split_scores(task, &split, scores);
        free(scores), scores = own;
        if (!scores) goto end;
        const int32_t *at = split.columns;
        graph = (Graph){split.nodes, split.edges, SPLIT_COLUMNS, at + COPY_HEAD, at + COPY_LEFT, at + COPY_RIGHT, at + ORIGIN};
    }
    value = malloc(((size_t)graph.nodes + 1) * sizeof *value);
    chosen = malloc(((size_t)graph.nodes + 1) * sizeof *chosen);
    *found = malloc(((size_t)graph.nodes + 2) * 2 * sizeof **found);
    if (value && chosen && *found) count = best_tree(&graph, scores, value, chosen, *found);
    *score = count > 0 ? value[graph.nodes - 1] : 0;
end:
    free(scores), free(value), free(chosen), split_free(&split);
    return count;
}

static PyObject *best(PyObject *self, PyObject *record) {
    Task task = {0};
    Py_buffer weights;
    if (read_task(&task, record, &weights) < 0) return NULL;
    int32_t *found = NULL;
    double score = 0;
    PyObject *answer = NULL;
    PyThreadState *state = PyEval_SaveThread(); /* other threads may run in the meantime */
    int32_t count = find_best(&task, &score, &found);
    PyEval_RestoreThread(state);
    if (count < 0) PyErr_NoMemory();
    else answer = Py_BuildValue("(dy#)", score, (char *)found, (Py_ssize_t)count * (Py_ssize_t)sizeof *found);
    free(found);
    PyBuffer_Release(&weights);
    return answer;
}

/* Return a forest split by heads: originals of nodes, edges row by row, contributions. */
static PyObject *split(PyObject *self, PyObject *record) {
    Task task = {0};
    Py_buffer weights;
    if (read_task(&task, record, &weights) < 0) return NULL;
    Split made = {0};
    double *scores = malloc(((size_t)task.edges + 1) * sizeof *scores), *found = NULL;
    if (scores && edge_scores(&task, scores) == 0 && split_by_heads(&task, &made) == 0)
        found = split_scores(&task, &made, scores);
    PyObject *answer = NULL;
    if (!found) PyErr_NoMemory();
    else
        answer = Py_BuildValue("(y#y#y#)", (char *)made.of_node, (Py_ssize_t)((size_t)made.nodes * sizeof(int32_t)),
                               (char *)made.columns, (Py_ssize_t)((size_t)made.edges * SPLIT_COLUMNS * sizeof(int32_t)),
                               (char *)found, (Py_ssize_t)((size_t)made.edges * sizeof *found));
    free(scores), free(found), split_free(&made);
    PyBuffer_Release(&weights);
    return answer;
}

static PyObject *scores(PyObject *self, PyObject *record) {
    Task task = {0};
    Py_buffer weights;
    if (read_task(&task, record, &weights) < 0) return NULL;
    double *found = malloc(((size_t)task.edges + 1) * sizeof *found);
    PyObject *answer = NULL;
    if (!found || edge_scores(&task, found) < 0) PyErr_NoMemory();
    else answer = PyBytes_FromStringAndSize((char *)found, (Py_ssize_t)((size_t)task.edges * sizeof *found));
    free(found);
    PyBuffer_Release(&weights);
    return answer;
}

static PyObject *features(PyObject *self, PyObject *arguments) {
    PyObject *record, *answer = NULL;
    const char *edges, *links;
    Py_ssize_t size, length;
    Task task = {0};
    Py_buffer weights;
    Sink sink = {0};
    if (!PyArg_ParseTuple(arguments, "O!y#y#", &PyTuple_Type, &record, &edges, &size, &links, &length)) return NULL;
    if (read_task(&task, record, &weights) < 0) return NULL;
    PyThreadState *state = PyEval_SaveThread();
    int bad = collect(&task, (const int32_t *)edges, size / 4, (const int32_t *)links, length / 8, &sink);
    PyEval_RestoreThread(state);
    if (bad < 0) PyErr_NoMemory();
    else answer = PyBytes_FromStringAndSize((char *)sink.ids, (Py_ssize_t)(sink.used * sizeof *sink.ids));
    free(sink.ids);
    PyBuffer_Release(&weights);
    return answer;
}

/* Classify each span of two or more words as a phrase or not, by weights of its contexts; without weights, return the
 * indexes of these contexts. Spans are in the order of their starts, then of their ends. */
static PyObject *spans(PyObject *self, PyObject *arguments) {
    Task task = {0};
    PyObject *attributes, *templates, *table, *answer = NULL;
    int bits;
    if (!PyArg_ParseTuple(arguments, "iSO!iO", &task.tokens, &attributes, &PyTuple_Type, &templates, &bits, &table))
        return NULL;
    task.columns = task.tokens + 4;
    task.attributes = (const uint32_t *)PyBytes_AsString(attributes);
    if (read_templates(&task.spans, templates, 7919) < 0) return NULL;
    uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1);
    Py_buffer weights = {0};
    if (table != Py_None && PyObject_GetBuffer(table, &weights, PyBUF_SIMPLE) < 0) return NULL;
    size_t length = (size_t)task.tokens, count = (size_t)task.spans.count;
    size_t each = weights.buf ? 1 : count, number = length * (length + 1) / 2 * each + 1, used = 0;
    uint32_t *context = malloc((count + 1) * sizeof *context), *found = malloc(number * sizeof *found);
    if (!context || !found) PyErr_NoMemory();
    else if (weights.buf && weights.len < (Py_ssize_t)(((size_t)mask + 1) * sizeof(float)))
        PyErr_SetString(PyExc_ValueError, "fewer weights than features");
    else {
        for (int32_t start = 0; start < task.tokens; start++)
            for (int32_t end = start + 2; end <= task.tokens; end++) {
                double score = 0;
                contexts(&task, &task.spans, start, start, end, context);
                for (size_t t = 0; t < count; t++)
                    if (weights.buf) score += ((const float *)weights.buf)[context[t] & mask];
                    else found[used++] = context[t] & mask;
                if (weights.buf) found[used++] = score > 0;
            }
        answer = PyBytes_FromStringAndSize((char *)found, (Py_ssize_t)(used * sizeof *found));
    }
    free(context), free(found);
    if (weights.buf) PyBuffer_Release(&weights);
    return answer;
}

/* Multiply 16-bit integers, little-endian, by a step; return floats. */
static PyObject *scaled(PyObject *self, PyObject *arguments) {
    const char *at;
    Py_ssize_t size;
    double step;
    if (!PyArg_ParseTuple(arguments, "y#d", &at, &size, &step)) return NULL;
    const unsigned char *bytes = (const unsigned char *)at;
    PyObject *answer = PyBytes_FromStringAndSize(NULL, size / 2 * 4);
    if (!answer) return NULL;
    float *numbers = (float *)PyBytes_AsString(answer);
    for (Py_ssize_t i = 0; i < size / 2; i++)
        numbers[i] = (float)((int16_t)(uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8) * step);
    return answer;
}

static PyMethodDef methods[] = {
    {"best", best, METH_O, "As python_scoring.best; takes a scoring.Task."},
    {"scores", scores, METH_O, "As python_scoring.scores; takes a scoring.Task."},
    {"features", features, METH_VARARGS, "As python_scoring.features; takes a scoring.Task, edges, and links."},
    {"split", split, METH_O, "As python_scoring.split; takes a scoring.Task."},
    {"spans", spans, METH_VARARGS, "As python_scoring.spans; takes tokens, attributes, templates, bits and weights or None."},
    {"scaled", scaled, METH_VARARGS, "16-bit integers times a step."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_tree_model", "The linear model over trees, compiled.", -1,
                                    methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__tree_model(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "INTERFACE", INTERFACE) < 0) Py_CLEAR(made);
    return made;
}
