/* The exact search: equal to python_search.py, item for item and edge for edge. It hands over only the items that the covers
 * are made of, some hundredth of them under net, unless all are asked for.
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
    uint8_t settled, two_parts, apart; /* apart: a fragment beside others in any cover */
    int32_t reached; /* its number among those that are handed over, -1 where it is not */
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

typedef struct { /* items that a move treats alike: active ones in a state, passive ones with a type */
    int32_t key, next;
    List items;
    int32_t latest; /* the link of the first of those that end where the last one does */
    int64_t least;    /* the level of the first item */
    int64_t left_out; /* of active items: the least level at which the ceiling left something behind them out */
} Group;

typedef struct { /* what settles items in order: level, length and place, item; or length and place, value, item */
    uint64_t high, low;
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

enum { MAPS = 6, MAPS_OF_START = 4, VECTORS = 16 }; /* of a search */

typedef struct { /* one search; its moves and its memory serve the next one */
    Tables *tables; /* the moves of this search */
    PyObject *overdue;
    int32_t tokens, unary_limit, last_place;
    int busy, lexicographic, keep_all_edges, return_all_items, dominates, grows, has_ceiling, has_max_ceiling;
    int pruned, stopped, hit_state_limit;
    int has_budget, hit_budget; /* whether a limit of items is shared by the spans, whether one was left out for that */
    int64_t edges_an_item, items_a_state, fewest_states; /* items.py */
    int64_t rise_divisor; /* items.py */
    int64_t at_least;     /* what is not found when the search is stopped costs so much */
    int64_t fragment_cost, usual_cost, ceiling, max_ceiling, max_items, most_states, settled, patience;
    int32_t start, end;    /* the span that is being settled, where one comes after the other */
    int32_t column;        /* the start of the spans that have a share */
    int64_t share, quota;      /* so many items may be built when these are done, active ones over the span be kept */
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
            Vector chosen;   /* int32_t: what may cover the input from each position on, behind where that begins */
            Vector reached;  /* int32_t: what is handed over */
            Vector lists;    /* List: those below */
            Vector covered;  /* Value, by position */
            Vector lookaheads;   /* int32_t, by position and construction */
            Vector kept;    /* int32_t: active items that were to be kept, by span where a limit bounds them */
            Vector ended;    /* int64_t: values of phrases to the end of the sentence, by start and kind */
            Vector types;    /* int32_t: daughter types of what begins at positions, the number of them first */
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
_Static_assert(offsetof(Search, types) == offsetof(Search, vectors) + (VECTORS - 1) * sizeof(Vector), "all vectors");

#define ITEM(search, i) ((Item *)(search)->items.at + (i))
#define EDGE(search, i) ((Edge *)(search)->edges.at + (i))
#define LINK(search, i) ((Link *)(search)->links.at + (i))
#define GROUP(search, i) ((Group *)(search)->groups.at + (i))

static inline int less(Value a, Value b) { return a.major != b.major ? a.major < b.major : a.minor < b.minor; }

void search_new(Search *search);
void search_free(Search *search);
int search_begin(Search *search); /* take the memory of the last search, emptied */
void search_end(Search *search);
/* Give memory that was freed back to the system, where the library that allocates would keep it between what is used. */
void give_back(void);
int search_offer_word(Search *search, int32_t start, int32_t end, int32_t kind, int64_t cost, int32_t label);
int search_run(Search *search);
/* How many items there are, or what the ways to build them count for, if that is more. */
int64_t search_built(const Search *search);

/* The first link of what may cover the input from a position on. */
int32_t search_choices(const Search *search, int32_t position);
/* The value of the best cover of what follows a position that begins with that item: one root over all is free. */
int search_cover_from(const Search *search, int32_t at, const Value *best, Value *found);
/* The values of the best covers of what follows each position. */
int search_covers(Search *search, Value *best);

#endif
