#define Py_LIMITED_API 0x030B0000
#include "_moves.h"

#define UNASKED -1
#define UNKNOWN -2
#define EMPTY -1

typedef struct { /* the steps from a state, by daughter type, and its acceptance */
    Answers steps;
    int32_t accepted; /* the number of a move, `UNASKED` or `IMPOSSIBLE` */
} From;

int told_too_large(void) {
    PyErr_SetString(PyExc_OverflowError, "too many tokens, constructions, states or kinds for the compiled search");
    return 1;
}

/* Return the cache of a state; the pointer is valid until a new state is added. */
static From *known_of(Tables *tables, int32_t number, int32_t state) {
    Vector *all = &tables->from[number];
    while ((size_t)state >= all->used) {
        From *fresh = vector_add(all);
        if (!fresh) return NULL;
        *fresh = (From){.accepted = UNASKED};
    }
    return &AT(From, *all, state);
}

/* Return the slot of a question, or the empty one where it belongs. */
static Answer *slot_in(const Answers *answers, int32_t question) {
    int32_t i = question & (answers->size - 1);
    while (answers->slots[i].question != EMPTY && answers->slots[i].question != question) i = (i + 1) & (answers->size - 1);
    return &answers->slots[i];
}

/* Return the known answer to a question, or NULL. */
static const int32_t *answer_in(const Answers *answers, int32_t question) {
    const Answer *slot = answers->size ? slot_in(answers, question) : NULL;
    return slot && slot->question == question ? &slot->answer : NULL;
}

static int make_room(Answers *answers) {
    Answers old = *answers;
    answers->size = old.size ? 2 * old.size : 4;
    answers->slots = malloc((size_t)answers->size * sizeof *answers->slots);
    if (!answers->slots) {
        *answers = old;
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; i < answers->size; i++) answers->slots[i].question = EMPTY;
    for (int32_t i = 0; i < old.size; i++)
        if (old.slots[i].question != EMPTY) *slot_in(answers, old.slots[i].question) = old.slots[i];
    free(old.slots);
    return 0;
}

/* Store the answer to a new question. */
static int keep_answer(Answers *answers, int32_t question, int32_t answer) {
    if (4 * answers->used >= 3 * answers->size && make_room(answers) < 0) return -1;
    *slot_in(answers, question) = (Answer){question, answer};
    answers->used++;
    return 0;
}

int find_step(Tables *tables, int32_t number, int32_t state, int32_t type, int32_t *found) {
    From *from = known_of(tables, number, state);
    if (!from) return -1;
    const int32_t *known = answer_in(&from->steps, type);
    if (known) {
        *found = *known;
        return 0;
    }
    KeptStep made = {0}, *kept;
    if (weighted_step(tables->weighted[number], state, type, &made.step) < 0) return -1;
    *found = IMPOSSIBLE;
    if (made.step.reading.after != IMPOSSIBLE) {
        *found = (int32_t)tables->steps.used;
        if (!(kept = vector_add(&tables->steps))) return -1;
        *kept = made;
    }
    return keep_answer(&from->steps, type, *found);
}

int find_state(Tables *tables, int32_t number, int32_t step, int32_t *found) {
    Reading *reading = &AT(KeptStep, tables->steps, step).step.reading;
    if (automaton_make(tables->weighted[number]->automaton, reading) < 0) return -1;
    *found = reading->after;
    return too_large(*found, 24) ? -1 : 0;
}

int find_acceptance(Tables *tables, int32_t number, int32_t state, Move *found) {
    From *from = known_of(tables, number, state);
    if (!from) return -1;
    if (from->accepted >= 0)
        *found = AT(Move, tables->moves, from->accepted);
    else
        found->to = IMPOSSIBLE;
    if (from->accepted != UNASKED) return 0;
    if (weighted_accept(tables->weighted[number], state, found) < 0) return -1;
    from->accepted = IMPOSSIBLE;
    if (found->to == IMPOSSIBLE) return 0;
    if (__builtin_sub_overflow(found->gain, tables->node_cost, &found->gain)) {
        PyErr_SetString(PyExc_OverflowError, "a sum of weights is beyond 64 bits");
        return -1;
    }
    Move *kept = too_large(found->to, 24) ? NULL : vector_add(&tables->moves);
    if (!kept) return -1;
    *kept = *found;
    from->accepted = (int32_t)tables->moves.used - 1;
    return 0;
}

int find_to_complete(Tables *tables, int32_t number, int32_t step, int32_t lookahead, int lexicographic, int64_t *found) {
    KeptStep *kept = &AT(KeptStep, tables->steps, step);
    const int32_t *known = answer_in(&kept->to_complete, lookahead);
    if (known) {
        *found = AT(int64_t, tables->to_complete, *known);
        return 0;
    }
    if (lexicographic ? weighted_cost_to_complete(tables->weighted[number], &kept->step, lookahead, found) < 0
                      : weighted_cannot_complete(tables->weighted[number], &kept->step, lookahead, found) < 0)
        return -1;
    int is_other;
    int32_t at = map_put(&tables->cost_at, (uint64_t)*found, (int32_t)tables->to_complete.used, &is_other);
    int64_t *cost = at < 0 || !is_other ? NULL : vector_add(&tables->to_complete);
    if (at < 0 || (is_other && !cost)) return -1;
    if (is_other) *cost = *found;
    return keep_answer(&kept->to_complete, lookahead, at);
}

/* Record the first step of a construction with a daughter, if there is one; `pair` is its number and the type. */
static int add_first_move(Tables *tables, PyObject *pair) {
    FirstMove first;
    if (!PyArg_ParseTuple(pair, "ii", &first.number, &first.type)) return -1;
    if (find_step(tables, first.number, 0, first.type, &first.step) < 0) return -1;
    if (first.step == IMPOSSIBLE) return 0;
    FirstMove *fresh = vector_add(&tables->first_moves);
    if (!fresh) return -1;
    *fresh = first;
    return 0;
}

/* Return the record of a kind, valid until another kind is asked for; NULL without memory. */
static Kind *kind_at(Tables *tables, int32_t kind) {
    while ((size_t)kind >= tables->kinds.used) {
        Kind *fresh = vector_add(&tables->kinds);
        if (!fresh) return NULL;
        fresh->construction = UNKNOWN;
    }
    return &AT(Kind, tables->kinds, kind);
}

int find_kind(Tables *tables, int32_t kind, Kind *found) {
    Kind *known = kind_at(tables, kind);
    if (!known) return -1;
    *found = *known;
    if (found->construction != UNKNOWN) return 0;
    found->first = (int32_t)tables->first_moves.used;
    PyObject *construction = PyObject_CallMethod(tables->compiled, "construction_of", "i", kind);
    if (ask_number(construction, &found->construction) < 0) return -1;
    PyObject *types = PyObject_CallMethod(tables->compiled, "daughter_types", "i", kind);
    Py_ssize_t size = types ? PyTuple_Size(types) : -1;
    int bad = size < 0;
    for (Py_ssize_t i = 0; i < size && !bad; i++)
        bad = add_first_move(tables, PyTuple_GetItem(types, i)) < 0;
    Py_XDECREF(types);
    if (bad) return -1;
    found->end = (int32_t)tables->first_moves.used;
    AT(Kind, tables->kinds, kind) = *found;
    return 0;
}

int is_root(const Tables *tables, int32_t kind) {
    PyObject *root = PyObject_CallMethod(tables->compiled, "is_root", "i", kind);
    int answer = root ? PyObject_IsTrue(root) : -1;
    Py_XDECREF(root);
    return answer;
}

int find_marked(Tables *tables, int32_t kind, int32_t before, int32_t after, int32_t *found) {
    uint64_t key = ((uint64_t)kind << 32) | ((uint64_t)before << 16) | (uint64_t)after;
    *found = map_get(&tables->marked_at, key);
    if (*found != ABSENT) return 0;
    int is_new, is_alike;
    PyObject *marked = PyObject_CallMethod(tables->compiled, "marked_alike", "iii", kind, before, after);
    if (ask(marked, "ip", found, &is_alike) < 0 || too_large(*found, 24)) return -1;
    if (is_alike) {
        Kind alike, *known;
        if (find_kind(tables, kind, &alike) < 0 || !(known = kind_at(tables, *found))) return -1;
        *known = alike;
    }
    return map_put(&tables->marked_at, key, *found, &is_new) < 0 ? -1 : 0;
}

int tables_fill(Tables *tables, Automaton **automata, PyObject *weighted, int64_t node_cost) {
    Py_ssize_t constructions = PyTuple_Size(weighted);
    tables->steps.width = sizeof(KeptStep), tables->moves.width = sizeof(Move);
    tables->to_complete.width = tables->gaps.gaps.width = sizeof(int64_t);
    tables->kinds.width = sizeof(Kind);
    tables->first_moves.width = sizeof(FirstMove);
    tables->node_cost = node_cost;
    if (constructions < 0) return -1;
    tables->constructions = (int32_t)constructions;
    tables->weighted = calloc((size_t)constructions + 1, sizeof *tables->weighted);
    tables->from = calloc((size_t)constructions + 1, sizeof *tables->from);
    if (!tables->weighted || !tables->from) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < constructions; i++) {
        tables->from[i].width = sizeof(From);
        tables->weighted[i] = weighted_new(automata[i], PyTuple_GetItem(weighted, i));
        if (!tables->weighted[i]) return -1;
    }
    return 0;
}

void tables_free(Tables *tables) {
    map_free(&tables->cost_at);
    map_free(&tables->marked_at);
    map_free(&tables->gaps.at);
    for (size_t i = 0; i < tables->steps.used; i++) free(AT(KeptStep, tables->steps, i).to_complete.slots);
    Vector *vectors[] = {&tables->steps, &tables->moves, &tables->to_complete, &tables->kinds, &tables->first_moves,
                         &tables->gaps.gaps};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) free(vectors[i]->at);
    for (int32_t i = 0; i < tables->constructions; i++) {
        if (tables->weighted) weighted_free(tables->weighted[i]);
        for (size_t k = 0; tables->from && k < tables->from[i].used; k++) free(AT(From, tables->from[i], k).steps.slots);
        if (tables->from) free(tables->from[i].at);
    }
    free(tables->weighted);
    free(tables->from);
}
