/* The exact search: equal to python_search.py, item for item and edge for edge. It outputs only the items in covers, under
 * net a hundredth of all, unless all are requested.
 *
 * Values are pairs (major, minor), the least is the best: (cost, -gain) under relaxation, (cost - gain, 0) under net.
 * Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_SEARCH_H
#define NUMBAT_SEARCH_H
#include "_dominance.h"

#include <stddef.h>

typedef struct {
    int64_t major, minor;
} Value;

typedef struct {
    int32_t start, end, kind, number, detail, head, tail;
    uint8_t settled, two_parts, apart; /* apart: it can only be a fragment beside others */
    int32_t reached; /* its number in the output, or -1 */
    int64_t count; /* number of equally good trees, TOO_MANY beyond 64 bits */
    int64_t rest;  /* least cost of the rest of a solution around it, if the output is cut */
    Value value;
} Item;

typedef struct {
    int32_t left, right, label, next;
    Value own;
} Edge;

typedef struct {
    int32_t item, next;
} Link;

typedef struct { /* a list of items or groups, in the order in which they were added */
    int32_t head, tail;
} List;

typedef struct { /* items that a move treats alike: active ones in a state, or passive ones of a type */
    int32_t key, next;
    List items;
    int32_t latest; /* link of the first of those with the same end as the last */
    int64_t least;    /* the level of the first item */
    int64_t left_out; /* of active items: the least level at which a combination with them was above the ceiling */
} Group;

typedef struct { /* agenda entry: level, length and place, item; or length and place, value, item */
    uint64_t high, low;
} Entry;

typedef struct {
    int64_t level;
    int32_t depth, next;
} Rival;

typedef struct { /* a way to build an item, with the value that it adds to those of its parts */
    int32_t start, end, kind, number;
    int32_t detail; /* of an active item: the step to its state, which is made if the item is */
    int32_t left, right, label;
    Value own;
} Offer;

typedef struct {
    int64_t level;
    Offer offer;
} Postponed;

enum { MAPS = 6, MAPS_OF_START = 4, VECTORS = 17 }; /* of a search */

typedef struct { /* one search; the next one reuses its moves and its memory */
    Tables *tables; /* the moves of this search */
    PyObject *overdue;
    int32_t tokens, unary_limit, last_place;
    int busy, lexicographic, keep_all_edges, return_all_items, dominates, grows, has_ceiling, has_max_ceiling;
    int pruned, stopped, hit_state_limit;
    int has_budget, hit_budget; /* spans share a limit of items; an item was left out because of that */
    int64_t edges_an_item, items_a_state, fewest_states; /* items.py */
    int64_t rise_divisor; /* items.py */
    int64_t at_least;     /* lower bound on the cost of solutions not found when the search was stopped */
    int64_t margin;       /* what a solution that is kept may cost more than the best; -1: nothing is cut */
    int64_t fragment_cost, usual_cost, ceiling, max_ceiling, max_items, most_states, settled, patience;
    int32_t start, end;    /* the span that is being settled, if spans are in turn */
    int32_t column;        /* the start of the spans that have a share */
    int64_t share, quota;      /* maximum of items built when these are settled, of active items kept over the span */
    union {
        struct {
            Map passive, active, rivals_at, ended_at, ending_at, following_at; /* the first of items with the same start */
        };
        Map maps[MAPS];
    };
    union {
        struct {
            Vector items, edges, agenda, rivals, links, groups, postponed;
            Vector roots;    /* int32_t */
            Vector chosen;   /* int32_t: items that may begin a cover at each position, after their offsets */
            Vector reached;  /* int32_t: the output */
            Vector lists;    /* List: those below */
            Vector covered;  /* Value, by position */
            Vector lookaheads;   /* int32_t, by position and construction */
            Vector marks;    /* int32_t, by position; empty if the grammar declares no marks */
            Vector kept;    /* int32_t: numbers of active items by span, if a limit bounds them */
            Vector ended;    /* int64_t: values of phrases to the end of the sentence, by start and kind */
            Vector types;    /* int32_t: daughter types of items that begin at positions, their number first */
        };
        Vector vectors[VECTORS];
    };
    Dominance dominance;
    List *ending, *following;  /* groups of active items by end, of passive ones by start */
    List *starting, *words_at; /* settled passive items, words, by position */
    List *waiting;             /* items of later spans with the start of the one that is being settled, by end */
} Search;

_Static_assert(offsetof(Search, ending_at) == offsetof(Search, maps) + MAPS_OF_START * sizeof(Map), "of a start");
_Static_assert(offsetof(Search, following_at) == offsetof(Search, maps) + (MAPS - 1) * sizeof(Map), "all maps");
_Static_assert(offsetof(Search, types) == offsetof(Search, vectors) + (VECTORS - 1) * sizeof(Vector), "all vectors");

#define ITEM(search, i) ((Item *)(search)->items.at + (i))
#define EDGE(search, i) ((Edge *)(search)->edges.at + (i))
#define LINK(search, i) ((Link *)(search)->links.at + (i))
#define GROUP(search, i) ((Group *)(search)->groups.at + (i))

static inline int less(Value a, Value b) { return a.major != b.major ? a.major < b.major : a.minor < b.minor; }

/* Return the sum of two levels, above any ceiling if it is beyond 64 bits. */
static inline int64_t level_with(int64_t one, int64_t other) {
    int64_t sum;
    return __builtin_add_overflow(one, other, &sum) ? INT64_MAX : sum;
}

void search_new(Search *search);
void search_free(Search *search);
int search_begin(Search *search); /* take over the memory of the last search */
void search_end(Search *search);
/* Return freed memory to the system, if the allocator would keep it because of fragmentation. */
void give_back(void);
int search_offer_word(Search *search, int32_t start, int32_t end, int32_t kind, int64_t cost, int32_t label);
int search_run(Search *search);
/* Return the number of items, or that for which their edges count, if it is larger. */
int64_t search_built(const Search *search);

/* Return the value of an item that is built in a certain way. */
Value search_value(const Search *search, const Edge *edge);
/* Return the length and place of an item, by which parts come before wholes: a number of 20 bits. */
uint64_t search_place(const Search *search, const Item *item);
/* Return the first link of the items that may begin a cover at a position. */
int32_t search_choices(const Search *search, int32_t position);
/* Return the value of the best cover from a position to the end that begins with an item; a root over all is free. */
int search_cover_from(const Search *search, int32_t at, const Value *best, Value *found);
/* Compute the values of the best covers from each position to the end. */
int search_covers(Search *search, Value *best);

#endif
