/* The hot loop of the exact search: the compiled twin of kernel.py, item for item and edge for edge.
 *
 * The automata and their moves are kept in a capsule between sentences. Values are pairs (major, minor), the least is
 * the best: (cost, -gain) under relaxation, (cost - gain, 0) under net. Whatever does not fit (numbers beyond 64 bits,
 * more than 4095 tokens, ...) raises OverflowError, and kernel.py does the work.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include "_dominance.h"
#include "_moves.h"

#include <stddef.h>

#define TOO_MANY -1
#define MOST_ITEMS ((int64_t)1 << 31) /* more than fit */
#define ITEMS_A_STATE 12 /* rations.py */
#define FEWEST_STATES 3
#define MOST_ROOM ((size_t)1 << 25) /* bytes that are kept for the next search */

/* what a search builds */

typedef struct {
    int64_t major, minor;
} Value;

typedef struct {
    int32_t start, end, kind, number, detail, head, tail;
    int32_t settled, two_parts;
    int64_t count; /* of equally good trees, TOO_MANY beyond 64 bits */
    Value value;
} Item;

typedef struct {
    int32_t left, right, label, next;
    Value own;
} Edge;

typedef struct {
    int32_t item, next;
} Link;

typedef struct { /* a list of items, or of groups, in the order in which they came */
    int32_t head, tail;
} List;

typedef struct { /* items that a move treats alike: active ones in a state, passive ones with a look */
    int32_t key, next;
    List items;
    int32_t latest; /* the link of the first of those that end where the last one does */
} Group;

typedef struct { /* in their order: level, then length and place, under relaxation; length and place, value under net */
    int64_t first, second;
    int32_t item;
} Entry;

typedef struct {
    int64_t level;
    int32_t depth, next;
} Rival;

typedef struct { /* a way to build an item: what it adds to the values of its parts, if it has any */
    int32_t start, end, kind, number, detail, left, right, label, owes;
    Value own;
} Offer;

typedef struct {
    int64_t level;
    Offer offer;
} Postponed;

enum { MAPS = 6, MAPS_OF_START = 4, VECTORS = 15 }; /* of a search */

typedef struct { /* one search; its moves and its memory serve the next one */
    Tables tables;
    PyObject *overdue;
    int32_t tokens, unary_limit, late;
    int busy, lexicographic, everything, dominates, grows, has_ceiling, has_limit, pruned, stopped, crowded;
    int rations, rationed; /* whether active items are, whether one was left out for that */
    int64_t fragment_cost, usual_cost, ceiling, limit, most, most_states, settled, patience;
    int32_t start, end;    /* the span that is being settled, where one comes after the other */
    int32_t column;        /* the start of the spans that have a share */
    int64_t share, ration; /* so many items may be built when these are done, active ones over the span be kept */
    union {
        struct {
            Map passive, active, rivals_at, ended_at, ending_at, following_at; /* the first of items that begin alike */
        };
        Map maps[MAPS];
    };
    union {
        struct {
            Vector items, edges, agenda, rivals, links, groups, postponed; /* what their names say */
            Vector roots;    /* int32_t */
            Vector chosen;   /* int32_t: what may cover the input from a position on */
            Vector lists;    /* List: those below */
            Vector covered;  /* Value, by position */
            Vector viewed;   /* int32_t, by position and construction */
            Vector crowd;    /* int32_t: active items that were to be kept, by span where a limit bounds them */
            Vector ended;    /* int64_t: values of phrases to the end of the sentence, by start and kind */
            Vector ahead;    /* int32_t: looks of what begins at positions, the number of them first */
        };
        Vector vectors[VECTORS];
    };
    Dominance dominance;
    List *ending, *following;  /* groups of active items that end, passive ones that begin, by place */
    List *starting, *words_at; /* settled passive items, words, by position */
    List *waiting;             /* items of later spans that begin where the one that is being settled does, by end */
} Search;

_Static_assert(offsetof(Search, ending_at) == offsetof(Search, maps) + MAPS_OF_START * sizeof(Map), "of a start");
_Static_assert(offsetof(Search, following_at) == offsetof(Search, maps) + (MAPS - 1) * sizeof(Map), "all maps");
_Static_assert(offsetof(Search, ahead) == offsetof(Search, vectors) + (VECTORS - 1) * sizeof(Vector), "all vectors");

static void free_room(Search *search) {
    for (size_t i = 0; i < MAPS; i++) map_free(&search->maps[i]);
    for (size_t i = 0; i < VECTORS; i++) {
        Vector *vector = &search->vectors[i];
        free(vector->at);
        *vector = (Vector){.width = vector->width};
    }
    dominance_free(&search->dominance);
}

static void free_capsule(PyObject *capsule) {
    Search *search = PyCapsule_GetPointer(capsule, "numbat.tables");
    if (!search) return;
    tables_free(&search->tables);
    free_room(search);
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
    search->items.width = sizeof(Item), search->edges.width = sizeof(Edge), search->agenda.width = sizeof(Entry);
    search->rivals.width = sizeof(Rival), search->links.width = sizeof(Link), search->groups.width = sizeof(Group);
    search->postponed.width = sizeof(Postponed), search->lists.width = sizeof(List);
    search->covered.width = sizeof(Value);
    search->roots.width = search->chosen.width = search->viewed.width = sizeof(int32_t);
    search->crowd.width = search->ahead.width = sizeof(int32_t), search->ended.width = sizeof(int64_t);
    dominance_new(&search->dominance);
    int bad = tables_fill(&search->tables, automata, node_cost) < 0;
    PyObject *capsule = bad ? NULL : PyCapsule_New(search, "numbat.tables", free_capsule);
    if (capsule) return capsule;
    tables_free(&search->tables);
    free(search);
    return NULL;
}

#define ITEM(search, i) ((Item *)(search)->items.at + (i))
#define EDGE(search, i) ((Edge *)(search)->edges.at + (i))
#define LINK(search, i) ((Link *)(search)->links.at + (i))
#define GROUP(search, i) ((Group *)(search)->groups.at + (i))

static int less(Value a, Value b) { return a.major != b.major ? a.major < b.major : a.minor < b.minor; }

static int add(Value *to, Value more) {
    return __builtin_add_overflow(to->major, more.major, &to->major) ||
                   __builtin_add_overflow(to->minor, more.minor, &to->minor)
               ? overflowed()
               : 0;
}

static int value_of(const Search *search, int64_t cost, int64_t gain, Value *value) {
    value->major = cost;
    value->minor = 0;
    Value rest = {0, 0};
    if (search->lexicographic)
        rest.minor = -gain;
    else
        rest.major = -gain;
    return add(value, rest);
}

static int64_t level_of(const Search *search, Value value) { return search->lexicographic ? value.major : 0; }

/* Without branches, for no processor foresees them. */
static int entry_less(const Entry *a, const Entry *b) {
    int later = (a->second < b->second) | ((a->second == b->second) & (a->item < b->item));
    return (a->first < b->first) | ((a->first == b->first) & later);
}

/* Put an entry into the free place `i` of the heap, or above it. */
static void rise(Entry *heap, size_t i, Entry entry) {
    while (i && entry_less(&entry, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = entry;
}

static int push(Search *search, int64_t level, int32_t item) {
    if (!vector_add(&search->agenda)) return -1;
    const Item *pushed = ITEM(search, item);
    int32_t place = pushed->kind >= 0 ? pushed->detail + 1 : pushed->two_parts ? 0 : search->late;
    int64_t about = ((int64_t)(pushed->end - pushed->start) << 8) | place;
    Entry entry = {level, about, item};
    if (!search->lexicographic) entry = (Entry){about, pushed->value.major, item};
    rise((Entry *)search->agenda.at, search->agenda.used - 1, entry);
    return 0;
}

static Entry pop(Search *search) {
    Entry *heap = (Entry *)search->agenda.at, first = heap[0];
    size_t i = 0, size = --search->agenda.used;
    for (size_t child = 1; child < size; child = 2 * i + 1) { /* the last entry is a late one: down to the leaves */
        child += child + 1 < size && entry_less(&heap[child + 1], &heap[child]);
        heap[i] = heap[child];
        i = child;
    }
    rise(heap, i, heap[size]);
    return first;
}

/* A position and a construction, as one number. */
static size_t place_of(const Search *search, int32_t position, int32_t number) {
    return (size_t)position * (size_t)search->tables.constructions + (size_t)number;
}

/* the search, function by function as in kernel.py */

static int append(Search *search, List *list, int32_t item) {
    int32_t at = (int32_t)search->links.used;
    Link *link = vector_add(&search->links);
    if (!link || too_large(at, 30)) return -1;
    *link = (Link){item, -1};
    if (list->tail >= 0)
        LINK(search, list->tail)->next = at;
    else
        list->head = at;
    list->tail = at;
    return 0;
}

/* Put an item on the agenda; where spans come one after the other, it waits for its own. */
static int enter(Search *search, int64_t level, int32_t at, int is_new) {
    const Item *item = ITEM(search, at);
    if (!search->dominates || (item->start == search->start && item->end == search->end))
        return push(search, level, at);
    return is_new && item->start == search->start ? append(search, &search->waiting[item->end], at) : 0;
}

/* Go on to the next span over which there is anything: 0 after the last one, -1 with an error. What begins further
 * right comes first, and then what is shorter. */
static int next_span(Search *search) {
    if (!search->dominates) return 0;
    do {
        if (++search->end > search->tokens) {
            if (!search->start--) return 0;
            search->end = search->start + 1;
            for (size_t i = 0; i < MAPS_OF_START; i++) map_empty(&search->maps[i]);
            for (int32_t i = search->words_at[search->start].head; i >= 0; i = LINK(search, i)->next) {
                int32_t word = LINK(search, i)->item;
                if (append(search, &search->waiting[ITEM(search, word)->end], word) < 0) return -1;
            }
        }
    } while (search->waiting[search->end].head < 0);
    for (int32_t i = search->waiting[search->end].head; i >= 0; i = LINK(search, i)->next)
        if (push(search, 0, LINK(search, i)->item) < 0) return -1;
    search->waiting[search->end] = (List){-1, -1};
    return 1;
}

/* Find the group of a key, the groups of a place in `list`; an empty one where there is none: -1 with an error. */
static int32_t group_of(Search *search, Map *known, List *list, size_t place, int32_t key) {
    int is_new;
    int32_t at = map_put(known, ((uint64_t)place << 24) | (uint64_t)key, (int32_t)search->groups.used, &is_new);
    if (at < 0) return -1;
    if (is_new) {
        Group *group = vector_add(&search->groups);
        if (!group) return -1;
        *group = (Group){key, -1, {-1, -1}, -1};
        if (list->tail >= 0)
            GROUP(search, list->tail)->next = at;
        else
            list->head = at;
        list->tail = at;
    }
    return at;
}

static int is_above(const Search *search, int64_t level) { return search->has_ceiling && level > search->ceiling; }

/* Whether the ceiling leaves something out. */
static int is_too_costly(Search *search, int64_t level) {
    int above = is_above(search, level);
    search->pruned |= above;
    return above;
}

/* The sum of two levels: more than any ceiling where that is beyond 64 bits. */
static int64_t level_with(int64_t one, int64_t other) {
    int64_t sum;
    return __builtin_add_overflow(one, other, &sum) ? INT64_MAX : sum;
}

/* Whether what ends with the sentence makes no phrase, or a worse one than something else made: -1 with an error. */
static int ends_worse(Search *search, const Offer *offered, Value value) {
    if (!search->dominates || offered->kind >= 0 || offered->end < search->tokens) return 0;
    Move accepted;
    Value phrase;
    if (find_acceptance(&search->tables, offered->number, offered->detail, &accepted) < 0) return -1;
    if (accepted.to == IMPOSSIBLE) return 1;
    if (value_of(search, accepted.cost, accepted.gain, &phrase) < 0 || add(&phrase, value) < 0) return -1;
    int is_new;
    uint64_t key = ((uint64_t)offered->start << 32) | (uint64_t)accepted.to;
    int32_t at = map_put(&search->ended_at, key, (int32_t)search->ended.used, &is_new);
    int64_t *best = at < 0 ? NULL : is_new ? vector_add(&search->ended) : &AT(int64_t, search->ended, at);
    if (!best) return -1;
    if (!is_new && *best < phrase.major) return 1;
    *best = phrase.major;
    return 0;
}

static int offer(Search *search, const Offer *offered) {
    int32_t start = offered->start, end = offered->end, kind = offered->kind, number = offered->number;
    int32_t detail = offered->detail, left = offered->left, right = offered->right;
    Value value = offered->own;
    if (left >= 0 && add(&value, ITEM(search, left)->value) < 0) return -1;
    if (right >= 0 && add(&value, ITEM(search, right)->value) < 0) return -1;
    int64_t level = level_of(search, value), ahead = 0;
    if (kind < 0 && (search->lexicographic || offered->owes) && !is_above(search, level)) {
        int32_t view = AT(int32_t, search->viewed, place_of(search, end, number));
        if (find_ahead(&search->tables, number, detail, view, search->lexicographic, &ahead) < 0) return -1;
    }
    if (ahead >= INFINITE) return 0;
    if (__builtin_add_overflow(level, ahead, &level)) {
        PyErr_SetString(PyExc_OverflowError, "a cost is beyond 64 bits");
        return -1;
    }
    if (is_too_costly(search, level)) {
        Postponed *kept = search->grows ? vector_add(&search->postponed) : NULL;
        if (kept) *kept = (Postponed){level, *offered};
        return kept || !search->grows ? 0 : -1;
    }
    int worse = ends_worse(search, offered, value);
    if (worse) return worse < 0 ? -1 : 0;
    int is_new; /* all numbers fit into the keys: they were looked at where they came from */
    uint64_t place_key = ((uint64_t)start << 12) | (uint64_t)end;
    int32_t known;
    if (kind >= 0) {
        known = map_put(&search->passive, (place_key << 32) | ((uint64_t)kind << 8) | (uint64_t)detail,
                        (int32_t)search->items.used, &is_new);
    } else {
        known = map_put(&search->active, (place_key << 36) | ((uint64_t)number << 24) | (uint64_t)detail,
                        (int32_t)search->items.used, &is_new);
    }
    if (known < 0) return -1;
    int better = 0, keep = 1;
    if (is_new) {
        Item *item = vector_add(&search->items);
        if (!item || too_large((int64_t)search->items.used, 30)) return -1;
        *item = (Item){start, end, kind, number, detail, -1, -1, 0, right >= 0, 0, value};
        if (enter(search, level, known, 1) < 0) return -1;
    } else {
        Item *item = ITEM(search, known);
        better = less(value, item->value);
        keep = better || search->everything || !less(item->value, value);
        if (better) {
            if (!search->everything) item->head = item->tail = -1;
            int cheaper = level < level_of(search, item->value) + ahead;
            item->value = value;
            if ((cheaper || !search->lexicographic) && enter(search, level, known, 0) < 0) return -1;
        }
    }
    if (keep) {
        int32_t at = (int32_t)search->edges.used;
        Edge *edge = vector_add(&search->edges);
        if (!edge || too_large((int64_t)search->edges.used, 30)) return -1;
        *edge = (Edge){left, right, offered->label, -1, offered->own};
        Item *item = ITEM(search, known);
        if (item->tail >= 0)
            EDGE(search, item->tail)->next = at;
        else
            item->head = at;
        item->tail = at;
    }
    return 0;
}

static int accept_phrase(Search *search, int32_t start, int32_t end, int32_t number, int32_t depth, Move move,
                         Move before, int32_t item) {
    if (move.to == IMPOSSIBLE) return 0;
    Offer phrase = {start, end, move.to, -1, depth, item, -1, number, 0, {0, 0}};
    Value more;
    if (value_of(search, move.cost, move.gain, &phrase.own) < 0 ||
        value_of(search, before.cost, before.gain, &more) < 0 || add(&phrase.own, more) < 0)
        return -1;
    return offer(search, &phrase);
}

static int extend(Search *search, int32_t number, int32_t state, int32_t look, int32_t actives, int32_t passives,
                  int64_t above) {
    int64_t least = level_with(level_of(search, ITEM(search, LINK(search, actives)->item)->value),
                               level_of(search, ITEM(search, LINK(search, passives)->item)->value));
    if (is_too_costly(search, least)) return 0;
    Move move;
    if (find_step(&search->tables, number, state, look, &move) < 0) return -1;
    if (move.to == IMPOSSIBLE) return 0;
    Offer longer = {.kind = -1, .number = number, .detail = move.to, .label = -1, .owes = move.owes};
    if (value_of(search, move.cost, move.gain, &longer.own) < 0) return -1;
    for (int32_t i = actives; i >= 0; i = LINK(search, i)->next) {
        longer.left = LINK(search, i)->item;
        longer.start = ITEM(search, longer.left)->start;
        int64_t before = level_with(level_of(search, ITEM(search, longer.left)->value), level_of(search, longer.own));
        for (int32_t k = passives; k >= 0; k = LINK(search, k)->next) {
            longer.right = LINK(search, k)->item;
            longer.end = ITEM(search, longer.right)->end;
            int64_t level = level_with(before, level_of(search, ITEM(search, longer.right)->value));
            if (is_too_costly(search, level)) break;
            if (level > above && offer(search, &longer) < 0) return -1;
        }
    }
    return 0;
}

/* Put a passive item behind active ones, with those that look like it: the new link, none if that is not worth it.
 * Of those over one span only the best are there, where nothing is asked of them before the next span. */
static int follow(Search *search, int32_t at, Group *group, int32_t *own) {
    Item *item = ITEM(search, at);
    *own = -1;
    if (search->dominates && group->latest >= 0) {
        Link *latest = LINK(search, group->latest);
        Item *best = ITEM(search, latest->item);
        if (best->end == item->end) {
            if (less(best->value, item->value)) return 0;
            if (less(item->value, best->value)) {
                *latest = (Link){at, -1};
                *own = group->items.tail = group->latest;
                return 0;
            }
        } else {
            group->latest = -1;
        }
    }
    if (append(search, &group->items, at) < 0) return -1;
    *own = group->items.tail;
    if (group->latest < 0) group->latest = *own;
    return 0;
}

static int settle_passive(Search *search, int32_t at, int64_t level) {
    Item item = *ITEM(search, at);
    uint64_t key = ((uint64_t)item.start << 36) | ((uint64_t)item.end << 24) | (uint64_t)item.kind;
    int is_new, cheaper = 0;
    int32_t least = 0, fresh = (int32_t)search->rivals.used;
    Rival *rival = vector_add(&search->rivals);
    if (!rival) return -1;
    *rival = (Rival){level, item.detail, -1};
    int32_t first = map_put(&search->rivals_at, key, fresh, &is_new);
    if (first < 0) return -1;
    if (!is_new) {
        Rival *all = (Rival *)search->rivals.at;
        for (int32_t i = first; i >= 0; i = all[i].next) {
            if (!search->everything && all[i].level < level) {
                least = cheaper && least < all[i].depth ? least : all[i].depth;
                cheaper = 1;
            }
            if (all[i].next < 0) {
                all[i].next = fresh;
                break;
            }
        }
    }
    if (cheaper && least <= item.detail) return 0;
    Kind kind;
    if (find_kind(&search->tables, item.kind, &kind) < 0) return -1;
    for (int32_t i = kind.opening; i < kind.end; i++) {
        Opening opening = AT(Opening, search->tables.openings, i);
        Move move = opening.move;
        if (item.end < search->tokens && !cheaper) {
            Offer begun = {item.start, item.end, -1, opening.number, move.to, at, -1, -1, move.owes, {0, 0}};
            if (value_of(search, move.cost, move.gain, &begun.own) < 0 || offer(search, &begun) < 0) return -1;
        }
        if (item.detail < search->unary_limit && opening.number != kind.construction) {
            Move alone;
            if (find_acceptance(&search->tables, opening.number, move.to, &alone) < 0 ||
                accept_phrase(search, item.start, item.end, opening.number, item.detail + 1, alone, move, at) < 0)
                return -1;
        }
        if (cheaper) continue;
        size_t place = place_of(search, item.start, opening.number);
        int32_t own, alike = group_of(search, &search->following_at, search->following + place, place, opening.look);
        if (alike < 0 || follow(search, at, GROUP(search, alike), &own) < 0) return -1;
        for (int32_t i = search->ending[place].head; i >= 0 && own >= 0; i = GROUP(search, i)->next) {
            Group *waiting = GROUP(search, i);
            if (extend(search, opening.number, waiting->key, opening.look, waiting->items.head, own, -1) < 0) return -1;
        }
    }
    if (cheaper) return 0;
    if (append(search, &search->starting[item.start], at) < 0) return -1;
    if (item.end - item.start == search->tokens && kind.root) {
        if (add_number(&search->roots, at) < 0) return -1;
        if (search->lexicographic && !search->everything) {
            if (!search->has_ceiling || level < search->ceiling) search->ceiling = level;
            search->has_ceiling = 1;
        }
    }
    return 0;
}

static int settle_active(Search *search, int32_t at) {
    Item item = *ITEM(search, at);
    if (item.two_parts) {
        Move accepted, nothing = {0};
        if (find_acceptance(&search->tables, item.number, item.detail, &accepted) < 0 ||
            accept_phrase(search, item.start, item.end, item.number, 1, accepted, nothing, at) < 0)
            return -1;
    }
    if (item.end < search->tokens) {
        size_t place = place_of(search, item.end, item.number);
        List alone = {-1, -1}, *alike = &alone; /* nothing that follows is still to come where spans are in turn */
        if (!search->dominates) {
            int32_t group = group_of(search, &search->ending_at, search->ending + place, place, item.detail);
            if (group < 0) return -1;
            alike = &GROUP(search, group)->items;
        }
        if (append(search, alike, at) < 0) return -1;
        int32_t own = alike->tail;
        for (int32_t i = search->following[place].head; i >= 0; i = GROUP(search, i)->next) {
            Group *behind = GROUP(search, i);
            if (extend(search, item.number, item.detail, behind->key, own, behind->items.head, -1) < 0) return -1;
        }
    }
    return 0;
}

/* The first link of what may cover the input from a position on. */
static int32_t choices_at(const Search *search, int32_t position) {
    return search->starting[position].head >= 0 ? search->starting[position].head : search->words_at[position].head;
}

/* The value of the best cover of what follows a position that begins with that item: one root over all is free. */
static int cover_from(const Search *search, int32_t at, const Value *best, Value *found) {
    Item *item = ITEM(search, at);
    int64_t cost = search->fragment_cost;
    for (size_t i = 0; item->end - item->start == search->tokens && i < search->roots.used; i++)
        if (AT(int32_t, search->roots, i) == at) cost = 0;
    if (value_of(search, cost, 0, found) < 0) return -1;
    return add(found, item->value) < 0 ? -1 : add(found, best[item->end]);
}

/* The values of the best covers of what follows each position. */
static int best_covers(Search *search, Value *best) {
    best[search->tokens] = (Value){0, 0};
    for (int32_t position = search->tokens - 1; position >= 0; position--) {
        int32_t first = choices_at(search, position);
        if (first < 0) {
            PyErr_SetString(PyExc_ValueError, "nothing covers a position");
            return -1;
        }
        for (int32_t i = first; i >= 0; i = LINK(search, i)->next) {
            Value value;
            if (cover_from(search, LINK(search, i)->item, best, &value) < 0) return -1;
            if (i == first || less(value, best[position])) best[position] = value;
        }
    }
    return 0;
}

static int watch(Search *search, int64_t level, int64_t *next) {
    if (search->everything || !search->lexicographic) {
        *next = (int64_t)1 << 62;
        return 0;
    }
    if (best_covers(search, (Value *)search->covered.at) < 0) return -1;
    int64_t cost = level_of(search, AT(Value, search->covered, 0));
    if (!search->has_ceiling || cost < search->ceiling) search->ceiling = cost;
    search->has_ceiling = 1;
    if (__builtin_add_overflow(level, (level > search->fragment_cost ? level : search->fragment_cost) / 4, next))
        *next = INT64_MAX;
    return 0;
}

/* The number of equally good trees of an item: its edges are complete when it is settled, its parts were before. */
static int64_t count_trees(const Search *search, int32_t at) {
    int64_t sum = 0;
    for (int32_t i = ITEM(search, at)->head; i >= 0; i = EDGE(search, i)->next) {
        const Edge *edge = EDGE(search, i);
        int64_t left = edge->left < 0 ? 1 : ITEM(search, edge->left)->count;
        int64_t right = edge->right < 0 ? 1 : ITEM(search, edge->right)->count, both;
        if (left == TOO_MANY || right == TOO_MANY || __builtin_mul_overflow(left, right, &both) ||
            __builtin_add_overflow(sum, both, &sum))
            return TOO_MANY;
    }
    return sum;
}

/* Whether a limit is met: -1 with an error, such as an interrupt. */
static int is_over(Search *search, int ask) {
    if (search->most >= 0 && (int64_t)search->items.used >= search->most) return 1;
    if (!ask) return 0;
    PyObject *answer = PyErr_CheckSignals() < 0 ? NULL : PyObject_CallFunction(search->overdue, NULL);
    int due = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return due;
}

/* the rations of the spans, as in rations.py */

/* How many spans are left when the first `start` positions are, of a sentence of so many words. */
static int64_t spans_before(int64_t start, int64_t tokens) { return start * (2 * tokens - start + 1) / 2; }

/* How many active items may be kept over a span, the next to be settled, so that the items last to the last one. */
static int64_t ration(Search *search, int32_t start, int32_t end) {
    int64_t tokens = search->tokens, all = spans_before(tokens, tokens), built = (int64_t)search->items.used;
    int64_t most = search->most, left = most - built, spans = spans_before(start, tokens) + tokens - end + 1;
    if (search->column != start) {
        search->column = start;
        search->share = built + left * (tokens - end + 1) / spans;
    }
    int64_t at_pace = most / all * (all - spans + 1) / all * (all - spans + 1) - built;
    int64_t states = (left / spans > at_pace ? left / spans : at_pace) / ITEMS_A_STATE;
    return states < FEWEST_STATES && built < search->share ? FEWEST_STATES : states;
}

/* How many active items were to be kept over the span of one, where a limit bounds them. */
static int32_t *kept_over(const Search *search, const Item *item) {
    return &AT(int32_t, search->crowd, (size_t)item->start * (size_t)search->tokens + (size_t)item->end - 1);
}

/* Whether one more active item over a span would be too many; not while none was left out, which is to be told. */
static int is_full(const Search *search, const Item *item) {
    if (!(search->crowded || search->rationed)) return 0;
    int32_t kept = *kept_over(search, item);
    return (search->crowded && kept >= search->most_states) || (search->rationed && kept && kept >= search->ration);
}

/* Whether one more active item over a span is too many: a limit is met. */
static int is_crowded(Search *search, const Item *item) {
    if (!search->crowd.used) return 0;
    int32_t *kept = kept_over(search, item);
    if (search->rations && !*kept) search->ration = ration(search, item->start, item->end);
    int crowded = search->most_states >= 0 && *kept >= search->most_states;
    int rationed = !crowded && search->rations && *kept >= search->ration;
    search->crowded |= crowded, search->rationed |= rationed;
    ++*kept;
    return crowded || rationed;
}

/* Tell what may follow an active item of a construction at a position. */
static int foresee(Search *search, int32_t number, int32_t position) {
    Vector *ahead = &search->ahead;
    ahead->used = 0;
    for (int32_t at = position; at < search->tokens; at++) {
        size_t size = ahead->used;
        if (add_number(ahead, 0) < 0) return -1;
        for (int32_t i = search->following[place_of(search, at, number)].head; i >= 0; i = GROUP(search, i)->next)
            if (add_number(ahead, GROUP(search, i)->key) < 0) return -1;
        AT(int32_t, *ahead, size) = (int32_t)(ahead->used - size - 1);
    }
    return dominance_foresee(&search->dominance, search->tables.automata[number], number, position,
                             (const int32_t *)ahead->at);
}

/* Whether another active item over the span is better whatever follows: -1 with an error. */
static int is_beaten(Search *search, const Item *item) {
    if (!search->dominates || item->end == search->tokens) return 0;
    Automaton *automaton = search->tables.automata[item->number];
    if (!automaton_is_countable(automaton)) return 0;
    if (!dominance_foresees(&search->dominance, item->number, item->end) &&
        foresee(search, item->number, item->end) < 0)
        return -1;
    Unfinished unfinished = {item->start, item->end, item->number, item->detail, item->value.major};
    return dominance_beats(&search->dominance, automaton, &unfinished);
}

static int settle(Search *search) {
    int64_t watched = -1;
    int more;
    while ((more = search->agenda.used ? 1 : next_span(search)) > 0) {
        Entry entry = pop(search);
        Item *item = ITEM(search, entry.item);
        int64_t level = search->lexicographic ? entry.first : 0;
        if (item->settled) continue;
        if (level > watched && watch(search, level, &watched) < 0) return -1;
        if (search->has_ceiling && level > search->ceiling) {
            search->pruned = 1;
            return 0;
        }
        int over = is_over(search, search->settled % search->patience == search->patience - 1);
        if (over) {
            search->stopped = 1;
            return over < 0 ? -1 : 0;
        }
        int left_out = item->kind < 0 && is_full(search, item);
        if (item->kind < 0 && !left_out && (left_out = is_beaten(search, item)) < 0) return -1;
        left_out = left_out || (item->kind < 0 && is_crowded(search, item));
        item->settled = 1;
        if (left_out) continue;
        item->count = search->everything ? 0 : count_trees(search, entry.item);
        search->settled++;
        int bad = item->kind < 0 ? settle_active(search, entry.item) : settle_passive(search, entry.item, level);
        if (bad < 0) return -1;
    }
    return more;
}

/* Extend the pairs that the ceiling left out before. */
static int extend_postponed(Search *search, int64_t before) {
    for (int32_t position = 0; position < search->tokens; position++) {
        int over = is_over(search, position % 16 == 0);
        for (int32_t number = 0; number < search->tables.constructions; number++) {
            size_t place = place_of(search, position, number);
            for (int32_t i = search->ending[place].head; i >= 0 && !over; i = GROUP(search, i)->next)
                for (int32_t k = search->following[place].head; k >= 0 && !over; k = GROUP(search, k)->next) {
                    Group *waiting = GROUP(search, i), *behind = GROUP(search, k);
                    if (extend(search, number, waiting->key, behind->key, waiting->items.head, behind->items.head,
                               before) < 0)
                        return -1;
                    over = is_over(search, 0);
                }
        }
        if (over) {
            search->stopped = 1;
            return over < 0 ? -1 : 0;
        }
    }
    return 0;
}

/* Whether the ceiling had to rise; -1 with an error. */
static int grow(Search *search) {
    if (!search->grows || !search->pruned) return 0;
    if (best_covers(search, (Value *)search->covered.at) < 0) return -1;
    int64_t best = level_of(search, AT(Value, search->covered, 0)), before = search->ceiling, risen;
    if (best <= before) return 0;
    if (__builtin_mul_overflow(before, 2, &risen)) risen = INT64_MAX;
    if (risen < search->usual_cost) risen = search->usual_cost;
    if (risen > best) risen = best;
    if (search->has_limit && risen > search->limit) risen = search->limit;
    if (risen <= before) return 0;
    search->ceiling = risen;
    search->pruned = 0;
    size_t kept = 0, postponed = search->postponed.used;
    for (size_t i = 0; i < postponed; i++) {
        Postponed one = AT(Postponed, search->postponed, i);
        if (is_over(search, 0)) {
            search->stopped = 1;
            return 0;
        }
        if (is_too_costly(search, one.level))
            AT(Postponed, search->postponed, kept++) = one;
        else if (offer(search, &one.offer) < 0)
            return -1;
    }
    for (size_t i = postponed; i < search->postponed.used; i++)
        AT(Postponed, search->postponed, kept++) = AT(Postponed, search->postponed, i);
    search->postponed.used = kept;
    if (extend_postponed(search, before) < 0) return -1;
    return !search->stopped;
}

static int run(Search *search) {
    int more = 1;
    while (more > 0) {
        if (settle(search) < 0) return -1;
        more = search->stopped ? 0 : grow(search);
    }
    return more;
}

static int offer_words(Search *search, PyObject *words) {
    Py_ssize_t size = PyList_Size(words);
    for (Py_ssize_t i = 0; i < size; i++) {
        int start, end, kind;
        long long cost;
        if (!PyArg_ParseTuple(PyList_GetItem(words, i), "iiiL", &start, &end, &kind, &cost)) return -1;
        if (too_large(kind, 24)) return -1;
        int32_t known = (int32_t)search->items.used;
        Offer word = {start, end, kind, -1, 0, -1, -1, (int32_t)i, 0, {0, 0}};
        if (value_of(search, cost, 0, &word.own) < 0 || offer(search, &word) < 0) return -1;
        if ((size_t)known < search->items.used && append(search, &search->words_at[start], known) < 0) return -1;
    }
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
    for (int32_t i = choices_at(search, position); i >= 0; i = LINK(search, i)->next) {
        Value value;
        if (cover_from(search, LINK(search, i)->item, best, &value) < 0) return NULL;
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
    bad = bad || best_covers(search, (Value *)PyBytes_AsString(covers)) < 0;
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

/* Take the memory of the last search, emptied. */
static int begin(Search *search) {
    for (size_t i = 0; i < MAPS; i++) map_empty(&search->maps[i]);
    for (size_t i = 0; i < VECTORS; i++) search->vectors[i].used = 0;
    search->start = search->end = search->tokens;
    size_t positions = (size_t)search->tokens + 1, places = positions * ((size_t)search->tables.constructions + 1);
    search->rations = search->dominates && search->most >= 0;
    size_t spans = search->most_states >= 0 || search->rations ? (size_t)search->tokens * (size_t)search->tokens : 0;
    List *lists = vector_of(&search->lists, 2 * places + 3 * positions);
    if (!lists || !vector_of(&search->covered, positions) || (spans && !vector_of(&search->crowd, spans))) return -1;
    for (size_t i = 0; i < search->lists.used; i++) lists[i] = (List){-1, -1};
    for (size_t i = 0; i < spans; i++) AT(int32_t, search->crowd, i) = 0;
    search->ending = lists, search->following = lists + places;
    search->starting = lists + 2 * places, search->words_at = search->starting + positions;
    search->waiting = search->words_at + positions;
    search->column = -1;
    search->settled = search->pruned = search->stopped = search->crowded = search->rationed = 0;
    return search->dominates ? dominance_begin(&search->dominance, search->tokens, search->tables.constructions) : 0;
}

/* Give memory back where a search took more than is worth keeping. */
static void end(Search *search) {
    size_t room = dominance_room(&search->dominance);
    for (size_t i = 0; i < MAPS; i++)
        room += (search->maps[i].room + search->maps[i].spare_room) * sizeof(Slot);
    for (size_t i = 0; i < VECTORS; i++)
        room += search->vectors[i].room * search->vectors[i].width;
    if (room > MOST_ROOM) free_room(search);
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
    int bad = begin(search) < 0 || read_views(search, &views) < 0 || offer_words(search, words) < 0;
    if (!bad && run(search) == 0) answer = result(search);
    end(search);
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
