#define Py_LIMITED_API 0x030B0000
#include "_moves.h"

#define UNASKED -1
#define NOWHERE -2

typedef struct { /* the number of a move, or `NOWHERE`; a look below 0: an empty slot */
    int32_t look, move;
} Step;

typedef struct { /* where a state leads: a few of very many looks, and the end */
    Step *steps;
    int32_t size, used;
    int32_t accepted; /* the number of a move, `UNASKED` or `NOWHERE` */
} From;

int told_too_large(void) {
    PyErr_SetString(PyExc_OverflowError, "too many tokens, constructions, states or kinds for the compiled kernel");
    return 1;
}

/* The moves from a state; the pointer lasts until those from a new state are asked for. */
static From *moves_from(Tables *tables, int32_t number, int32_t state) {
    Vector *all = &tables->from[number];
    while ((size_t)state >= all->used) {
        From *fresh = vector_add(all);
        if (!fresh) return NULL;
        *fresh = (From){.accepted = UNASKED};
    }
    return &AT(From, *all, state);
}

/* Keep a move that was made, and its number, unless it leads nowhere. */
static int keep_move(Tables *tables, Move *move, int32_t *number) {
    if (move->to == IMPOSSIBLE) {
        *number = NOWHERE;
        return 0;
    }
    if (too_large(move->to, 24)) return -1;
    int32_t at = (int32_t)tables->moves.used;
    Move *kept = vector_add(&tables->moves);
    if (!kept) return -1;
    *kept = *move;
    *number = at;
    return 0;
}

/* The move that a number stands for, if it was asked for before. */
static int is_known(const Tables *tables, int32_t number, Move *found) {
    if (number >= 0)
        *found = AT(Move, tables->moves, number);
    else
        found->to = IMPOSSIBLE;
    return number != UNASKED;
}

/* The slot of a look, or the empty one where it belongs. */
static Step *step_at(const From *from, int32_t look) {
    int32_t i = look & (from->size - 1);
    while (from->steps[i].look >= 0 && from->steps[i].look != look) i = (i + 1) & (from->size - 1);
    return &from->steps[i];
}

static int make_room(From *from) {
    From old = *from;
    from->size = old.size ? 2 * old.size : 4;
    from->steps = malloc((size_t)from->size * sizeof *from->steps);
    if (!from->steps) {
        *from = old;
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; i < from->size; i++) from->steps[i].look = -1;
    for (int32_t i = 0; i < old.size; i++)
        if (old.steps[i].look >= 0) *step_at(from, old.steps[i].look) = old.steps[i];
    free(old.steps);
    return 0;
}

int find_step(Tables *tables, int32_t number, int32_t state, int32_t look, Move *found) {
    From *from = moves_from(tables, number, state);
    if (!from) return -1;
    const Step *known = from->size ? step_at(from, look) : NULL;
    if (known && known->look == look) {
        is_known(tables, known->move, found);
        return 0;
    }
    int32_t move;
    if (automaton_step(tables->automata[number], state, look, found) < 0 || keep_move(tables, found, &move) < 0 ||
        (4 * from->used >= 3 * from->size && make_room(from) < 0))
        return -1;
    *step_at(from, look) = (Step){look, move};
    from->used++;
    return 0;
}

int find_acceptance(Tables *tables, int32_t number, int32_t state, Move *found) {
    From *from = moves_from(tables, number, state);
    if (!from) return -1;
    if (is_known(tables, from->accepted, found)) return 0;
    if (automaton_accept(tables->automata[number], state, found) < 0) return -1;
    if (found->to != IMPOSSIBLE && __builtin_sub_overflow(found->gain, tables->node_cost, &found->gain)) {
        PyErr_SetString(PyExc_OverflowError, "a sum of weights is beyond 64 bits");
        return -1;
    }
    return keep_move(tables, found, &from->accepted);
}

int find_ahead(Tables *tables, int32_t number, int32_t state, int32_t view, int lexicographic, int64_t *found) {
    uint64_t key = ((uint64_t)number << 48) | ((uint64_t)state << 24) | (uint64_t)view;
    int32_t known = map_get(&tables->aheads_at, key);
    if (known != ABSENT) {
        *found = AT(int64_t, tables->aheads, known);
        return 0;
    }
    if (lexicographic ? automaton_ahead(tables->automata[number], state, view, found) < 0
                              : automaton_lost(tables->automata[number], state, view, found) < 0)
        return -1;
    int is_new;
    int32_t at = map_put(&tables->aheads_at, key, (int32_t)tables->aheads.used, &is_new);
    int64_t *kept = at < 0 ? NULL : vector_add(&tables->aheads);
    if (!kept) return -1;
    *kept = *found;
    return 0;
}

/* Note how a construction begins with a daughter, unless it cannot; `pair` is its number and the look. */
static int add_opening(Tables *tables, PyObject *pair) {
    Opening opening;
    if (!PyArg_ParseTuple(pair, "ii", &opening.number, &opening.look)) return -1;
    if (find_step(tables, opening.number, 0, opening.look, &opening.move) < 0) return -1;
    if (opening.move.to == IMPOSSIBLE) return 0;
    Opening *fresh = vector_add(&tables->openings);
    if (!fresh) return -1;
    *fresh = opening;
    return 0;
}

int find_kind(Tables *tables, int32_t kind, Kind *found) {
    while ((size_t)kind >= tables->kinds.used) {
        Kind *fresh = vector_add(&tables->kinds);
        if (!fresh) return -1;
        fresh->construction = -2;
    }
    *found = AT(Kind, tables->kinds, kind);
    if (found->construction != -2) return 0;
    PyObject *construction = PyObject_CallMethod(tables->machine, "construction_of", "i", kind);
    if (!construction) return -1;
    long number = PyLong_AsLong(construction);
    Py_DecRef(construction);
    if (number == -1 && PyErr_Occurred()) return -1;
    PyObject *root = PyObject_CallMethod(tables->machine, "is_root", "i", kind);
    if (!root) return -1;
    int is_root = PyObject_IsTrue(root);
    Py_DecRef(root);
    if (is_root < 0) return -1;
    *found = (Kind){(int32_t)number, is_root, (int32_t)tables->openings.used, 0};
    PyObject *looks = PyObject_CallMethod(tables->machine, "looks", "i", kind);
    Py_ssize_t size = looks ? PyTuple_Size(looks) : -1;
    int bad = size < 0;
    for (Py_ssize_t i = 0; i < size && !bad; i++)
        bad = add_opening(tables, PyTuple_GetItem(looks, i)) < 0;
    Py_XDECREF(looks);
    if (bad) return -1;
    found->end = (int32_t)tables->openings.used;
    AT(Kind, tables->kinds, kind) = *found;
    return 0;
}

int tables_fill(Tables *tables, PyObject *automata, int64_t node_cost) {
    Py_ssize_t constructions = PyList_Size(automata);
    tables->moves.width = sizeof(Move);
    tables->aheads.width = sizeof(int64_t);
    tables->kinds.width = sizeof(Kind);
    tables->openings.width = sizeof(Opening);
    tables->node_cost = node_cost;
    tables->constructions = (int32_t)constructions;
    tables->automata = calloc((size_t)constructions + 1, sizeof *tables->automata);
    tables->from = calloc((size_t)constructions + 1, sizeof *tables->from);
    if (!tables->automata || !tables->from) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < constructions; i++) {
        tables->from[i].width = sizeof(From);
        tables->automata[i] = automaton_new(PyList_GetItem(automata, i));
        if (!tables->automata[i]) return -1;
    }
    return 0;
}

void tables_free(Tables *tables) {
    map_free(&tables->aheads_at);
    free(tables->moves.at);
    free(tables->aheads.at);
    free(tables->kinds.at);
    free(tables->openings.at);
    for (int32_t i = 0; i < tables->constructions; i++) {
        if (tables->automata) automaton_free(tables->automata[i]);
        for (size_t k = 0; tables->from && k < tables->from[i].used; k++) free(AT(From, tables->from[i], k).steps);
        if (tables->from) free(tables->from[i].at);
    }
    free(tables->automata);
    free(tables->from);
}

size_t tables_states(const Tables *tables) {
    size_t sum = 0;
    for (int32_t i = 0; i < tables->constructions; i++) sum += automaton_states(tables->automata[i]);
    return sum;
}
