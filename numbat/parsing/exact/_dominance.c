#define Py_LIMITED_API 0x030B0000
#include "_dominance.h"

#include <string.h>

typedef struct { /* what may follow, in the pool */
    const int32_t *here;  /* letters that may come next */
    const int32_t *later; /* letters that may come after that, each once */
    const int32_t *rows;  /* of later positions: how many are alike, the number of letters, their places among those */
    int32_t next, rest, kinds; /* `kinds` of later positions */
    int32_t comings; /* the number of what may come to the deferred properties */
} Future;

typedef struct {
    int32_t state, next, sure;
    int32_t gains, outlooks; /* where they begin and the number of these, -1 until they are asked for */
    int64_t value;           /* but for what it stays with */
} Rival;

typedef struct { /* a lead, and the how manieth question it is the answer to */
    int64_t lead, question;
} Asked;

typedef struct { /* the unbeaten ones that come to have the same features, from the first on */
    int32_t head, tail;
} Chain;

enum { VECTORS = 10, ROWS = 3, MAPS = 4 };

static Vector *vector_at(Dominance *dominance, int i) {
    Vector *all[VECTORS] = {&dominance->begins, &dominance->pool,  &dominance->chains, &dominance->rivals,
                            &dominance->gains,  &dominance->asked, &dominance->leads,  &dominance->row,
                            &dominance->comings_of, &dominance->later};
    return all[i];
}

static Rows *rows_at(Dominance *dominance, int i) {
    Rows *all[ROWS] = {&dominance->futures, &dominance->comings, &dominance->outlooks};
    return all[i];
}

static Map *map_at(Dominance *dominance, int i) {
    Map *all[MAPS] = {&dominance->chains_at, &dominance->gains_at, &dominance->outlooks_at, &dominance->leads_at};
    return all[i];
}

void dominance_new(Dominance *dominance) {
    *dominance = (Dominance){0};
    for (int i = 0; i < VECTORS; i++) vector_at(dominance, i)->width = sizeof(int32_t);
    for (int i = 0; i < ROWS; i++) rows_new(rows_at(dominance, i));
    dominance->chains.width = sizeof(Chain), dominance->rivals.width = sizeof(Rival);
    dominance->gains.width = sizeof(Gain), dominance->asked.width = sizeof(Asked);
    dominance->leads.width = dominance->later.width = sizeof(int64_t);
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

int dominance_begin(Dominance *dominance, int32_t tokens, int32_t constructions) {
    size_t places = ((size_t)tokens + 1) * (size_t)constructions;
    if (!vector_of(&dominance->begins, places + 1)) return -1;
    for (size_t i = 0; i < places; i++) AT(int32_t, dominance->begins, i) = -1;
    dominance->pool.used = dominance->gains.used = 0;
    map_empty(&dominance->gains_at);
    dominance->tokens = tokens, dominance->constructions = constructions;
    dominance->start = dominance->end = -1;
    return 0;
}

/* what may follow */

static int32_t *begin_of(const Dominance *dominance, int32_t number, int32_t position) {
    return &AT(int32_t, dominance->begins, (size_t)position * (size_t)dominance->constructions + (size_t)number);
}

int dominance_foresees(const Dominance *dominance, int32_t number, int32_t position) {
    return *begin_of(dominance, number, position) >= 0;
}

/* Put a letter into the sorted list that begins at `begin` in the pool and ends with it, once. */
static int insert(Vector *pool, size_t begin, int32_t letter) {
    size_t at = pool->used;
    while (at > begin && AT(int32_t, *pool, at - 1) > letter) at--;
    if (at > begin && AT(int32_t, *pool, at - 1) == letter) return 0;
    if (add_number(pool, letter) < 0) return -1;
    int32_t *list = (int32_t *)pool->at;
    memmove(list + at + 1, list + at, (pool->used - 1 - at) * sizeof *list);
    list[at] = letter;
    return 0;
}

/* Put the letters of so many looks into such a list. */
static int insert_looks(Vector *pool, size_t begin, Automaton *automaton, const int32_t *looks, int32_t size) {
    for (int32_t i = 0; i < size; i++) {
        int32_t letter;
        if (automaton_letter(automaton, looks[i], &letter) < 0 || insert(pool, begin, letter) < 0) return -1;
    }
    return 0;
}

static int32_t place_in(const int32_t *list, int32_t letter) {
    int32_t place = 0;
    while (list[place] != letter) place++;
    return place;
}

/* The number of what may come to the deferred properties where such letters may, on so many positions. */
static int32_t find_comings(Dominance *dominance, Automaton *automaton, int32_t number, const int32_t *letters,
                            int32_t size, int32_t room) {
    int is_new;
    int32_t properties = automaton_properties(automaton), *row = vector_of(&dominance->row, (size_t)size + 2);
    if (!row) return -1;
    row[0] = number, row[1] = room;
    memcpy(row + 2, letters, (size_t)size * sizeof *row);
    int32_t future = rows_put(&dominance->futures, &dominance->row, &is_new);
    if (future < 0 || !is_new) return future < 0 ? -1 : AT(int32_t, dominance->comings_of, future);
    row = vector_of(&dominance->row, (size_t)properties + 1);
    if (!row || automaton_future(automaton, letters, size, room, row + 1) < 0) return -1;
    row[0] = number;
    int32_t comings = rows_put(&dominance->comings, &dominance->row, &is_new);
    return comings < 0 || add_number(&dominance->comings_of, comings) < 0 ? -1 : comings;
}

/* Count the row at the end of the pool to one that is like it among those from `begin` on; whether there is one. */
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

/* In the pool: numbers of letters here, of letters later, of kinds of later positions, of what may come; these letters;
 * rows. */
int dominance_foresee(Dominance *dominance, Automaton *automaton, int32_t number, int32_t position,
                      const int32_t *looks) {
    Vector *pool = &dominance->pool;
    int32_t positions = dominance->tokens - position - 1;
    size_t begin = pool->used, here = begin + 4, later;
    for (int i = 0; i < 4; i++)
        if (add_number(pool, 0) < 0) return -1;
    if (insert_looks(pool, here, automaton, looks + 1, looks[0]) < 0) return -1;
    later = pool->used;
    looks += 1 + looks[0];
    const int32_t *each = looks;
    for (int32_t i = 0; i < positions; i++, each += 1 + each[0])
        if (insert_looks(pool, later, automaton, each + 1, each[0]) < 0) return -1;
    int32_t next = (int32_t)(later - here), rest = (int32_t)(pool->used - later);
    size_t rows = pool->used;
    int32_t kinds = 0;
    for (int32_t i = 0; i < positions; i++, looks += 1 + looks[0]) {
        size_t row = pool->used;
        if (add_number(pool, 1) < 0 || add_number(pool, 0) < 0 ||
            insert_looks(pool, row + 2, automaton, looks + 1, looks[0]) < 0)
            return -1;
        int32_t *list = (int32_t *)pool->at;
        list[row + 1] = (int32_t)(pool->used - row - 2);
        for (size_t k = row + 2; k < pool->used; k++) list[k] = place_in(list + later, list[k]);
        kinds += !is_known_row(pool, rows, row);
    }
    size_t all = pool->used; /* both kinds of letters together, for a while */
    for (int32_t i = 0; i < next + rest; i++)
        if (insert(pool, all, AT(int32_t, *pool, here + (size_t)i)) < 0) return -1;
    const int32_t *letters = (const int32_t *)pool->at + all;
    int32_t comings = find_comings(dominance, automaton, number, letters, (int32_t)(pool->used - all), positions + 1);
    if (comings < 0) return -1;
    pool->used = all;
    int32_t *about = (int32_t *)pool->at + begin;
    about[0] = next, about[1] = rest, about[2] = kinds, about[3] = comings;
    *begin_of(dominance, number, position) = (int32_t)begin;
    return 0;
}

static Future future_of(const Dominance *dominance, int32_t number, int32_t position) {
    const int32_t *about = (const int32_t *)dominance->pool.at + *begin_of(dominance, number, position);
    Future future = {.here = about + 4, .next = about[0], .rest = about[1], .kinds = about[2], .comings = about[3]};
    future.later = future.here + future.next;
    future.rows = future.later + future.rest;
    return future;
}

/* what beats what */

static int lower(int64_t *lead, int64_t change) {
    if (*lead == LOST || change == LOST)
        *lead = LOST;
    else if (__builtin_add_overflow(*lead, change, lead))
        return overflowed();
    return 0;
}

/* The lead that is left after the worst letters. */
static int follow(Dominance *dominance, const Future *future, const Gain *mine, const Gain *yours, int sure,
                  int64_t *lead) {
    int64_t worst = 0;
    for (int32_t i = 0; i < future->next; i++)
        if (lower_to_lead(mine[i], yours[i], sure, &worst) < 0) return -1;
    if (lower(lead, worst) < 0) return -1;
    mine += future->next, yours += future->next;
    int64_t *later = vector_of(&dominance->later, (size_t)future->rest + 1), least = 0;
    if (!later) return -1;
    for (int32_t k = 0; k < future->rest; k++) {
        later[k] = 0;
        if (lower_to_lead(mine[k], yours[k], sure, &later[k]) < 0) return -1;
        least = later[k] < least ? later[k] : least;
    }
    const int32_t *row = future->rows;
    for (int32_t i = 0; i < future->kinds && *lead > 0 && least < 0; i++, row += 2 + row[1]) {
        worst = 0;
        for (int32_t k = 2; k < 2 + row[1]; k++) worst = later[row[k]] < worst ? later[row[k]] : worst;
        if (worst != LOST && __builtin_mul_overflow(worst, row[0], &worst)) return overflowed();
        if (lower(lead, worst) < 0) return -1;
    }
    return 0;
}

/* Find the row of the outlooks of the deferred properties of a rival. */
static int find_outlooks(Dominance *dominance, Automaton *automaton, const Future *future, Rival *rival) {
    if (rival->outlooks >= 0) return 0;
    Standing standing;
    automaton_standing(automaton, rival->state, &standing);
    uint64_t key = ((uint64_t)future->comings << 32) | (uint64_t)standing.reads;
    rival->outlooks = map_get(&dominance->outlooks_at, key);
    if (rival->outlooks != ABSENT) return 0;
    size_t size;
    int is_new;
    const int32_t *comings = row_of(&dominance->comings, future->comings, &size);
    int32_t *row = vector_of(&dominance->row, size);
    if (!row) return -1;
    row[0] = comings[0];
    for (size_t i = 1; i < size; i++) {
        int32_t reading = automaton_reads(automaton, standing.reads)[i - 1];
        if (automaton_outlook(automaton, reading, comings[i], &row[i]) < 0) return -1;
    }
    int32_t made = rows_put(&dominance->outlooks, &dominance->row, &is_new);
    rival->outlooks = made < 0 ? -1 : map_put(&dominance->outlooks_at, key, made, &is_new);
    return rival->outlooks < 0 ? -1 : 0;
}

/* Find what each letter gains after a rival: spans that end alike have the same states. */
static int find_gains(Dominance *dominance, Automaton *automaton, const Future *future, int32_t number, Rival *rival) {
    if (rival->gains >= 0) return 0;
    int is_new;
    uint64_t key = ((uint64_t)number << 36) | ((uint64_t)dominance->end << 24) | (uint64_t)rival->state;
    rival->gains = map_put(&dominance->gains_at, key, (int32_t)dominance->gains.used, &is_new);
    if (rival->gains < 0 || !is_new) return rival->gains < 0 ? -1 : 0;
    int32_t size = future->next + future->rest; /* letters later stand behind those here */
    for (int32_t i = 0; i < size; i++)
        if (!vector_add(&dominance->gains)) return -1;
    Gain *gains = (Gain *)dominance->gains.at + rival->gains;
    return automaton_gains(automaton, rival->state, future->here, size, future->next, gains);
}

/* The lead that outlooks have over others. */
static int lead_by(Dominance *dominance, const Automaton *automaton, int32_t mine, int32_t yours, int sure,
                   int64_t *lead) {
    int is_new;
    uint64_t key = ((uint64_t)mine << 32) | ((uint64_t)yours << 1) | (uint64_t)sure;
    int32_t at = map_put(&dominance->leads_at, key, (int32_t)dominance->leads.used, &is_new);
    int64_t *known = at < 0 ? NULL : is_new ? vector_add(&dominance->leads) : &AT(int64_t, dominance->leads, at);
    if (!known) return -1;
    if (is_new) {
        size_t size;
        const int32_t *ours = row_of(&dominance->outlooks, mine, &size);
        const int32_t *theirs = row_of(&dominance->outlooks, yours, &size);
        *known = 0;
        for (size_t i = 1; i < size; i++) {
            int64_t least;
            if (automaton_lead(automaton, ours[i], theirs[i], sure, &least) < 0 || lower(known, least) < 0) return -1;
        }
    }
    *lead = *known;
    return 0;
}

/* The lead of a rival over the one that is asked about, but for letters. */
static int lead_of(Dominance *dominance, const Automaton *automaton, const Rival *rival, const Rival *fresh,
                   int64_t *lead) {
    if (__builtin_sub_overflow(fresh->value, rival->value, lead)) return overflowed();
    if (rival->outlooks == fresh->outlooks) return 0;
    Asked *asked = &AT(Asked, dominance->asked, 2 * (size_t)rival->outlooks + (size_t)rival->sure);
    if (asked->question != dominance->questions) {
        if (lead_by(dominance, automaton, rival->outlooks, fresh->outlooks, rival->sure, &asked->lead) < 0) return -1;
        asked->question = dominance->questions;
    }
    return lower(lead, asked->lead);
}

/* Make room for the leads over one more that is asked about. */
static int ask_anew(Dominance *dominance) {
    dominance->questions++;
    while (dominance->asked.used < 2 * dominance->outlooks.begins.used) {
        Asked *asked = vector_add(&dominance->asked);
        if (!asked) return -1;
        *asked = (Asked){0, 0};
    }
    return 0;
}

/* Whether one of a chain beats it: what is not sure to be a phrase cannot beat what is, nor anything without H4. */
static int is_beaten(Dominance *dominance, Automaton *automaton, const Unfinished *unfinished, int32_t first,
                     Rival *fresh) {
    if (first < 0) return 0;
    Future future = future_of(dominance, unfinished->number, unfinished->end);
    if (find_outlooks(dominance, automaton, &future, &AT(Rival, dominance->rivals, first)) < 0 ||
        find_outlooks(dominance, automaton, &future, fresh) < 0 || ask_anew(dominance) < 0)
        return -1; /* those of the others were found when they were fresh */
    for (int32_t i = first; i >= 0; i = AT(Rival, dominance->rivals, i).next) {
        Rival *rival = &AT(Rival, dominance->rivals, i);
        int64_t lead;
        if (!rival->sure && (fresh->sure || !automaton_needs_held(automaton))) continue;
        if (lead_of(dominance, automaton, rival, fresh, &lead) < 0) return -1;
        if (lead <= 0) continue;
        if (find_gains(dominance, automaton, &future, unfinished->number, rival) < 0 ||
            find_gains(dominance, automaton, &future, unfinished->number, fresh) < 0)
            return -1;
        const Gain *gains = (const Gain *)dominance->gains.at;
        if (follow(dominance, &future, gains + rival->gains, gains + fresh->gains, rival->sure, &lead) < 0) return -1;
        if (lead > 0) return 1;
    }
    return 0;
}

/* Keep an unbeaten one at the end of its chain. */
static int keep(Dominance *dominance, int32_t chain, const Rival *fresh) {
    int32_t at = (int32_t)dominance->rivals.used;
    Rival *kept = vector_add(&dominance->rivals);
    if (!kept) return -1;
    *kept = *fresh;
    Chain *all = &AT(Chain, dominance->chains, chain);
    if (all->tail >= 0)
        AT(Rival, dominance->rivals, all->tail).next = at;
    else
        all->head = at;
    all->tail = at;
    return 0;
}

int dominance_beats(Dominance *dominance, Automaton *automaton, const Unfinished *unfinished) {
    if (unfinished->start != dominance->start || unfinished->end != dominance->end) {
        dominance->start = unfinished->start, dominance->end = unfinished->end;
        dominance->chains.used = dominance->rivals.used = 0;
        map_empty(&dominance->chains_at);
    }
    Standing standing;
    automaton_standing(automaton, unfinished->state, &standing);
    int sure = automaton_is_sure(automaton, unfinished->state);
    Rival fresh = {.state = unfinished->state, .next = -1, .sure = sure, .gains = -1, .outlooks = -1};
    if (__builtin_sub_overflow(unfinished->value, standing.doomed, &fresh.value)) return overflowed();
    int is_new;
    uint64_t key = ((uint64_t)unfinished->number << 32) | (uint64_t)standing.firsts;
    int32_t chain = map_put(&dominance->chains_at, key, (int32_t)dominance->chains.used, &is_new);
    Chain *all = chain < 0 ? NULL : is_new ? vector_add(&dominance->chains) : &AT(Chain, dominance->chains, chain);
    if (!all) return -1;
    if (is_new) *all = (Chain){-1, -1};
    int beaten = is_beaten(dominance, automaton, unfinished, all->head, &fresh);
    return beaten ? beaten : keep(dominance, chain, &fresh);
}
