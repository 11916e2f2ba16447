#define Py_LIMITED_API 0x030B0000
#include "_search.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define TOO_MANY -1
#define MOST_ROOM ((size_t)1 << 25) /* maximum of bytes kept for the next search */

/* memory */

void search_new(Search *search) {
    search->items.width = sizeof(Item), search->edges.width = sizeof(Edge), search->agenda.width = sizeof(Entry);
    search->rivals.width = sizeof(Rival), search->links.width = sizeof(Link), search->groups.width = sizeof(Group);
    search->postponed.width = sizeof(Postponed), search->lists.width = sizeof(List);
    search->covered.width = sizeof(Value);
    search->roots.width = search->chosen.width = search->reached.width = search->lookaheads.width = sizeof(int32_t);
    search->marks.width = sizeof(int32_t);
    search->kept.width = search->types.width = sizeof(int32_t), search->ended.width = sizeof(int64_t);
    dominance_new(&search->dominance);
}

void search_free(Search *search) {
    for (size_t i = 0; i < MAPS; i++) map_free(&search->maps[i]);
    for (size_t i = 0; i < VECTORS; i++) {
        Vector *vector = &search->vectors[i];
        free(vector->at);
        *vector = (Vector){.width = vector->width};
    }
    dominance_free(&search->dominance);
}

int search_begin(Search *search) {
    for (size_t i = 0; i < MAPS; i++) map_empty(&search->maps[i]);
    for (size_t i = 0; i < VECTORS; i++) search->vectors[i].used = 0;
    search->start = search->end = search->tokens;
    size_t positions = (size_t)search->tokens + 1, places = positions * ((size_t)search->tables->constructions + 1);
    search->has_budget = search->dominates && search->max_items >= 0;
    size_t spans = search->most_states >= 0 || search->has_budget ? (size_t)search->tokens * (size_t)search->tokens : 0;
    List *lists = vector_of(&search->lists, 2 * places + 3 * positions);
    if (!lists || !vector_of(&search->covered, positions) || (spans && !vector_of(&search->kept, spans))) return -1;
    for (size_t i = 0; i < search->lists.used; i++) lists[i] = (List){-1, -1};
    for (size_t i = 0; i < spans; i++) AT(int32_t, search->kept, i) = 0;
    search->ending = lists, search->following = lists + places;
    search->starting = lists + 2 * places, search->words_at = search->starting + positions;
    search->waiting = search->words_at + positions;
    search->column = -1, search->at_least = 0;
    search->settled = search->pruned = search->stopped = search->hit_state_limit = search->hit_budget = 0;
    return search->dominates ? dominance_begin(&search->dominance, search->tokens, search->tables->constructions,
                                               &search->tables->gaps) : 0;
}

/* Release the memory of a search that took more than is worth keeping. */
void search_end(Search *search) {
    size_t room = dominance_room(&search->dominance);
    for (size_t i = 0; i < MAPS; i++)
        room += (search->maps[i].room + search->maps[i].spare_room) * sizeof(Slot);
    for (size_t i = 0; i < VECTORS; i++)
        room += search->vectors[i].room * search->vectors[i].width;
    if (room <= MOST_ROOM) return;
    search_free(search);
    give_back();
}

void give_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* values */

static int add(Value *to, Value more) {
    return __builtin_add_overflow(to->major, more.major, &to->major) ||
                   __builtin_add_overflow(to->minor, more.minor, &to->minor)
               ? overflowed()
               : 0;
}

static int value_of(const Search *search, int64_t cost, int64_t gain, Value *value) {
    value->major = cost;
    value->minor = 0;
    int64_t *from = search->lexicographic ? &value->minor : &value->major;
    return __builtin_sub_overflow(*from, gain, from) ? overflowed() : 0; /* the least gain has no negative */
}

static int64_t level_of(const Search *search, Value value) { return search->lexicographic ? value.major : 0; }

/* Return the least cost beside an item: two fragments if it can only be a fragment, else 0. */
static int64_t cost_beside(const Search *search, int is_apart) {
    return is_apart ? level_with(search->fragment_cost, search->fragment_cost) : 0;
}

/* Return a lower bound on the cost of a cover with an item, without that of completing it. */
static int64_t item_level(const Search *search, const Item *item) {
    return level_with(level_of(search, item->value), cost_beside(search, item->apart));
}

/* Without branches, which no processor can predict here. */
static int entry_less(const Entry *a, const Entry *b) {
    return (a->high < b->high) | ((a->high == b->high) & (a->low < b->low));
}

/* The same order for unsigned numbers. */
static uint64_t unsigned_of(int64_t number) { return (uint64_t)number ^ (uint64_t)1 << 63; }

static int32_t item_of(Entry entry) { return (int32_t)(entry.low & 0x7FFFFFFF); }

static int64_t level_at(const Search *search, Entry entry) {
    return search->lexicographic ? (int64_t)unsigned_of((int64_t)entry.high) : 0;
}

/* Move an entry from the free place `i` of the heap up to its place. */
static void rise(Entry *heap, size_t i, Entry entry) {
    while (i && entry_less(&entry, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = entry;
}

uint64_t search_place(const Search *search, const Item *item) {
    int32_t place = item->kind >= 0 ? item->detail + 1 : item->two_parts ? 0 : search->last_place;
    return ((uint64_t)(item->end - item->start) << 8) | (uint64_t)place;
}

static int push(Search *search, int64_t level, int32_t item) {
    if (!vector_add(&search->agenda)) return -1;
    const Item *pushed = ITEM(search, item);
    uint64_t about = search_place(search, pushed);
    uint64_t value = unsigned_of(pushed->value.major);
    Entry entry = {unsigned_of(level), (about << 32) | (uint64_t)item};
    if (!search->lexicographic)
        entry = (Entry){(about << 44) | (value >> 20), ((value & 0xFFFFF) << 32) | (uint64_t)item};
    rise((Entry *)search->agenda.at, search->agenda.used - 1, entry);
    return 0;
}

static Entry pop(Search *search) {
    Entry *heap = (Entry *)search->agenda.at, first = heap[0];
    size_t i = 0, size = --search->agenda.used;
    for (size_t child = 1; child < size; child = 2 * i + 1) { /* probably down to a leaf */
        child += child + 1 < size && entry_less(&heap[child + 1], &heap[child]);
        heap[i] = heap[child];
        i = child;
    }
    rise(heap, i, heap[size]);
    return first;
}

/* A position and a construction, as one number. */
static size_t place_of(const Search *search, int32_t position, int32_t number) {
    return (size_t)position * (size_t)search->tables->constructions + (size_t)number;
}

/* the search, function by function as in python_search.py */

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

/* Put an item on the agenda; if spans are settled one after the other, it waits for its span. */
static int enter(Search *search, int64_t level, int32_t at, int is_new) {
    const Item *item = ITEM(search, at);
    if (!search->dominates || (item->start == search->start && item->end == search->end))
        return push(search, level, at);
    return is_new && item->start == search->start ? append(search, &search->waiting[item->end], at) : 0;
}

/* Continue with the next span that has items; return 0 after the last one, -1 with an error. Spans that begin
 * further right come first, then shorter ones. */
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

/* Find the group of a key among those of a place in `list`, or add an empty one for an item of the level `least`.
 * Return -1 with an error. */
static int32_t group_of(Search *search, Map *known, List *list, size_t place, int32_t key, int64_t least) {
    int is_new;
    int32_t at = map_put(known, ((uint64_t)place << 24) | (uint64_t)key, (int32_t)search->groups.used, &is_new);
    if (at < 0) return -1;
    if (is_new) {
        Group *group = vector_add(&search->groups);
        if (!group) return -1;
        *group = (Group){key, -1, {-1, -1}, -1, least, INT64_MAX};
        if (list->tail >= 0)
            GROUP(search, list->tail)->next = at;
        else
            list->head = at;
        list->tail = at;
    }
    return at;
}

/* Lower the ceiling to what is explored if a solution costs this much. */
static void lower(Search *search, int64_t cost) {
    int64_t most = search->margin > 0 ? level_with(cost, search->margin) : cost;
    if (!search->has_ceiling || most < search->ceiling) search->ceiling = most;
    search->has_ceiling = 1;
}

static int is_above(const Search *search, int64_t level) { return search->has_ceiling && level > search->ceiling; }

/* Return 1 if something is above the ceiling. */
static int is_too_costly(Search *search, int64_t level) {
    int above = is_above(search, level);
    search->pruned |= above;
    return above;
}

/* Return 1 if an offered item can only be a fragment beside others: its construction cannot be a daughter, and it is not
 * the whole sentence, nor an unfinished one that may still become that. */
static int is_apart(const Search *search, const Offer *offered) {
    int32_t number = offered->kind < 0 ? offered->number : offered->left < 0 ? -1 : offered->label;
    return search->lexicographic && number >= 0 && search->tables->is_top[number] &&
           (offered->start > 0 || (offered->kind >= 0 && offered->end < search->tokens));
}

/* Record an item that ends with the sentence; return 1 if it forms no phrase, or a worse one than recorded */
static int record_end_and_compare(Search *search, const Offer *offered, int32_t state, Value value) {
    if (!search->dominates || offered->kind >= 0 || offered->end < search->tokens) return 0;
    Move accepted;
    Value phrase;
    if (find_acceptance(search->tables, offered->number, state, &accepted) < 0) return -1;
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

/* Find a lower bound on the cost of a cover with an offered item; INFINITE if it cannot be completed. */
static int find_bound(Search *search, const Offer *offered, int64_t level, int64_t *to_complete) {
    int32_t number = offered->number, step = offered->detail;
    *to_complete = 0;
    if (offered->kind >= 0 || is_above(search, level)) return 0;
    if (!search->lexicographic && !step_at(search->tables, step)->owes) return 0;
    int32_t lookahead = AT(int32_t, search->lookaheads, place_of(search, offered->end, number));
    return find_to_complete(search->tables, number, step, lookahead, search->lexicographic, to_complete);
}

static int offer(Search *search, const Offer *offered) {
    int32_t start = offered->start, end = offered->end, kind = offered->kind, number = offered->number;
    int32_t detail = offered->detail, left = offered->left, right = offered->right;
    Value value = offered->own;
    if (left >= 0 && add(&value, ITEM(search, left)->value) < 0) return -1;
    if (right >= 0 && add(&value, ITEM(search, right)->value) < 0) return -1;
    int apart = is_apart(search, offered);
    int64_t level = level_with(level_of(search, value), cost_beside(search, apart)), to_complete;
    if (find_bound(search, offered, level, &to_complete) < 0) return -1;
    if (to_complete >= INFINITE) return 0;
    if (__builtin_add_overflow(level, to_complete, &level)) {
        PyErr_SetString(PyExc_OverflowError, "a cost is beyond 64 bits");
        return -1;
    }
    if (is_too_costly(search, level)) {
        Postponed *kept = search->grows ? vector_add(&search->postponed) : NULL;
        if (kept) *kept = (Postponed){level, *offered};
        return kept || !search->grows ? 0 : -1;
    }
    if (kind < 0 && find_state(search->tables, number, offered->detail, &detail) < 0) return -1;
    int worse = record_end_and_compare(search, offered, detail, value);
    if (worse) return worse < 0 ? -1 : 0;
    /* all numbers fit into the keys, as they were checked on input */
    uint64_t key = ((uint64_t)start << 12) | (uint64_t)end;
    key = kind >= 0 ? (key << 32) | ((uint64_t)kind << 8) | (uint64_t)detail
                    : (key << 36) | ((uint64_t)number << 24) | (uint64_t)detail;
    int is_new;
    int32_t known = map_put(kind >= 0 ? &search->passive : &search->active, key, (int32_t)search->items.used, &is_new);
    if (known < 0) return -1;
    int better = 0, keep = 1;
    if (is_new) {
        Item *item = vector_add(&search->items);
        if (!item || too_large((int64_t)search->items.used, 30)) return -1;
        *item = (Item){start, end, kind, number, detail, -1, -1, 0, right >= 0, (uint8_t)apart, -1, 0, 0, value};
        if (enter(search, level, known, 1) < 0) return -1;
    } else {
        Item *item = ITEM(search, known);
        better = less(value, item->value);
        keep = better || search->keep_all_edges || !less(item->value, value);
        if (better) {
            if (!search->keep_all_edges) item->head = item->tail = -1;
            int cheaper = level < item_level(search, item) + to_complete;
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
    Offer phrase = {start, end, move.to, -1, depth, item, -1, number, {0, 0}};
    Value more;
    if (search->marks.used && find_marked(search->tables, move.to, AT(int32_t, search->marks, start),
                                          AT(int32_t, search->marks, end), &phrase.kind) < 0)
        return -1;
    if (value_of(search, move.cost, move.gain, &phrase.own) < 0 ||
        value_of(search, before.cost, before.gain, &more) < 0 || add(&phrase.own, more) < 0)
        return -1;
    return offer(search, &phrase);
}

/* Return 1 if something after a group of active items is above the ceiling, and record it; -1 stands for no group. */
static int leaves_out(Search *search, int32_t group, int64_t level) {
    if (!is_above(search, level)) return 0;
    search->pruned = 1;
    if (group >= 0 && level < GROUP(search, group)->left_out) GROUP(search, group)->left_out = level;
    return 1;
}

/* Extend active items in a state, those of the group `waiting` if that is kept, by passive items of a type, if the pair
 * costs more than `above`. Both are in the order of their costs. */
static int extend(Search *search, int32_t number, int32_t state, int32_t type, int32_t waiting, int32_t actives,
                  int32_t passives, int64_t above) {
    Offer longer = {.kind = -1, .number = number, .label = -1};
    if (find_step(search->tables, number, state, type, &longer.detail) < 0) return -1;
    if (longer.detail == IMPOSSIBLE) return 0;
    const Step *step = step_at(search->tables, longer.detail);
    if (value_of(search, step->cost, step->gain, &longer.own) < 0) return -1;
    for (int32_t i = actives; i >= 0; i = LINK(search, i)->next) {
        longer.left = LINK(search, i)->item;
        longer.start = ITEM(search, longer.left)->start;
        int64_t before = level_with(item_level(search, ITEM(search, longer.left)), level_of(search, longer.own));
        for (int32_t k = passives; k >= 0; k = LINK(search, k)->next) {
            longer.right = LINK(search, k)->item;
            longer.end = ITEM(search, longer.right)->end;
            int64_t level = level_with(before, level_of(search, ITEM(search, longer.right)->value));
            if (leaves_out(search, waiting, level)) {
                if (k == passives) return 0; /* so are all after it */
                break;
            }
            if (level > above && offer(search, &longer) < 0) return -1;
        }
    }
    return 0;
}

/* Add a passive item to those of its type that may follow active ones; return the new link, none if it is not added.
 * Of those over one span only the best are kept, if no item is extended by them before the next span. */
static int append_if_best(Search *search, int32_t at, Group *group, int32_t *own) {
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
            if (!search->keep_all_edges && all[i].level < level) {
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
    if (find_kind(search->tables, item.kind, &kind) < 0) return -1;
    for (int32_t i = kind.first; i < kind.end; i++) {
        FirstMove first = AT(FirstMove, search->tables->first_moves, i);
        const Step *step = step_at(search->tables, first.step);
        Move move = {.cost = step->cost, .gain = step->gain};
        if (item.end < search->tokens && !cheaper) {
            Offer begun = {item.start, item.end, -1, first.number, first.step, at, -1, -1, {0, 0}};
            if (value_of(search, move.cost, move.gain, &begun.own) < 0 || offer(search, &begun) < 0) return -1;
        }
        if (item.detail < search->unary_limit && first.number != kind.construction) {
            Move alone;
            int32_t state;
            if (find_state(search->tables, first.number, first.step, &state) < 0 ||
                find_acceptance(search->tables, first.number, state, &alone) < 0 ||
                accept_phrase(search, item.start, item.end, first.number, item.detail + 1, alone, move, at) < 0)
                return -1;
        }
        if (cheaper) continue;
        size_t place = place_of(search, item.start, first.number);
        int32_t own, alike = group_of(search, &search->following_at, search->following + place, place, first.type, level);
        if (alike < 0 || append_if_best(search, at, GROUP(search, alike), &own) < 0) return -1;
        for (int32_t i = search->ending[place].head; i >= 0 && own >= 0; i = GROUP(search, i)->next) {
            Group *waiting = GROUP(search, i);
            if (leaves_out(search, i, level_with(waiting->least, level))) continue;
            if (extend(search, first.number, waiting->key, first.type, i, waiting->items.head, own, -1) < 0) return -1;
        }
    }
    if (cheaper) return 0;
    if (append(search, &search->starting[item.start], at) < 0) return -1;
    int root = item.end - item.start == search->tokens ? is_root(search->tables, item.kind) : 0;
    if (root <= 0) return root;
    if (add_number(&search->roots, at) < 0) return -1;
    if (search->grows) lower(search, level);
    return 0;
}

static int settle_active(Search *search, int32_t at) {
    Item item = *ITEM(search, at);
    if (item.two_parts) {
        Move accepted, nothing = {0};
        if (find_acceptance(search->tables, item.number, item.detail, &accepted) < 0 ||
            accept_phrase(search, item.start, item.end, item.number, 1, accepted, nothing, at) < 0)
            return -1;
    }
    if (item.end < search->tokens) {
        int64_t level = item_level(search, &item);
        size_t place = place_of(search, item.end, item.number);
        List alone = {-1, -1}, *alike = &alone; /* if spans are in turn, all that may follow is complete */
        int32_t group = -1;
        if (!search->dominates) {
            group = group_of(search, &search->ending_at, search->ending + place, place, item.detail, level);
            if (group < 0) return -1;
            alike = &GROUP(search, group)->items;
        }
        if (append(search, alike, at) < 0) return -1;
        int32_t own = alike->tail;
        /* groups are in the order of their levels: all after the first that is too costly are, too */
        for (int32_t i = search->following[place].head; i >= 0; i = GROUP(search, i)->next) {
            Group *behind = GROUP(search, i);
            if (leaves_out(search, group, level_with(level, behind->least))) break;
            if (extend(search, item.number, item.detail, behind->key, group, own, behind->items.head, -1) < 0) return -1;
        }
    }
    return 0;
}

int32_t search_choices(const Search *search, int32_t position) {
    return search->starting[position].head >= 0 ? search->starting[position].head : search->words_at[position].head;
}

int search_cover_from(const Search *search, int32_t at, const Value *best, Value *found) {
    Item *item = ITEM(search, at);
    int64_t cost = search->fragment_cost;
    for (size_t i = 0; item->end - item->start == search->tokens && i < search->roots.used; i++)
        if (AT(int32_t, search->roots, i) == at) cost = 0;
    if (value_of(search, cost, 0, found) < 0) return -1;
    return add(found, item->value) < 0 ? -1 : add(found, best[item->end]);
}

int search_covers(Search *search, Value *best) {
    best[search->tokens] = (Value){0, 0};
    for (int32_t position = search->tokens - 1; position >= 0; position--) {
        int32_t first = search_choices(search, position);
        if (first < 0) {
            PyErr_SetString(PyExc_ValueError, "nothing covers a position");
            return -1;
        }
        for (int32_t i = first; i >= 0; i = LINK(search, i)->next) {
            Value value;
            if (search_cover_from(search, LINK(search, i)->item, best, &value) < 0) return -1;
            if (i == first || less(value, best[position])) best[position] = value;
        }
    }
    return 0;
}

static int watch(Search *search, int64_t level, int64_t *next) {
    if (!search->grows) {
        *next = (int64_t)1 << 62;
        return 0;
    }
    if (search_covers(search, (Value *)search->covered.at) < 0) return -1;
    lower(search, level_of(search, AT(Value, search->covered, 0)));
    if (__builtin_add_overflow(level, (level > search->fragment_cost ? level : search->fragment_cost) / 4, next))
        *next = INT64_MAX;
    return 0;
}

Value search_value(const Search *search, const Edge *edge) {
    Value sum = edge->own;
    int32_t parts[2] = {edge->left, edge->right};
    for (int i = 0; i < 2; i++)
        if (parts[i] >= 0) {
            sum.major += ITEM(search, parts[i])->value.major; /* within 64 bits, as it was offered */
            sum.minor += ITEM(search, parts[i])->value.minor;
        }
    return sum;
}

/* Return the number of equally good trees of an item that is being settled, so that its edges are complete. */
static int64_t count_trees(const Search *search, int32_t at) {
    int64_t sum = 0;
    const Item *item = ITEM(search, at);
    for (int32_t i = item->head; i >= 0; i = EDGE(search, i)->next) {
        const Edge *edge = EDGE(search, i);
        if (search->keep_all_edges && less(item->value, search_value(search, edge))) continue;
        int64_t left = edge->left < 0 ? 1 : ITEM(search, edge->left)->count;
        int64_t right = edge->right < 0 ? 1 : ITEM(search, edge->right)->count, both;
        if (left == TOO_MANY || right == TOO_MANY || __builtin_mul_overflow(left, right, &both) ||
            __builtin_add_overflow(sum, both, &sum))
            return TOO_MANY;
    }
    return sum;
}

int64_t search_built(const Search *search) {
    int64_t items = (int64_t)search->items.used, ways = (int64_t)search->edges.used / search->edges_an_item;
    return items > ways ? items : ways;
}

/* Return 1 if a limit is met, -1 with an error, such as an interrupt. */
static int is_over(Search *search, int ask) {
    if (search->max_items >= 0 && search_built(search) >= search->max_items) return 1;
    if (!ask) return 0;
    PyObject *answer = PyErr_CheckSignals() < 0 ? NULL : PyObject_CallFunction(search->overdue, NULL);
    int due = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return due;
}

/* beam budget of the spans, as in items.py */

/* Return the number of spans that begin at one of the first positions of a sentence. */
static int64_t spans_before(int64_t start, int64_t tokens) { return start * (2 * tokens - start + 1) / 2; }

/* Return the quota of active items of the next span to be settled, such that the items last until the last span. */
static int64_t quota(Search *search, int32_t start, int32_t end) {
    int64_t tokens = search->tokens, all = spans_before(tokens, tokens), built = search_built(search);
    int64_t most = search->max_items, left = most - built, spans = spans_before(start, tokens) + tokens - end + 1;
    if (search->column != start) {
        search->column = start;
        search->share = built + left * (tokens - end + 1) / spans;
    }
    int64_t at_pace = most / all * (all - spans + 1) / all * (all - spans + 1) - built;
    int64_t states = (left / spans > at_pace ? left / spans : at_pace) / search->items_a_state;
    return states < search->fewest_states && built < search->share ? search->fewest_states : states;
}

/* Return the counter of active items over the span of an item, if a limit bounds them. */
static int32_t *kept_over(const Search *search, const Item *item) {
    return &AT(int32_t, search->kept, (size_t)item->start * (size_t)search->tokens + (size_t)item->end - 1);
}

/* Return 1 if the quota of a span is used up; only after a first item was left out, which must be reported. */
static int is_full(const Search *search, const Item *item) {
    if (!(search->hit_state_limit || search->hit_budget)) return 0;
    int32_t kept = *kept_over(search, item);
    return (search->hit_state_limit && kept >= search->most_states) ||
           (search->hit_budget && kept && kept >= search->quota);
}

/* Count one more active item over a span; return 1 if it must be left out. */
static int count_and_refuse(Search *search, const Item *item) {
    if (!search->kept.used) return 0;
    int32_t *kept = kept_over(search, item);
    if (search->has_budget && !*kept) search->quota = quota(search, item->start, item->end);
    int hit_state_limit = search->most_states >= 0 && *kept >= search->most_states;
    int hit_budget = !hit_state_limit && search->has_budget && *kept >= search->quota;
    search->hit_state_limit |= hit_state_limit, search->hit_budget |= hit_budget;
    ++*kept;
    return hit_state_limit || hit_budget;
}

/* Record what may follow an active item of a construction at a position. */
static int note_future(Search *search, int32_t number, int32_t position) {
    Vector *types = &search->types;
    types->used = 0;
    for (int32_t at = position; at < search->tokens; at++) {
        size_t size = types->used;
        if (add_number(types, 0) < 0) return -1;
        for (int32_t i = search->following[place_of(search, at, number)].head; i >= 0; i = GROUP(search, i)->next)
            if (add_number(types, GROUP(search, i)->key) < 0) return -1;
        AT(int32_t, *types, size) = (int32_t)(types->used - size - 1);
    }
    return dominance_note_future(&search->dominance, search->tables->weighted[number]->automaton, number, position,
                             (const int32_t *)types->at);
}

/* Return 1 if another active item over the span dominates this one, else record it; -1 with an error. */
static int beaten_or_recorded(Search *search, const Item *item) {
    if (!search->dominates || item->end == search->tokens) return 0;
    Weighted *weighted = search->tables->weighted[item->number];
    if (!weighted->automaton->is_countable) return 0;
    if (!dominance_knows_future(&search->dominance, item->number, item->end) &&
        note_future(search, item->number, item->end) < 0)
        return -1;
    Unfinished unfinished = {item->start, item->end, item->number, item->detail, item->value.major};
    return dominance_beaten_or_recorded(&search->dominance, weighted, &unfinished);
}

/* Return 1 if an active item is left out, else count and record it; -1 with an error. */
static int leave_out(Search *search, const Item *item) {
    if (is_full(search, item)) return 1;
    int beaten = beaten_or_recorded(search, item);
    return beaten ? beaten : count_and_refuse(search, item);
}

static int settle(Search *search) {
    int64_t watched = -1;
    int more;
    while ((more = search->agenda.used ? 1 : next_span(search)) > 0) {
        Entry entry = pop(search);
        int32_t at = item_of(entry);
        Item *item = ITEM(search, at);
        int64_t level = level_at(search, entry);
        if (item->settled) continue;
        if (level > watched && watch(search, level, &watched) < 0) return -1;
        if (search->has_ceiling && level > search->ceiling) {
            search->pruned = 1;
            if (!vector_add(&search->agenda)) return -1; /* it is settled if the ceiling rises */
            rise((Entry *)search->agenda.at, search->agenda.used - 1, entry);
            return 0;
        }
        int over = is_over(search, search->settled % search->patience == search->patience - 1);
        if (over) {
            search->stopped = 1, search->at_least = level;
            return over < 0 ? -1 : 0;
        }
        int left_out = item->kind < 0 ? leave_out(search, item) : 0;
        if (left_out < 0) return -1;
        item->settled = 1;
        if (left_out) continue;
        item->count = count_trees(search, at);
        search->settled++;
        int bad = item->kind < 0 ? settle_active(search, at) : settle_passive(search, at, level);
        if (bad < 0) return -1;
    }
    return more;
}

/* Combine the pairs that were above the previous ceiling. */
static int extend_postponed(Search *search, int64_t before) {
    for (int32_t position = 0; position < search->tokens; position++) {
        int over = is_over(search, position % 16 == 0);
        for (int32_t number = 0; number < search->tables->constructions; number++) {
            size_t place = place_of(search, position, number);
            for (int32_t i = search->ending[place].head; i >= 0 && !over; i = GROUP(search, i)->next) {
                Group *waiting = GROUP(search, i);
                if (waiting->left_out == INT64_MAX || is_too_costly(search, waiting->left_out)) continue;
                waiting->left_out = INT64_MAX;
                for (int32_t k = search->following[place].head; k >= 0 && !over; k = GROUP(search, k)->next) {
                    Group *behind = GROUP(search, k);
                    if (leaves_out(search, i, level_with(waiting->least, behind->least))) break;
                    if (extend(search, number, waiting->key, behind->key, i, waiting->items.head, behind->items.head,
                               before) < 0)
                        return -1;
                    over = is_over(search, 0);
                }
            }
        }
        if (over) {
            search->stopped = 1;
            return over < 0 ? -1 : 0;
        }
    }
    return 0;
}

/* Raise the ceiling if the best solution is beyond it, then up to the margin; return 1 if it rose, -1 with an error. */
static int grow(Search *search) {
    if (!search->grows || !search->pruned) return 0;
    if (search_covers(search, (Value *)search->covered.at) < 0) return -1;
    int64_t best = level_of(search, AT(Value, search->covered, 0)), before = search->ceiling, risen;
    if (best <= before && search->margin > 0) best = level_with(best, search->margin);
    if (best <= before) return 0;
    int64_t more = before / search->rise_divisor + (before % search->rise_divisor > 0);
    if (__builtin_add_overflow(before, more, &risen)) risen = INT64_MAX;
    if (risen < search->usual_cost) risen = search->usual_cost;
    if (risen > best) risen = best;
    if (search->has_max_ceiling && risen > search->max_ceiling) risen = search->max_ceiling;
    if (risen <= before) return 0;
    search->ceiling = risen, search->at_least = before;
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

int search_run(Search *search) {
    int more = 1;
    while (more > 0) {
        if (settle(search) < 0) return -1;
        more = search->stopped ? 0 : grow(search);
    }
    return more;
}

int search_offer_word(Search *search, int32_t start, int32_t end, int32_t kind, int64_t cost, int32_t label) {
    int32_t known = (int32_t)search->items.used;
    Offer word = {start, end, kind, -1, 0, -1, -1, label, {0, 0}};
    if (value_of(search, cost, 0, &word.own) < 0 || offer(search, &word) < 0) return -1;
    return (size_t)known < search->items.used ? append(search, &search->words_at[start], known) : 0;
}
