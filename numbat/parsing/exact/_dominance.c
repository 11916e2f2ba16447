#define Py_LIMITED_API 0x030B0000
#include "_dominance.h"

#include <string.h>

typedef struct { /* a future, in the pool */
    const int32_t *here;  /* classes that may follow next */
    const int32_t *later; /* classes that may follow later, each once */
    const int32_t *rows;  /* kinds of later positions: their number, the number of classes, the places of these */
    int32_t next, rest, kinds; /* number of kinds of later positions */
    int32_t continuations; /* number of the continuations of the deferred properties */
} Future;

typedef struct {
    int32_t state, next, is_licensed;
    int32_t gains, finals; /* offset and number of gains, -1 if not computed yet */
    int64_t value;           /* without irreparable violations */
} Contender;

typedef struct { /* a gap, and the number of the query that it answers */
    int64_t gap, question;
} Asked;

typedef struct { /* first unbeaten item with the same features */
    int32_t head, tail;
} Chain;

enum { VECTORS = 9, ROWS = 3, MAPS = 3 };

static Vector *vector_at(Dominance *dominance, int i) {
    Vector *all[VECTORS] = {&dominance->begins, &dominance->pool,  &dominance->chains, &dominance->contenders,
                            &dominance->gains,  &dominance->asked, &dominance->row,
                            &dominance->continuations_of, &dominance->later};
    return all[i];
}

static Rows *rows_at(Dominance *dominance, int i) {
    Rows *all[ROWS] = {&dominance->futures, &dominance->continuations, &dominance->finals};
    return all[i];
}

static Map *map_at(Dominance *dominance, int i) {
    Map *all[MAPS] = {&dominance->chains_at, &dominance->gains_at, &dominance->finals_at};
    return all[i];
}

void dominance_new(Dominance *dominance) {
    *dominance = (Dominance){.epoch = dominance->epoch + 1};
    for (int i = 0; i < VECTORS; i++) vector_at(dominance, i)->width = sizeof(int32_t);
    for (int i = 0; i < ROWS; i++) rows_new(rows_at(dominance, i));
    dominance->chains.width = sizeof(Chain), dominance->contenders.width = sizeof(Contender);
    dominance->gains.width = sizeof(Gain), dominance->asked.width = sizeof(Asked);
    dominance->later.width = sizeof(int64_t);
}

void dominance_free(Dominance *dominance) {
    for (int i = 0; i < VECTORS; i++) free(vector_at(dominance, i)->at);
    for (int i = 0; i < ROWS; i++) rows_free(rows_at(dominance, i));
    for (int i = 0; i < MAPS; i++) map_free(map_at(dominance, i));
    dominance_new(dominance);
}

size_t dominance_room(const Dominance *dominance) {
    size_t room = 0;
    for (int i = 0; i < ROWS; i++) room += rows_room(rows_at((Dominance *)dominance, i));
    for (int i = 0; i < MAPS; i++) {
        const Map *map = map_at((Dominance *)dominance, i);
        room += (map->room + map->spare_room) * sizeof(Slot);
    }
    for (int i = 0; i < VECTORS; i++) {
        const Vector *vector = vector_at((Dominance *)dominance, i);
        room += vector->room * vector->width;
    }
    return room;
}

/* Discard gaps with invalid keys. */
static void renew(Gaps *gaps, int64_t epoch) {
    if (gaps->epoch != epoch) {
        map_free(&gaps->at);
        gaps->gaps.used = 0;
        gaps->epoch = epoch;
    }
}

int dominance_begin(Dominance *dominance, int32_t tokens, int32_t constructions, Gaps *gaps) {
    size_t places = ((size_t)tokens + 1) * (size_t)constructions;
    if (!vector_of(&dominance->begins, places + 1)) return -1;
    for (size_t i = 0; i < places; i++) AT(int32_t, dominance->begins, i) = -1;
    dominance->pool.used = dominance->gains.used = 0;
    map_empty(&dominance->gains_at);
    renew(gaps, dominance->epoch);
    dominance->gaps = gaps;
    dominance->tokens = tokens, dominance->constructions = constructions;
    dominance->start = dominance->end = -1;
    return 0;
}

/* futures */

static int32_t *begin_of(const Dominance *dominance, int32_t number, int32_t position) {
    return &AT(int32_t, dominance->begins, (size_t)position * (size_t)dominance->constructions + (size_t)number);
}

int dominance_knows_future(const Dominance *dominance, int32_t number, int32_t position) {
    return *begin_of(dominance, number, position) >= 0;
}

/* Insert a class into the sorted list at the end of the pool, from `begin` on, unless it is there. */
static int insert(Vector *pool, size_t begin, int32_t read) {
    size_t at = pool->used;
    while (at > begin && AT(int32_t, *pool, at - 1) > read) at--;
    if (at > begin && AT(int32_t, *pool, at - 1) == read) return 0;
    if (add_number(pool, read) < 0) return -1;
    int32_t *list = (int32_t *)pool->at;
    memmove(list + at + 1, list + at, (pool->used - 1 - at) * sizeof *list);
    list[at] = read;
    return 0;
}

/* Insert the classes of `count` types into such a list. */
static int insert_types(Vector *pool, size_t begin, Automaton *automaton, const int32_t *types, int32_t size) {
    for (int32_t i = 0; i < size; i++) {
        int32_t read;
        if (automaton_class(automaton, types[i], &read) < 0 || insert(pool, begin, read) < 0) return -1;
    }
    return 0;
}

static int32_t place_in(const int32_t *list, int32_t read) {
    int32_t place = 0;
    while (list[place] != read) place++;
    return place;
}

/* Return the number of the continuations of the deferred properties, given the classes and the number of positions. */
static int32_t find_continuations(Dominance *dominance, Automaton *automaton, int32_t number, const int32_t *classes,
                            int32_t size, int32_t room) {
    int is_new;
    int32_t properties = automaton->properties, *row = vector_of(&dominance->row, (size_t)size + 2);
    if (!row) return -1;
    row[0] = number, row[1] = room;
    memcpy(row + 2, classes, (size_t)size * sizeof *row);
    int32_t future = rows_put(&dominance->futures, &dominance->row, &is_new);
    if (future < 0 || !is_new) return future < 0 ? -1 : AT(int32_t, dominance->continuations_of, future);
    row = vector_of(&dominance->row, (size_t)properties + 1);
    if (!row || automaton_continuation(automaton, classes, size, room, row + 1) < 0) return -1;
    row[0] = number;
    int32_t continuations = rows_put(&dominance->continuations, &dominance->row, &is_new);
    return continuations < 0 || add_number(&dominance->continuations_of, continuations) < 0 ? -1 : continuations;
}

/* Count the row at the end of the pool with an equal one from `begin` on; return 1 if there is one. */
static int is_known_row(Vector *pool, size_t begin, size_t row) {
    int32_t *list = (int32_t *)pool->at;
    size_t size = pool->used - row - 1;
    for (size_t other = begin; other < row; other += 2 + (size_t)list[other + 1])
        if (memcmp(list + other + 1, list + row + 1, size * sizeof *list) == 0) {
            list[other]++;
            pool->used = row;
            return 1;
        }
    return 0;
}

/* Layout in the pool: numbers of classes here, classes later, kinds of later positions; continuations; the classes;
 * rows. */
int dominance_note_future(Dominance *dominance, Automaton *automaton, int32_t number, int32_t position,
                      const int32_t *types) {
    Vector *pool = &dominance->pool;
    int32_t positions = dominance->tokens - position - 1;
    size_t begin = pool->used, here = begin + 4, later;
    for (int i = 0; i < 4; i++)
        if (add_number(pool, 0) < 0) return -1;
    if (insert_types(pool, here, automaton, types + 1, types[0]) < 0) return -1;
    later = pool->used;
    types += 1 + types[0];
    const int32_t *each = types;
    for (int32_t i = 0; i < positions; i++, each += 1 + each[0])
        if (insert_types(pool, later, automaton, each + 1, each[0]) < 0) return -1;
    int32_t next = (int32_t)(later - here), rest = (int32_t)(pool->used - later);
    size_t rows = pool->used;
    int32_t kinds = 0;
    for (int32_t i = 0; i < positions; i++, types += 1 + types[0]) {
        size_t row = pool->used;
        if (add_number(pool, 1) < 0 || add_number(pool, 0) < 0 ||
            insert_types(pool, row + 2, automaton, types + 1, types[0]) < 0)
            return -1;
        int32_t *list = (int32_t *)pool->at;
        list[row + 1] = (int32_t)(pool->used - row - 2);
        for (size_t k = row + 2; k < pool->used; k++) list[k] = place_in(list + later, list[k]);
        kinds += !is_known_row(pool, rows, row);
    }
    size_t all = pool->used; /* temporarily: both lists of classes together */
    for (int32_t i = 0; i < next + rest; i++)
        if (insert(pool, all, AT(int32_t, *pool, here + (size_t)i)) < 0) return -1;
    const int32_t *classes = (const int32_t *)pool->at + all;
    int32_t size = (int32_t)(pool->used - all);
    int32_t continuations = find_continuations(dominance, automaton, number, classes, size, positions + 1);
    if (continuations < 0) return -1;
    pool->used = all;
    int32_t *about = (int32_t *)pool->at + begin;
    about[0] = next, about[1] = rest, about[2] = kinds, about[3] = continuations;
    *begin_of(dominance, number, position) = (int32_t)begin;
    return 0;
}

static Future future_of(const Dominance *dominance, int32_t number, int32_t position) {
    const int32_t *about = (const int32_t *)dominance->pool.at + *begin_of(dominance, number, position);
    Future future = {.here = about + 4, .next = about[0], .rest = about[1], .kinds = about[2], .continuations = about[3]};
    future.later = future.here + future.next;
    future.rows = future.later + future.rest;
    return future;
}

/* comparison */

static int lower(int64_t *gap, int64_t change) {
    if (*gap == LOST || change == LOST)
        *gap = LOST;
    else if (__builtin_add_overflow(*gap, change, gap))
        return overflowed();
    return 0;
}

/* Return how many distances make a difference to the gain of a later class. */
static inline int32_t most_skipped(const Automaton *automaton) { return automaton->reach > 1 ? automaton->reach : 1; }

/* Return the gap that remains after the worst classes, each at the worst distance. */
static int follow(Dominance *dominance, const Future *future, const Gain *mine, const Gain *yours, int32_t distances,
                  int is_licensed, int64_t *gap) {
    int64_t worst = 0;
    for (int32_t i = 0; i < future->next; i++)
        if (lower_to_gap(mine[i], yours[i], is_licensed, &worst) < 0) return -1;
    if (lower(gap, worst) < 0) return -1;
    mine += future->next, yours += future->next;
    int64_t *later = vector_of(&dominance->later, (size_t)future->rest + 1), least = 0;
    if (!later) return -1;
    for (int32_t k = 0; k < future->rest; k++) {
        later[k] = 0;
        for (int32_t i = k; i < distances * future->rest; i += future->rest)
            if (lower_to_gap(mine[i], yours[i], is_licensed, &later[k]) < 0) return -1;
        least = later[k] < least ? later[k] : least;
    }
    const int32_t *row = future->rows;
    for (int32_t i = 0; i < future->kinds && *gap > 0 && least < 0; i++, row += 2 + row[1]) {
        worst = 0;
        for (int32_t k = 2; k < 2 + row[1]; k++) worst = later[row[k]] < worst ? later[row[k]] : worst;
        if (worst != LOST && __builtin_mul_overflow(worst, row[0], &worst)) return overflowed();
        if (lower(gap, worst) < 0) return -1;
    }
    return 0;
}

/* Find the row of a contender's final counts of the deferred properties. */
static int find_finals(Dominance *dominance, Automaton *automaton, const Future *future, Contender *contender) {
    if (contender->finals >= 0) return 0;
    int32_t property_row = automaton_row_of(automaton, contender->state);
    uint64_t key = ((uint64_t)future->continuations << 32) | (uint64_t)property_row;
    contender->finals = map_get(&dominance->finals_at, key);
    if (contender->finals != ABSENT) return 0;
    size_t size;
    int is_new;
    const int32_t *continuations = row_of(&dominance->continuations, future->continuations, &size);
    int32_t *row = vector_of(&dominance->row, size);
    if (!row) return -1;
    row[0] = continuations[0];
    for (size_t i = 1; i < size; i++) {
        int32_t property_state = automaton_property_row(automaton, property_row)[i - 1];
        if (automaton_finals(automaton, property_state, continuations[i], &row[i]) < 0) return -1;
    }
    int32_t made = rows_put(&dominance->finals, &dominance->row, &is_new);
    contender->finals = made < 0 ? -1 : map_put(&dominance->finals_at, key, made, &is_new);
    return contender->finals < 0 ? -1 : 0;
}

/* Compute the gains of each class after a contender, as the next one, then as a later one at each distance.
 * Spans with the same end share states. */
static int find_gains(Dominance *dominance, Weighted *weighted, const Future *future, int32_t number,
                      Contender *contender) {
    if (contender->gains >= 0) return 0;
    int is_new;
    uint64_t key = ((uint64_t)number << 36) | ((uint64_t)dominance->end << 24) | (uint64_t)contender->state;
    contender->gains = map_put(&dominance->gains_at, key, (int32_t)dominance->gains.used, &is_new);
    if (contender->gains < 0 || !is_new) return contender->gains < 0 ? -1 : 0;
    int32_t distances = most_skipped(weighted->automaton), size = future->next + distances * future->rest;
    for (int32_t i = 0; i < size; i++)
        if (!vector_add(&dominance->gains)) return -1;
    Gain *gains = (Gain *)dominance->gains.at + contender->gains;
    if (weighted_gains(weighted, contender->state, future->here, future->next, 0, gains) < 0) return -1;
    gains += future->next;
    for (int32_t skipped = 1; skipped <= distances; skipped++, gains += future->rest)
        if (weighted_gains(weighted, contender->state, future->later, future->rest, skipped, gains) < 0) return -1;
    return 0;
}

/* Return the gap due to the final counts of the deferred properties. */
static int gap_by_finals(Dominance *dominance, const Weighted *weighted, int32_t mine, int32_t yours, int is_licensed,
                         int64_t *gap) {
    int is_new;
    Gaps *gaps = dominance->gaps;
    uint64_t key = ((uint64_t)mine << 32) | ((uint64_t)yours << 1) | (uint64_t)is_licensed;
    int32_t at = map_put(&gaps->at, key, (int32_t)gaps->gaps.used, &is_new);
    int64_t *known = at < 0 ? NULL : is_new ? vector_add(&gaps->gaps) : &AT(int64_t, gaps->gaps, at);
    if (!known) return -1;
    if (is_new) {
        size_t size;
        const int32_t *ours = row_of(&dominance->finals, mine, &size);
        const int32_t *theirs = row_of(&dominance->finals, yours, &size);
        *known = 0;
        for (size_t i = 1; i < size; i++) {
            int64_t least;
            if (weighted_gap(weighted, (int32_t)i - 1, ours[i], theirs[i], is_licensed, &least) < 0 ||
                lower(known, least) < 0)
                return -1;
        }
    }
    *gap = *known;
    return 0;
}

/* Return the gap of a contender over the queried one, without the effect of the order of what follows. */
static int gap_of(Dominance *dominance, const Weighted *weighted, const Contender *contender, const Contender *fresh,
                  int64_t *gap) {
    if (__builtin_sub_overflow(fresh->value, contender->value, gap)) return overflowed();
    if (contender->finals == fresh->finals) return 0;
    Asked *asked = &AT(Asked, dominance->asked, 2 * (size_t)contender->finals + (size_t)contender->is_licensed);
    if (asked->question != dominance->questions) {
        if (gap_by_finals(dominance, weighted, contender->finals, fresh->finals, contender->is_licensed, &asked->gap) <
            0)
            return -1;
        asked->question = dominance->questions;
    }
    return lower(gap, asked->gap);
}

/* Make room for the gaps over another queried contender. */
static int ask_anew(Dominance *dominance) {
    dominance->questions++;
    while (dominance->asked.used < 2 * dominance->finals.begins.used) {
        Asked *asked = vector_add(&dominance->asked);
        if (!asked) return -1;
        *asked = (Asked){0, 0};
    }
    return 0;
}

/* Return 1 if one of a chain beats the contender. An unlicensed one beats no licensed one, and none without H4. */
static int is_beaten(Dominance *dominance, Weighted *weighted, const Unfinished *unfinished, int32_t first,
                     Contender *fresh) {
    if (first < 0) return 0;
    Future future = future_of(dominance, unfinished->number, unfinished->end);
    if (find_finals(dominance, weighted->automaton, &future, &AT(Contender, dominance->contenders, first)) < 0 ||
        find_finals(dominance, weighted->automaton, &future, fresh) < 0 || ask_anew(dominance) < 0)
        return -1; /* those of the others were computed earlier */
    Contender *contenders = (Contender *)dominance->contenders.at; /* nothing is added here */
    int unlicensed_never = fresh->is_licensed || !weighted->automaton->needs_satisfied;
    for (int32_t i = first; i >= 0; i = contenders[i].next) {
        Contender *contender = &contenders[i];
        int64_t gap;
        if (unlicensed_never && !contender->is_licensed) continue;
        if (gap_of(dominance, weighted, contender, fresh, &gap) < 0) return -1;
        if (gap <= 0) continue;
        if (find_gains(dominance, weighted, &future, unfinished->number, contender) < 0 ||
            find_gains(dominance, weighted, &future, unfinished->number, fresh) < 0)
            return -1;
        const Gain *gains = (const Gain *)dominance->gains.at;
        if (follow(dominance, &future, gains + contender->gains, gains + fresh->gains,
                   most_skipped(weighted->automaton), contender->is_licensed, &gap) < 0)
            return -1;
        if (gap > 0) return 1;
    }
    return 0;
}

/* Append an unbeaten item to its chain. */
static int keep(Dominance *dominance, int32_t chain, const Contender *fresh) {
    int32_t at = (int32_t)dominance->contenders.used;
    Contender *kept = vector_add(&dominance->contenders);
    if (!kept) return -1;
    *kept = *fresh;
    Chain *all = &AT(Chain, dominance->chains, chain);
    if (all->tail >= 0)
        AT(Contender, dominance->contenders, all->tail).next = at;
    else
        all->head = at;
    all->tail = at;
    return 0;
}

int dominance_beaten_or_recorded(Dominance *dominance, Weighted *weighted, const Unfinished *unfinished) {
    if (unfinished->start != dominance->start || unfinished->end != dominance->end) {
        dominance->start = unfinished->start, dominance->end = unfinished->end;
        dominance->chains.used = dominance->contenders.used = 0;
        map_empty(&dominance->chains_at);
    }
    size_t size;
    int64_t irreparable;
    Automaton *automaton = weighted->automaton;
    int32_t contributions = automaton_state(automaton, unfinished->state, &size)[CONTRIBUTIONS];
    int is_licensed = automaton_is_licensed(automaton, unfinished->state);
    if (weighted_irreparable_cost(weighted, unfinished->state, &irreparable) < 0) return -1;
    Contender fresh = {.state = unfinished->state, .next = -1, .is_licensed = is_licensed, .gains = -1, .finals = -1};
    if (__builtin_sub_overflow(unfinished->value, irreparable, &fresh.value)) return overflowed();
    int is_new;
    uint64_t key = ((uint64_t)unfinished->number << 32) | (uint64_t)contributions;
    int32_t chain = map_put(&dominance->chains_at, key, (int32_t)dominance->chains.used, &is_new);
    Chain *all = chain < 0 ? NULL : is_new ? vector_add(&dominance->chains) : &AT(Chain, dominance->chains, chain);
    if (!all) return -1;
    if (is_new) *all = (Chain){-1, -1};
    int beaten = is_beaten(dominance, weighted, unfinished, all->head, &fresh);
    return beaten ? beaten : keep(dominance, chain, &fresh);
}
