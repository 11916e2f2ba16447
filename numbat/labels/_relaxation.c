/* Finite-state constraint relaxation: the same search as in python_relaxation.py, with the same items in order. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING (-((int64_t)1 << 62)) /* label_lattice.NO_END */
#define LARGEST 1e12                  /* label_lattice.MAX_SIZE, in millionths */
enum { HARD, SOFT, CHARGED };
enum { FOUND, INFEASIBLE, STOPPED };
enum { HEADER = 5 };
enum { LATTICE_ARRAYS = 6, PACK_ARRAYS = 4 };

typedef struct { /* python_relaxation.Automaton */
    int64_t mode, cost, states, width;
    const int32_t *next, *losses, *ends, *dead;
    const int32_t *columns; /* the column of each arc */
} Automaton;

enum {
    CONSTRAINTS_AN_ITEM = 8, /* python_relaxation.CONSTRAINTS_AN_ITEM */
    POPPED_BETWEEN_CHECKS = 64, /* items between two checks for signals */
};

typedef struct { /* python_relaxation.Branch */
    int64_t bound, inserted, paid, score;
    int32_t *added, *arcs; /* arcs: NULL before the product is searched */
    uint64_t *decided;
    Py_ssize_t adding, more, length;
} Branch;

typedef struct {
    int64_t total;
    int32_t state, before, arc;
} Item;

typedef struct {
    int64_t value;
    int32_t place, item;
} Waiting;

typedef struct {
    /* the lattice */
    const int32_t *first, *targets, *numbers, *places;
    const int64_t *scores, *ends;
    Py_ssize_t states, arcs;
    int64_t *to_end;
    /* the constraints */
    Automaton *automata;
    Py_ssize_t constraints, words; /* number of constraints, and of machine words in a bit set of them */
    int32_t **columns;             /* one array for each pack */
    Py_ssize_t packs;
    /* the branches that are not searched yet */
    Branch *agenda;
    Py_ssize_t branches_waiting, branches_room;
    int64_t inserted, intersections, branches, room;
    int64_t best_score;
    int32_t *best_arcs, *best_added;
    Py_ssize_t best_length, best_adding;
    int64_t *sizes;
    Py_ssize_t sizes_number, sizes_room;
    /* the product that is searched */
    Item *items;
    int32_t *inner, *after; /* states of the intersected constraints: for each item, and after a further arc */
    Waiting *heap;
    int32_t *known; /* hash table with the numbers of items, -1 in empty cells */
    Py_ssize_t made, items_room, inner_room, waiting, heap_room, known_room;
    const int32_t *added;
    Py_ssize_t adding;
} Search;

static void *grown(void *block, Py_ssize_t *room, Py_ssize_t needed, size_t size) {
    if (block && needed <= *room) return block;
    Py_ssize_t wanted = *room ? *room : 32;
    while (wanted < needed) wanted *= 2;
    void *larger = realloc(block, (size_t)wanted * size);
    if (larger) *room = wanted;
    return larger;
}

#define GROW(block, room, needed)                                          \
    do {                                                                   \
        void *larger_ = grown(block, &(room), (needed), sizeof *(block));  \
        if (!larger_) return -1;                                           \
        block = larger_;                                                   \
    } while (0)

/* Constraints on paths. */

static int64_t violations(const Automaton *automaton, const int32_t *arcs, Py_ssize_t length) {
    int64_t state = 0, total = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        int64_t at = state * automaton->width + automaton->columns[arcs[i]];
        total += automaton->losses[at];
        state = automaton->next[at];
    }
    return total + automaton->ends[state];
}

static int is_among(const int32_t *numbers, Py_ssize_t size, Py_ssize_t number) {
    for (Py_ssize_t i = 0; i < size; i++)
        if (numbers[i] == number) return 1;
    return 0;
}

static int64_t true_score(const Search *s, int64_t score, const int64_t *counts, const Branch *branch) {
    for (Py_ssize_t number = 0; number < s->constraints; number++) {
        if (!counts[number] || is_among(branch->added, branch->adding, number)) continue;
        if (s->automata[number].mode == HARD) return NOTHING;
        score -= s->automata[number].cost * counts[number];
    }
    return score;
}

static int is_more_urgent(const Search *s, int32_t left, int32_t right) {
    const Automaton *a = &s->automata[left], *b = &s->automata[right];
    int a_soft = a->mode == SOFT, b_soft = b->mode == SOFT;
    if (a_soft != b_soft) return b_soft;
    if (a_soft && a->cost != b->cost) return a->cost > b->cost;
    if (a->states != b->states) return a->states < b->states;
    return left < right;
}

/* Branches, as a heap: the highest bound comes first, among equals the one that was inserted first. */

static int comes_before(const Branch *a, const Branch *b) {
    return a->bound != b->bound ? a->bound > b->bound : a->inserted < b->inserted;
}

static void free_branch(Branch *branch) {
    free(branch->added);
    free(branch->arcs);
    free(branch->decided);
}

static int insert_branch(Search *s, Branch branch, int64_t bound) {
    branch.bound = bound;
    branch.inserted = s->inserted++;
    void *larger = grown(s->agenda, &s->branches_room, s->branches_waiting + 1, sizeof *s->agenda);
    if (!larger) {
        free_branch(&branch);
        return -1;
    }
    s->agenda = larger;
    Py_ssize_t at = s->branches_waiting++;
    while (at && comes_before(&branch, &s->agenda[(at - 1) / 2])) {
        s->agenda[at] = s->agenda[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->agenda[at] = branch;
    return 0;
}

static Branch take_branch(Search *s) {
    Branch first = s->agenda[0], last = s->agenda[--s->branches_waiting];
    Py_ssize_t at = 0, size = s->branches_waiting;
    for (;;) {
        Py_ssize_t child = 2 * at + 1;
        if (child >= size) break;
        if (child + 1 < size && comes_before(&s->agenda[child + 1], &s->agenda[child])) child++;
        if (!comes_before(&s->agenda[child], &last)) break;
        s->agenda[at] = s->agenda[child];
        at = child;
    }
    if (size) s->agenda[at] = last;
    return first;
}

static int32_t *copied(const int32_t *numbers, Py_ssize_t size, Py_ssize_t more) {
    int32_t *copy = malloc((size_t)(size + more + 1) * sizeof *copy);
    if (copy && size) memcpy(copy, numbers, (size_t)size * sizeof *copy);
    return copy;
}

/* The best labelling so far. */
static int keep_best(Search *s, const Branch *branch, int64_t score) {
    int32_t *arcs = copied(branch->arcs, branch->length, 0), *added = copied(branch->added, branch->adding, 0);
    if (!arcs || !added) {
        free(arcs);
        free(added);
        return -1;
    }
    free(s->best_arcs);
    free(s->best_added);
    s->best_score = score;
    s->best_arcs = arcs, s->best_length = branch->length;
    s->best_added = added, s->best_adding = branch->adding;
    return 0;
}

/* Insert the branch in which more constraints hold, and mark these as decided in the current branch, too. */
static int insert_holding(Search *s, Branch *branch, const int32_t *numbers, Py_ssize_t more, int64_t paid) {
    for (Py_ssize_t i = 0; i < more; i++) branch->decided[numbers[i] / 64] |= (uint64_t)1 << numbers[i] % 64;
    Branch holds = {.paid = paid, .adding = branch->adding + more, .more = more};
    holds.added = copied(branch->added, branch->adding, more);
    holds.decided = malloc((size_t)s->words * sizeof *holds.decided);
    if (!holds.added || !holds.decided) {
        free_branch(&holds);
        return -1;
    }
    memcpy(&holds.added[branch->adding], numbers, (size_t)more * sizeof *numbers);
    memcpy(holds.decided, branch->decided, (size_t)s->words * sizeof *holds.decided);
    return insert_branch(s, holds, branch->score - paid);
}

/* Insert one branch for all violated constraints that are not soft; if there are none, insert one in which the first
 * soft one holds, pay for it here, and go on with the next one. */
static int branch_on(Search *s, Branch *branch, int64_t *counts, int32_t *violated) {
    Py_ssize_t number_violated = 0;
    for (Py_ssize_t number = 0; number < s->constraints; number++) {
        counts[number] = violations(&s->automata[number], branch->arcs, branch->length);
        if (!counts[number] || branch->decided[number / 64] >> number % 64 & 1) continue;
        Py_ssize_t at = number_violated++;
        while (at && is_more_urgent(s, (int32_t)number, violated[at - 1])) {
            violated[at] = violated[at - 1];
            at--;
        }
        violated[at] = (int32_t)number;
    }
    int64_t score = true_score(s, branch->score, counts, branch);
    if (score > s->best_score && keep_best(s, branch, score) < 0) return -1;
    int64_t paid = branch->paid;
    Py_ssize_t without_choice = 0;
    while (without_choice < number_violated && s->automata[violated[without_choice]].mode != SOFT) without_choice++;
    if (without_choice) return insert_holding(s, branch, violated, without_choice, paid);
    for (Py_ssize_t i = 0; i < number_violated; i++) {
        int32_t number = violated[i];
        if (insert_holding(s, branch, &number, 1, paid) < 0) return -1;
        s->branches++;
        paid += s->automata[number].cost;
        if (branch->score - paid <= s->best_score) break;
    }
    return 0;
}

/* Search in the lattice alone. */

static void find_to_end(Search *s) {
    for (Py_ssize_t state = s->states; state-- > 0;) {
        int64_t best = s->ends[state];
        for (int32_t arc = s->first[state]; arc < s->first[state + 1]; arc++) {
            int64_t rest = s->to_end[s->targets[arc]];
            if (rest != NOTHING && rest + s->scores[arc] > best) best = rest + s->scores[arc];
        }
        s->to_end[state] = best;
    }
}

static int best_of_lattice(const Search *s, Branch *branch) {
    branch->arcs = malloc((size_t)(s->states + 1) * sizeof *branch->arcs);
    if (!branch->arcs) return -1;
    int32_t state = 0;
    while (s->to_end[state] != s->ends[state])
        for (int32_t arc = s->first[state]; arc < s->first[state + 1]; arc++) {
            int64_t rest = s->to_end[s->targets[arc]];
            if (rest == NOTHING || rest + s->scores[arc] != s->to_end[state]) continue;
            branch->arcs[branch->length++] = arc;
            state = s->targets[arc];
            break;
        }
    branch->score = s->to_end[0];
    return 0;
}

/* Best-first search in a product. */

static int waits_before(Waiting a, Waiting b) {
    if (a.value != b.value) return a.value > b.value;
    if (a.place != b.place) return a.place > b.place;
    return a.item < b.item;
}

static int push(Search *s, Waiting own) {
    GROW(s->heap, s->heap_room, s->waiting + 1);
    Py_ssize_t at = s->waiting++;
    while (at && waits_before(own, s->heap[(at - 1) / 2])) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = own;
    return 0;
}

static Waiting pop(Search *s) {
    Waiting first = s->heap[0], last = s->heap[--s->waiting];
    Py_ssize_t at = 0, size = s->waiting;
    for (;;) {
        Py_ssize_t child = 2 * at + 1;
        if (child >= size) break;
        if (child + 1 < size && waits_before(s->heap[child + 1], s->heap[child])) child++;
        if (!waits_before(s->heap[child], last)) break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    if (size) s->heap[at] = last;
    return first;
}

static uint64_t hash_of(int32_t state, const int32_t *inner, Py_ssize_t size) {
    uint64_t hash = (uint64_t)state * 0x9E3779B97F4A7C15u;
    for (Py_ssize_t i = 0; i < size; i++) hash = (hash ^ (uint64_t)inner[i]) * 0xD6E8FEB86659FD93u, hash ^= hash >> 32;
    return hash;
}

/* Return the cell of the table in which an item with these states is, or would be. */
static Py_ssize_t place_of(const Search *s, int32_t state, const int32_t *inner) {
    size_t mask = (size_t)s->known_room - 1, at = (size_t)hash_of(state, inner, s->adding) & mask;
    for (; s->known[at] >= 0; at = (at + 1) & mask) {
        int32_t item = s->known[at];
        if (s->items[item].state == state &&
            !memcmp(&s->inner[item * s->adding], inner, (size_t)s->adding * sizeof *inner))
            break;
    }
    return (Py_ssize_t)at;
}

/* Make the table empty, with `room` cells, a power of two; return -1 if there is no memory. */
static int clear_known(Search *s, Py_ssize_t room) {
    if (room != s->known_room) {
        int32_t *known = realloc(s->known, (size_t)room * sizeof *known);
        if (!known) return -1;
        s->known = known, s->known_room = room;
    }
    memset(s->known, -1, (size_t)s->known_room * sizeof *s->known);
    return 0;
}

/* Double the table; among items with the same states it keeps the last one, which has the highest total. */
static int enlarge_known(Search *s) {
    if (clear_known(s, 2 * s->known_room) < 0) return -1;
    for (Py_ssize_t item = 0; item < s->made; item++)
        if (s->items[item].arc >= 0 || item == 0)
            s->known[place_of(s, s->items[item].state, &s->inner[item * s->adding])] = (int32_t)item;
    return 0;
}

/* Make an item with the states `inner`; return -1 if there is no memory, -2 if the limit on items is reached. */
static int make_item(Search *s, Item item, const int32_t *inner) {
    if (s->made && (s->room -= 1 + s->adding / CONSTRAINTS_AN_ITEM) < 0) return -2;
    GROW(s->items, s->items_room, s->made + 1);
    GROW(s->inner, s->inner_room, (s->made + 1) * s->adding + 1);
    s->items[s->made] = item;
    if (s->adding) memcpy(&s->inner[s->made * s->adding], inner, (size_t)s->adding * sizeof *inner);
    s->made++;
    return 0;
}

/* Write the states of the constraints after a further arc to s->after; return the total minus their charges, or NOTHING
 * if the arc is forbidden. */
static int64_t stepped(Search *s, Py_ssize_t item, int32_t arc, int64_t total) {
    for (Py_ssize_t i = 0; i < s->adding; i++) {
        const Automaton *automaton = &s->automata[s->added[i]];
        int64_t at = s->inner[item * s->adding + i] * automaton->width + automaton->columns[arc];
        int32_t to = automaton->next[at];
        if (automaton->mode != CHARGED) {
            if (automaton->dead[to]) return NOTHING;
        } else {
            total -= automaton->losses[at] * automaton->cost;
        }
        s->after[i] = to;
    }
    return total;
}

static int64_t ended(const Search *s, Py_ssize_t item, int64_t total) {
    for (Py_ssize_t i = 0; i < s->adding; i++) {
        const Automaton *automaton = &s->automata[s->added[i]];
        int32_t end = automaton->ends[s->inner[item * s->adding + i]];
        if (automaton->mode == CHARGED)
            total -= end * automaton->cost;
        else if (end)
            return NOTHING;
    }
    return total;
}

/* Make the items that are one arc further than an item; return -1 or -2 as make_item does. */
static int extend(Search *s, Py_ssize_t item, int64_t cutoff, int64_t *looked_at) {
    int32_t state = s->items[item].state;
    int64_t total = s->items[item].total;
    if (s->ends[state] != NOTHING) {
        int64_t whole = ended(s, item, total + s->ends[state]);
        if (whole > cutoff) {
            int status = make_item(s, (Item){whole, state, (int32_t)item, -1}, s->after);
            if (status < 0) return status;
            if (push(s, (Waiting){whole, (int32_t)s->states, (int32_t)(s->made - 1)}) < 0) return -1;
        }
    }
    for (int32_t arc = s->first[state]; arc < s->first[state + 1]; arc++) {
        ++*looked_at;
        int32_t target = s->targets[arc];
        int64_t rest = s->to_end[target];
        if (rest == NOTHING) continue;
        int64_t after = stepped(s, item, arc, total + s->scores[arc]);
        if (after == NOTHING || after + rest <= cutoff) continue;
        Py_ssize_t place = place_of(s, target, s->after);
        if (s->known[place] >= 0 && s->items[s->known[place]].total >= after) continue;
        int status = make_item(s, (Item){after, target, (int32_t)item, arc}, s->after);
        if (status < 0) return status;
        s->known[place] = (int32_t)(s->made - 1);
        if (push(s, (Waiting){after + rest, target, (int32_t)(s->made - 1)}) < 0) return -1;
        if (2 * s->made >= s->known_room && enlarge_known(s) < 0) return -1;
    }
    return 0;
}

/* Write the best labelling of the product to the branch; return 1 if its score is above `cutoff`, 0 if there is none
 * such, -1 or -2 as make_item does. */
static int search(Search *s, Branch *branch, int64_t cutoff) {
    GROW(s->sizes, s->sizes_room, s->sizes_number + 1);
    int64_t *looked_at = &s->sizes[s->sizes_number++];
    *looked_at = 0;
    s->added = branch->added, s->adding = branch->adding;
    s->made = s->waiting = 0;
    memset(s->after, 0, (size_t)(s->constraints + 1) * sizeof *s->after);
    if (s->to_end[0] <= cutoff) return 0;
    if (clear_known(s, s->known_room ? s->known_room : 256) < 0 || make_item(s, (Item){0, 0, -1, -1}, s->after) < 0)
        return -1;
    s->known[place_of(s, 0, s->after)] = 0;
    if (push(s, (Waiting){s->to_end[0], 0, 0}) < 0) return -1;
    for (Py_ssize_t popped = 1; s->waiting; popped++) {
        if (popped % POPPED_BETWEEN_CHECKS == 0 && PyErr_CheckSignals() < 0) return -1;
        Waiting next = pop(s);
        Item item = s->items[next.item];
        if (next.place == s->states) {
            branch->arcs = malloc((size_t)(s->states + 1) * sizeof *branch->arcs);
            if (!branch->arcs) return -1;
            branch->score = item.total;
            int32_t at = item.before;
            for (; s->items[at].arc >= 0; at = s->items[at].before) branch->arcs[branch->length++] = s->items[at].arc;
            for (Py_ssize_t i = 0; i < branch->length / 2; i++) {
                int32_t arc = branch->arcs[i];
                branch->arcs[i] = branch->arcs[branch->length - 1 - i];
                branch->arcs[branch->length - 1 - i] = arc;
            }
            return 1;
        }
        Py_ssize_t place = place_of(s, item.state, &s->inner[next.item * s->adding]);
        if (s->items[s->known[place]].total > item.total) continue;
        int status = extend(s, next.item, cutoff, looked_at);
        if (status < 0) return status;
    }
    return 0;
}

/* Branch and bound, the most promising branch first; return -1 if there is no memory, else the status of
 * constraints.Found. `tried` is the branch that was searched last. */
static int relaxed(Search *s, const int32_t *initial, Py_ssize_t initially, int32_t *tried, Py_ssize_t *trying) {
    int64_t *counts = malloc((size_t)(s->constraints + 1) * sizeof *counts);
    int32_t *violated = malloc((size_t)(s->constraints + 1) * sizeof *violated);
    int status = -1;
    Branch branch = {.adding = initially, .more = initially};
    if (!counts || !violated) goto done;
    find_to_end(s);
    status = INFEASIBLE;
    if (s->to_end[0] == NOTHING) goto done;
    status = -1;
    branch.added = copied(initial, initially, 0);
    branch.decided = calloc((size_t)s->words, sizeof *branch.decided);
    if (!branch.added || !branch.decided || (!initially && best_of_lattice(s, &branch) < 0)) {
        free_branch(&branch);
        goto done;
    }
    for (Py_ssize_t i = 0; i < initially; i++) branch.decided[initial[i] / 64] |= (uint64_t)1 << initial[i] % 64;
    if (insert_branch(s, branch, s->to_end[0]) < 0) goto done;
    while (s->branches_waiting) {
        if (PyErr_CheckSignals() < 0) goto done;
        branch = take_branch(s);
        if (branch.bound <= s->best_score) {
            free_branch(&branch);
            break;
        }
        if (!branch.arcs) {
            *trying = branch.adding;
            s->intersections += branch.more;
            memcpy(tried, branch.added, (size_t)branch.adding * sizeof *tried);
            int64_t cutoff = s->best_score == NOTHING ? NOTHING : s->best_score + branch.paid;
            int found = search(s, &branch, cutoff);
            if (found <= 0) {
                free_branch(&branch);
                if (!found) continue;
                status = found == -2 ? STOPPED : -1;
                goto done;
            }
            int64_t bound = branch.score - branch.paid;
            if (s->branches_waiting && bound < s->agenda[0].bound) {
                if (insert_branch(s, branch, bound) < 0) goto done;
                continue;
            }
        }
        int outcome = branch_on(s, &branch, counts, violated);
        free_branch(&branch);
        if (outcome < 0) goto done;
    }
    status = s->best_score > NOTHING ? FOUND : INFEASIBLE;
done:
    free(counts);
    free(violated);
    return status;
}

/* Conversion of arguments from Python, and of results to Python. */

static PyObject *tuple_of(const int32_t *numbers, const int64_t *longer, Py_ssize_t size) {
    PyObject *tuple = PyTuple_New(size);
    for (Py_ssize_t i = 0; tuple && i < size; i++) {
        PyObject *number = PyLong_FromLongLong(numbers ? numbers[i] : longer[i]);
        if (!number || PyTuple_SetItem(tuple, i, number) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

static int unfit(void) {
    PyErr_SetString(PyExc_ValueError, "the arrays of a lattice or of constraints do not fit");
    return -1;
}

/* Arguments from Python: the arrays of the lattice and of each pack, and the constraints intersected from the start. */

typedef struct {
    Py_buffer arrays[PACK_ARRAYS];
    int held;
    long width;
    int mixed;
} GivenPack;

typedef struct {
    Py_buffer arrays[LATTICE_ARRAYS];
    int held;
    GivenPack *packs;
    Py_ssize_t packed, constraints;
    int32_t *initial, *tried;
    Py_ssize_t initially, trying;
} Given;

static int hold_pack(GivenPack *pack, PyObject *record) {
    PyObject *part[PACK_ARRAYS];
    if (!record || !PyArg_ParseTuple(record, "OOOOli", &part[0], &part[1], &part[2], &part[3], &pack->width,
                                     &pack->mixed))
        return -1;
    for (; pack->held < PACK_ARRAYS && part[pack->held] != Py_None; pack->held++)
        if (PyObject_GetBuffer(part[pack->held], &pack->arrays[pack->held], PyBUF_SIMPLE) < 0) return -1;
    return pack->held >= PACK_ARRAYS - 1 ? 0 : unfit(); /* the kinds of tokens may be None */
}

static int hold_initial(Given *given, PyObject *initial) {
    given->initially = PyTuple_Size(initial);
    if (given->initially < 0) return -1;
    given->initial = malloc(((size_t)given->initially + 1) * sizeof *given->initial);
    given->tried = malloc(((size_t)given->constraints + 1) * sizeof *given->tried);
    if (!given->initial || !given->tried) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < given->initially; i++) {
        long number = PyLong_AsLong(PyTuple_GetItem(initial, i));
        if (number < 0 || number >= given->constraints) return PyErr_Occurred() ? -1 : unfit();
        given->initial[i] = (int32_t)number;
    }
    return 0;
}

static int hold(Given *given, PyObject *arrays, PyObject *packs, PyObject *initial) {
    for (; given->held < LATTICE_ARRAYS; given->held++) {
        PyObject *array = PyTuple_GetItem(arrays, given->held);
        if (!array || PyObject_GetBuffer(array, &given->arrays[given->held], PyBUF_SIMPLE) < 0) return -1;
    }
    Py_ssize_t number = PyList_Size(packs);
    if (number < 0) return -1;
    given->packs = calloc((size_t)number + 1, sizeof *given->packs);
    if (!given->packs) {
        PyErr_NoMemory();
        return -1;
    }
    while (given->packed < number) {
        GivenPack *pack = &given->packs[given->packed];
        if (hold_pack(pack, PyList_GetItem(packs, given->packed++)) < 0) return -1;
        given->constraints += pack->arrays[0].len / 8 / HEADER;
    }
    return hold_initial(given, initial);
}

static void release(Given *given) {
    while (given->held-- > 0) PyBuffer_Release(&given->arrays[given->held]);
    for (Py_ssize_t i = 0; i < given->packed; i++)
        while (given->packs[i].held-- > 0) PyBuffer_Release(&given->packs[i].arrays[given->packs[i].held]);
    free(given->packs), free(given->initial), free(given->tried);
}

static int take_lattice(Search *s, const Py_buffer b[LATTICE_ARRAYS]) {
    s->first = b[0].buf, s->targets = b[1].buf, s->numbers = b[2].buf;
    s->scores = b[3].buf, s->ends = b[4].buf, s->places = b[5].buf;
    s->states = b[4].len / 8, s->arcs = b[1].len / 4;
    if (s->states < 1 || b[0].len != (s->states + 1) * 4 || b[5].len != s->states * 4 || b[2].len != s->arcs * 4 ||
        b[3].len != s->arcs * 8 || s->first[0] != 0 || s->first[s->states] != s->arcs)
        return unfit();
    for (Py_ssize_t state = 0; state < s->states; state++) {
        if (s->first[state] > s->first[state + 1]) return unfit();
        for (int32_t arc = s->first[state]; arc < s->first[state + 1]; arc++)
            if (s->targets[arc] <= state || s->targets[arc] >= s->states) return unfit();
    }
    return 0;
}

/* Return the column of each arc for a pack, and the highest column; NULL if arrays do not fit. */
static int32_t *columns_of(const Search *s, const GivenPack *pack, int64_t *highest) {
    int32_t *columns = malloc((size_t)(s->arcs + 1) * sizeof *columns);
    if (!columns) {
        PyErr_NoMemory();
        return NULL;
    }
    const int32_t *own = pack->arrays[2].buf, *kinds = pack->held == PACK_ARRAYS ? pack->arrays[3].buf : NULL;
    Py_ssize_t labels = pack->arrays[2].len / 4, places = kinds ? pack->arrays[3].len / 4 : 0;
    *highest = -1;
    for (Py_ssize_t state = 0; state < s->states; state++) {
        int32_t place = s->places[state];
        for (int32_t arc = s->first[state]; arc < s->first[state + 1]; arc++) {
            int32_t number = s->numbers[arc], end = pack->mixed ? s->places[s->targets[arc]] : place + 1, kind = 0;
            for (int32_t at = place; kinds && at >= 0 && at < end && at < places; at++)
                if (kinds[at]) kind = kind && kind != kinds[at] ? pack->mixed : kinds[at];
            int64_t shift = (int64_t)kind * pack->width;
            int64_t column = number >= 0 && number < labels ? own[number] + shift : -1;
            if (column < 0) {
                unfit();
                free(columns);
                return NULL;
            }
            if (column > *highest) *highest = column;
            columns[arc] = (int32_t)column;
        }
    }
    return columns;
}

static int take_pack(Search *s, const GivenPack *pack) {
    int64_t highest;
    int32_t *columns = columns_of(s, pack, &highest);
    if (!columns) return -1;
    s->columns[s->packs++] = columns;
    const int64_t *header = pack->arrays[0].buf;
    const int32_t *cells = pack->arrays[1].buf;
    Py_ssize_t room = pack->arrays[1].len / 4;
    for (Py_ssize_t i = 0; i < pack->arrays[0].len / 8 / HEADER; i++, header += HEADER) {
        Automaton *automaton = &s->automata[s->constraints++];
        *automaton = (Automaton){.mode = header[0], .cost = header[1], .states = header[2], .width = header[3]};
        int64_t size = automaton->states * automaton->width, start = header[4];
        if (start < 0 || size < 0 || automaton->states < 1 || start + 2 * (size + automaton->states) > room ||
            highest >= automaton->width)
            return unfit();
        automaton->next = cells + start, automaton->losses = automaton->next + size;
        automaton->ends = automaton->losses + size, automaton->dead = automaton->ends + automaton->states;
        automaton->columns = columns;
    }
    return 0;
}

/* Return pairs: a constraint that the best labelling violates, and how often. */
static PyObject *violated_by_best(const Search *s, int is_found) {
    PyObject *pairs = PyList_New(0), *result = NULL;
    for (Py_ssize_t number = 0; pairs && is_found && number < s->constraints; number++) {
        long long times = violations(&s->automata[number], s->best_arcs, s->best_length);
        if (!times) continue;
        PyObject *pair = Py_BuildValue("nL", number, times);
        if (!pair || PyList_Append(pairs, pair) < 0) Py_CLEAR(pairs);
        Py_XDECREF(pair);
    }
    if (pairs) result = PyList_AsTuple(pairs);
    Py_XDECREF(pairs);
    return result;
}

static PyObject *answer(Search *s, int status, const int32_t *tried, Py_ssize_t trying) {
    int is_found = s->best_score > NOTHING;
    PyObject *arcs = tuple_of(s->best_arcs, NULL, is_found ? s->best_length : 0);
    PyObject *violated = violated_by_best(s, is_found);
    PyObject *added = is_found ? tuple_of(s->best_added, NULL, s->best_adding) : tuple_of(tried, NULL, trying);
    PyObject *sizes = tuple_of(NULL, s->sizes, s->sizes_number);
    PyObject *result = NULL;
    if (arcs && violated && added && sizes)
        result = Py_BuildValue("iLOOOLLO", status, (long long)(is_found ? s->best_score : 0), arcs, violated, added,
                               (long long)s->intersections, (long long)s->branches, sizes);
    Py_XDECREF(arcs), Py_XDECREF(violated), Py_XDECREF(added), Py_XDECREF(sizes);
    return result;
}

static void free_search(Search *s) {
    while (s->branches_waiting) free_branch(&s->agenda[--s->branches_waiting]);
    for (Py_ssize_t i = 0; i < s->packs; i++) free(s->columns[i]);
    free(s->agenda), free(s->columns), free(s->automata), free(s->to_end), free(s->best_arcs), free(s->best_added);
    free(s->sizes), free(s->items), free(s->inner), free(s->after), free(s->heap), free(s->known);
}

static int prepare(Search *s, const Given *given) {
    size_t constraints = (size_t)given->constraints + 1;
    if (take_lattice(s, given->arrays) < 0) return -1;
    s->words = given->constraints / 64 + 1;
    s->best_score = NOTHING;
    s->automata = calloc(constraints, sizeof *s->automata);
    s->to_end = malloc((size_t)s->states * sizeof *s->to_end);
    s->after = calloc(constraints, sizeof *s->after);
    s->columns = calloc((size_t)given->packed + 1, sizeof *s->columns);
    s->sizes = malloc(8 * sizeof *s->sizes);
    if (!s->automata || !s->to_end || !s->after || !s->columns || !s->sizes) {
        PyErr_NoMemory();
        return -1;
    }
    s->sizes_room = 8, s->sizes_number = 1, s->sizes[0] = s->arcs;
    for (Py_ssize_t i = 0; i < given->packed; i++)
        if (take_pack(s, &given->packs[i]) < 0) return -1;
    return 0;
}

/* relax(arrays of the lattice, packs, initial, limit); see relaxation.relax. */
static PyObject *relax(PyObject *Py_UNUSED(self), PyObject *arguments) {
    PyObject *arrays, *packs, *initial, *result = NULL;
    long long limit;
    if (!PyArg_ParseTuple(arguments, "OOOL", &arrays, &packs, &initial, &limit)) return NULL;
    Search s = {.room = limit};
    Given given = {0};
    if (hold(&given, arrays, packs, initial) == 0 && prepare(&s, &given) == 0) {
        int status = relaxed(&s, given.initial, given.initially, given.tried, &given.trying);
        if (status >= 0) result = answer(&s, status, given.tried, given.trying);
    }
    if (!result && !PyErr_Occurred()) PyErr_NoMemory();
    free_search(&s);
    release(&given);
    return result;
}

/* Packing the labels of tokens into arrays. */

typedef struct {
    PyObject *alphabet; /* from labels to numbers */
    int32_t *numbers;
    int64_t *scores;
    Py_ssize_t used, room;
} Packing;

static int pack_label(Packing *packing, PyObject *label, PyObject *score) {
    double units = PyFloat_AsDouble(score) * 1e6;
    if (PyErr_Occurred()) return -1;
    if (!(units <= LARGEST && units >= -LARGEST)) return unfit();
    if (packing->used == packing->room) {
        Py_ssize_t room = packing->room;
        GROW(packing->numbers, room, packing->used + 1);
        GROW(packing->scores, packing->room, room);
    }
    PyObject *number = PyDict_GetItemWithError(packing->alphabet, label);
    if (number) {
        packing->numbers[packing->used] = (int32_t)PyLong_AsLong(number);
    } else {
        Py_ssize_t size = PyDict_Size(packing->alphabet);
        number = PyErr_Occurred() ? NULL : PyLong_FromSsize_t(size);
        if (!number || PyDict_SetItem(packing->alphabet, label, number) < 0) {
            Py_XDECREF(number);
            return -1;
        }
        Py_DECREF(number);
        packing->numbers[packing->used] = (int32_t)size;
    }
    packing->scores[packing->used++] = (int64_t)nearbyint(units);
    return 0;
}

/* pack_labels(rows): the labels in order, and the arrays of LabelLattice; None if a row is not a dict. */
static PyObject *pack_labels(PyObject *Py_UNUSED(self), PyObject *rows) {
    Py_ssize_t length = PyList_Size(rows);
    if (length < 0) return NULL;
    Packing packing = {.alphabet = PyDict_New()};
    int32_t *first = malloc((size_t)(length + 2) * sizeof *first), *places = malloc((size_t)(length + 1) * sizeof *places);
    int64_t *ends = malloc((size_t)(length + 1) * sizeof *ends);
    int32_t *targets = NULL;
    PyObject *labels = NULL, *result = NULL;
    if (!packing.alphabet) goto done;
    if (!first || !places || !ends) {
        PyErr_NoMemory();
        goto done;
    }
    first[0] = 0;
    for (Py_ssize_t place = 0; place <= length; place++) {
        places[place] = (int32_t)place;
        ends[place] = place < length ? NOTHING : 0;
        if (place == length) break;
        PyObject *row = PyList_GetItem(rows, place), *label, *score;
        Py_ssize_t at = 0;
        if (!PyDict_CheckExact(row)) {
            result = Py_NewRef(Py_None);
            goto done;
        }
        while (PyDict_Next(row, &at, &label, &score))
            if (pack_label(&packing, label, score) < 0) {
                if (!PyErr_Occurred()) PyErr_NoMemory();
                goto done;
            }
        first[place + 1] = (int32_t)packing.used;
    }
    first[length + 1] = first[length];
    targets = malloc((size_t)(packing.used + 1) * sizeof *targets);
    labels = PyDict_Keys(packing.alphabet);
    if (!targets || !labels) {
        if (!targets) PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t place = 0; place < length; place++)
        for (int32_t arc = first[place]; arc < first[place + 1]; arc++) targets[arc] = (int32_t)place + 1;
    result = Py_BuildValue("Oy#y#y#y#y#y#", labels, (char *)first, (length + 2) * 4, (char *)targets, packing.used * 4,
                           packing.used ? (char *)packing.numbers : "", packing.used * 4,
                           packing.used ? (char *)packing.scores : "", packing.used * 8, (char *)ends,
                           (length + 1) * 8, (char *)places, (length + 1) * 4);
done:
    Py_XDECREF(packing.alphabet), Py_XDECREF(labels);
    free(packing.numbers), free(packing.scores), free(first), free(places), free(ends), free(targets);
    return result;
}

static PyMethodDef methods[] = {
    {"pack_labels", pack_labels, METH_O, "See label_lattice.py."},
    {"relax", relax, METH_VARARGS, "See relaxation.relax."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_relaxation", "What python_relaxation.py does, compiled.",
                                    -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__relaxation(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "INTERFACE", INTERFACE) < 0) Py_CLEAR(made);
    return made;
}
