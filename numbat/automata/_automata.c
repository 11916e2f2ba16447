#define Py_LIMITED_API 0x030B0000
#include "_automata.h"

#define UNASKED -2
#define WORD 32 /* bits of a number in a bit set */

/* grids */

/* Return a pointer to the number at a row and a column, valid until the next call; NULL without memory. */
static int32_t *cell_of(Grid *grid, int32_t row, int32_t column) {
    grid->rows.width = sizeof(Vector);
    while ((size_t)row >= grid->rows.used) {
        Vector *fresh = vector_add(&grid->rows);
        if (!fresh) return NULL;
        *fresh = (Vector){.width = sizeof(int32_t)};
    }
    Vector *cells = &AT(Vector, grid->rows, row);
    while ((size_t)column >= cells->used)
        if (add_number(cells, ABSENT) < 0) return NULL;
    return &AT(int32_t, *cells, column);
}

static void grid_free(Grid *grid) {
    for (size_t i = 0; i < grid->rows.used; i++) free(AT(Vector, grid->rows, i).at);
    free(grid->rows.at);
}

/* questions to Python, each asked once */

int overflowed(void) {
    PyErr_SetString(PyExc_OverflowError, "a sum of weights or costs is beyond 64 bits");
    return -1;
}

int ask(PyObject *answer, const char *format, ...) {
    if (!answer) return -1;
    va_list values;
    va_start(values, format);
    int good = PyArg_VaParse(answer, format, values);
    va_end(values);
    Py_DECREF(answer);
    return good ? 0 : -1;
}

int ask_number(PyObject *answer, int32_t *out) {
    if (!answer) return -1;
    long number = PyLong_AsLong(answer);
    Py_DECREF(answer);
    if (number == -1 && PyErr_Occurred()) return -1;
    if (number < INT32_MIN || number > INT32_MAX) return overflowed();
    *out = (int32_t)number;
    return 0;
}

static int flag_of(PyObject *object, const char *name) {
    PyObject *value = PyObject_GetAttrString(object, name);
    int flag = value ? PyObject_IsTrue(value) : -1;
    Py_XDECREF(value);
    return flag;
}

PyObject *tuple_of(const int32_t *numbers, int32_t size) {
    PyObject *tuple = PyTuple_New(size);
    for (int32_t i = 0; tuple && i < size; i++) {
        PyObject *number = PyLong_FromLong(numbers[i]);
        if (!number || PyTuple_SetItem(tuple, i, number) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

/* Append the numbers of a Python tuple, none of them negative, to a pool. */
static int add_numbers(Vector *pool, PyObject *tuple) {
    Py_ssize_t size = PyTuple_Size(tuple);
    for (Py_ssize_t i = 0; i < size; i++) {
        long number = PyLong_AsLong(PyTuple_GetItem(tuple, i));
        if (number == -1 && PyErr_Occurred()) return -1;
        if (number < 0 || number > INT32_MAX) return overflowed();
        if (add_number(pool, (int32_t)number) < 0) return -1;
    }
    return 0;
}

static int find_type(Automaton *automaton, int32_t type, DaughterType *out) {
    while ((size_t)type >= automaton->types.used) {
        DaughterType asked;
        PyObject *answer = PyObject_CallMethod(automaton->classes, "parts_of", "i", (int)automaton->types.used);
        if (ask(answer, "ii", &asked.number, &asked.contribution) < 0) return -1;
        DaughterType *fresh = vector_add(&automaton->types);
        if (!fresh) return -1;
        *fresh = asked;
    }
    *out = AT(DaughterType, automaton->types, type);
    return 0;
}

/* Append those properties in a row of a class that are numbered from `first` on, `size` of them, with their symbols. */
static int add_symbols(Automaton *automaton, PyObject *row, int32_t first, int32_t size) {
    Py_ssize_t half = PyTuple_Size(row) / 2;
    for (Py_ssize_t i = 0; i < half; i++) {
        long place = PyLong_AsLong(PyTuple_GetItem(row, i)), symbol = PyLong_AsLong(PyTuple_GetItem(row, half + i));
        if ((place == -1 || symbol == -1) && PyErr_Occurred()) return -1;
        if (place < first || place >= first + size) continue;
        if (symbol < 0 || symbol > INT32_MAX) return overflowed();
        if (add_number(&automaton->pool, (int32_t)place - first) < 0 || add_number(&automaton->pool, (int32_t)symbol) < 0)
            return -1;
    }
    return 0;
}

static int find_class(Automaton *automaton, int32_t number, DaughterClass *out) {
    int32_t local = (int32_t)automaton->local.used;
    while ((size_t)number >= automaton->daughter_classes.used) {
        int32_t next = (int32_t)automaton->daughter_classes.used;
        DaughterClass made = {.local = (int32_t)automaton->pool.used}, *fresh;
        PyObject *row, *answer = PyObject_CallMethod(automaton->classes, "row_of", "i", next);
        int bad = !answer || !PyArg_ParseTuple(answer, "iO!", &made.reach, &PyTuple_Type, &row) ||
                  add_symbols(automaton, row, 0, local) < 0;
        made.symbols = (int32_t)automaton->pool.used;
        bad = bad || add_symbols(automaton, row, local, automaton->properties) < 0;
        made.end = (int32_t)automaton->pool.used;
        Py_XDECREF(answer);
        if (bad || !(fresh = vector_add(&automaton->daughter_classes))) return -1;
        *fresh = made;
    }
    *out = AT(DaughterClass, automaton->daughter_classes, number);
    return 0;
}

/* Find the counts of a local property when a symbol follows another one (-1: for the symbol alone). */
static int find_pair_counts(Automaton *automaton, int32_t property, int32_t before, int32_t symbol, int32_t between,
                            PairCounts *out) {
    const LocalProperty *local = &AT(LocalProperty, automaton->local, property);
    if (between > local->reach) between = local->reach;
    return shapes_pair(automaton->shapes, local->shape, before, symbol, between, out);
}

/* Add the counts of one property to the row of an effect: satisfied, forbidden, retrieved, then triples. */
static int add_instances(Automaton *automaton, int32_t property, const PairCounts *counts) {
    Vector *row = &automaton->row;
    AT(int32_t, *row, 0) |= counts->satisfied > 0;
    AT(int32_t, *row, 1) |= counts->violated > 0 && AT(LocalProperty, automaton->local, property).is_hard;
    AT(int32_t, *row, 2) |= counts->retrieved;
    if (!counts->satisfied && !counts->violated) return 0;
    return add_number(row, property) < 0 || add_number(row, counts->satisfied) < 0 ? -1
                                                                                   : add_number(row, counts->violated);
}

/* Return the number of the effect whose row was made. */
static int32_t effect_of_row(Automaton *automaton) {
    int is_new;
    int32_t number = rows_put(&automaton->effect_rows, &automaton->row, &is_new);
    if (number < 0 || !is_new) return number;
    const int32_t *row = (const int32_t *)automaton->row.at;
    int32_t end = (int32_t)automaton->effect_rows.pool.used;
    PairEffect *fresh = vector_add(&automaton->effects);
    if (!fresh) return -1;
    *fresh = (PairEffect){end - (int32_t)automaton->row.used + 3, end, row[0], row[1], row[2]};
    return number;
}

/* Return the number of the effect of local properties on two classes (or on one alone): all, or only those by order. */
static int32_t effect_between(Automaton *automaton, int32_t before, int32_t read, int32_t between, int of_order) {
    DaughterClass near = {0}, here;
    if (find_class(automaton, read, &here) < 0 || (before >= 0 && find_class(automaton, before, &near) < 0)) return -1;
    automaton->row.used = 0;
    for (int k = 0; k < 3; k++)
        if (add_number(&automaton->row, 0) < 0) return -1;
    int32_t other = near.local;
    for (int32_t i = here.local; i < here.symbols; i += 2) {
        PairCounts counts;
        int32_t property = AT(int32_t, automaton->pool, i), symbol = AT(int32_t, automaton->pool, i + 1), seen = -1;
        if (before >= 0) {
            while (other < near.symbols && AT(int32_t, automaton->pool, other) < property) other += 2;
            if (other >= near.symbols || AT(int32_t, automaton->pool, other) != property) continue;
            seen = AT(int32_t, automaton->pool, other + 1);
        }
        if (of_order && !AT(LocalProperty, automaton->local, property).is_positional) continue;
        if (find_pair_counts(automaton, property, seen, symbol, between, &counts) < 0 ||
            add_instances(automaton, property, &counts) < 0)
            return -1;
    }
    return effect_of_row(automaton);
}

int32_t automaton_ask_effect(Automaton *automaton, int32_t before, int32_t read, int32_t between) {
    int32_t *known = cell_of(&automaton->effects_at, before + 1, (automaton->reach + 1) * read + between);
    if (!known) return -1;
    int32_t number = effect_between(automaton, before, read, between, 0);
    return number < 0 ? -1 : (*known = number);
}

int32_t automaton_order_effect(Automaton *automaton, int32_t before, int32_t place, int32_t between) {
    while ((size_t)place >= automaton->least_classes.used)
        if (add_number(&automaton->least_classes, UNASKED) < 0) return -1;
    int32_t *least = &AT(int32_t, automaton->least_classes, place);
    if (*least == UNASKED && ask_number(PyObject_CallMethod(automaton->classes, "least_class", "i", place), least) < 0)
        return -1;
    return effect_between(automaton, before, *least, between, 1);
}

/* Find the number of the state of a deferred property after a symbol (-1: the same state). */
static int find_property_state(Automaton *automaton, int32_t property, int32_t state, int32_t symbol, int32_t *out) {
    ShapeState after;
    int32_t shape = AT(DeferredProperty, automaton->deferred, property).shape;
    if (shapes_state(automaton->shapes, shape, state, symbol, &after) < 0) return -1;
    int is_new;
    uint64_t key = ((uint64_t)property << 32) | (uint64_t)after.state;
    *out = map_put(&automaton->property_states_at, key, (int32_t)automaton->property_states.used, &is_new);
    if (*out < 0 || !is_new) return *out < 0 ? -1 : 0;
    PropertyState *fresh = vector_add(&automaton->property_states);
    if (!fresh) return -1;
    *fresh = (PropertyState){property, after.state, after.counts};
    return 0;
}

/* Call a method of the classes with a property state and a further number. */
static PyObject *ask_of_state(Automaton *automaton, const char *what, int32_t property_state, int32_t more) {
    PropertyState was = AT(PropertyState, automaton->property_states, property_state);
    return PyObject_CallMethod(automaton->classes, what, "iii", was.property, was.state, more);
}

static int find_state_after(Automaton *automaton, int32_t property_state, int32_t symbol, int32_t *out) {
    int32_t *known = cell_of(&automaton->property_state_after, property_state, symbol);
    if (!known) return -1;
    if (*known == ABSENT) {
        PropertyState was = AT(PropertyState, automaton->property_states, property_state);
        if (find_property_state(automaton, was.property, was.state, symbol, known) < 0) return -1;
    }
    *out = *known;
    return 0;
}

static int find_contributions(Automaton *automaton, int32_t contributions, int32_t more, int32_t *out) {
    uint64_t key = ((uint64_t)contributions << 32) | (uint64_t)more;
    int is_new;
    *out = map_get(&automaton->contributions_with, key);
    if (*out != ABSENT) return 0;
    if (features_with(&automaton->features, contributions, more, out) < 0) return -1;
    return map_put(&automaton->contributions_with, key, *out, &is_new) < 0 ? -1 : 0;
}

static int find_phrase(Automaton *automaton, int32_t contributions, int32_t *out) {
    while ((size_t)contributions >= automaton->phrases.used)
        if (add_number(&automaton->phrases, UNASKED) < 0) return -1;
    *out = AT(int32_t, automaton->phrases, contributions);
    if (*out != UNASKED) return 0;
    if (features_phrase(&automaton->features, contributions, out) < 0) return -1;
    AT(int32_t, automaton->phrases, contributions) = *out;
    return 0;
}

/* states */

/* Append the classes read last to the row; -1 replaces each that is beyond its reach. */
static int add_recent(Automaton *automaton, const int32_t *before, int32_t read) {
    for (int32_t at = 0; at < automaton->reach; at++) {
        int32_t number = at ? before[RECENT + at - 1] : read;
        int is_near = number >= 0 && at < AT(DaughterClass, automaton->daughter_classes, number).reach;
        if (add_number(&automaton->row, is_near ? number : -1) < 0) return -1;
    }
    return 0;
}

/* Append the states of the properties for which order matters after a class; each class has a symbol for each. */
static int add_ordered(Automaton *automaton, const int32_t *before, int32_t number) {
    DaughterClass read = AT(DaughterClass, automaton->daughter_classes, number);
    for (size_t k = 0; k < automaton->ordered.used; k++) {
        int32_t property = AT(int32_t, automaton->ordered, k), state = before[RECENT + automaton->reach + k];
        for (int32_t i = read.symbols; i < read.end; i += 2)
            if (AT(int32_t, automaton->pool, i) == property &&
                find_state_after(automaton, state, AT(int32_t, automaton->pool, i + 1), &state) < 0)
                return -1;
        if (add_number(&automaton->row, state) < 0) return -1;
    }
    return 0;
}

/* Make the row of the state after a class; counts stay sorted by class. */
static int make_row(Automaton *automaton, int32_t state, int32_t read, int32_t contributions, int32_t flags) {
    size_t size;
    const int32_t *before = row_of(&automaton->states, state, &size);
    Vector *row = &automaton->row;
    row->used = 0;
    if (add_number(row, contributions) < 0 || add_number(row, flags) < 0 || add_recent(automaton, before, read) < 0 ||
        add_ordered(automaton, before, read) < 0)
        return -1;
    int placed = 0;
    for (size_t i = counts_at(automaton); i < size; i += 2) {
        if (!placed && before[i] > read) {
            if (add_number(row, read) < 0 || add_number(row, 1) < 0) return -1;
            placed = 1;
        }
        int32_t times = before[i + 1] + (before[i] == read);
        placed |= before[i] == read;
        if (add_number(row, before[i]) < 0 || add_number(row, times) < 0) return -1;
    }
    return placed ? 0 : add_number(row, read) < 0 || add_number(row, 1) < 0 ? -1 : 0;
}

/* Add counts, multiplied by a number, to a sum. */
static void add_counts(Counts *sum, const Counts *counts, int32_t times) {
    sum->satisfied += times * counts->satisfied, sum->violated += times * counts->violated;
    sum->irreparable += times * counts->irreparable, sum->hard += times * counts->hard;
    sum->hard_irreparable += times * counts->hard_irreparable, sum->retrieved += times * counts->retrieved;
    sum->satisfied_by_operands += times * counts->satisfied_by_operands;
}

static const PropertyState *property_state(const Automaton *automaton, int32_t number) {
    return &AT(PropertyState, automaton->property_states, number);
}

/* Add a property state to a row in progress, if further daughters may still repair what it violates. */
static int add_unsettled(Automaton *automaton, int32_t number) {
    const Counts *counts = &property_state(automaton, number)->counts;
    return counts->violated > counts->irreparable ? add_number(&automaton->pool, number) : 0;
}

/* Return the number of the row of property states that was made after the row `before` by a class (by none: -1). */
static int32_t property_row(Automaton *automaton, int32_t before, const DaughterClass *read) {
    int is_new;
    int32_t row = rows_put(&automaton->property_rows, &automaton->row, &is_new);
    if (row < 0 || !is_new) return row;
    const int32_t *states = (const int32_t *)automaton->row.at, *old = states;
    PropertyRow made = {0}, was = {0}, *fresh;
    if (before >= 0) was = AT(PropertyRow, automaton->rows, before), old = automaton_property_row(automaton, before);
    made.sum = was.sum, made.unsettled = (int32_t)automaton->pool.used;
    for (int32_t i = was.unsettled; i < was.end; i++) {
        int32_t number = AT(int32_t, automaton->pool, i);
        if (states[property_state(automaton, number)->property] == number && add_number(&automaton->pool, number) < 0)
            return -1;
    }
    for (int32_t i = read->symbols; i < read->end; i += 2) {
        int32_t property = AT(int32_t, automaton->pool, i), number = states[property];
        if (number == old[property]) continue;
        add_counts(&made.sum, &property_state(automaton, old[property])->counts, -1);
        add_counts(&made.sum, &property_state(automaton, number)->counts, 1);
        if (add_unsettled(automaton, number) < 0) return -1;
    }
    for (int32_t i = 0; before < 0 && i < automaton->properties; i++) {
        add_counts(&made.sum, &property_state(automaton, states[i])->counts, 1);
        if (add_unsettled(automaton, states[i]) < 0) return -1;
    }
    made.end = (int32_t)automaton->pool.used;
    if (!(fresh = vector_add(&automaton->rows))) return -1;
    *fresh = made;
    return row;
}

int automaton_row_after(Automaton *automaton, int32_t row, int32_t number, int32_t *out) {
    uint64_t key = ((uint64_t)row << 32) | (uint64_t)number;
    *out = map_get(&automaton->row_after, key);
    if (*out != ABSENT) return 0;
    size_t size;
    DaughterClass read;
    if (find_class(automaton, number, &read) < 0) return -1;
    const int32_t *old = row_of(&automaton->property_rows, row, &size);
    int32_t *states = vector_of(&automaton->row, size);
    if (size && !states) return -1;
    if (size) memcpy(states, old, size * sizeof *states);
    int is_new, changes = 0;
    for (int32_t i = read.symbols; i < read.end; i += 2) {
        int32_t property = AT(int32_t, automaton->pool, i), symbol = AT(int32_t, automaton->pool, i + 1);
        int32_t was = states[property];
        if (find_state_after(automaton, was, symbol, &states[property]) < 0) return -1;
        changes |= was != states[property];
    }
    *out = changes ? property_row(automaton, row, &read) : row;
    return *out < 0 || map_put(&automaton->row_after, key, *out, &is_new) < 0 ? -1 : 0;
}

int automaton_make(Automaton *automaton, Reading *reading) {
    if (reading->after != ABSENT) return 0;
    DaughterType seen;
    DaughterClass read;
    if (find_type(automaton, reading->type, &seen) < 0 || find_class(automaton, seen.number, &read) < 0) return -1;
    int is_new;
    size_t size;
    int32_t contributions = row_of(&automaton->states, reading->before, &size)[CONTRIBUTIONS];
    if (find_contributions(automaton, contributions, seen.contribution, &contributions) < 0 ||
        make_row(automaton, reading->before, seen.number, contributions, reading->flags) < 0)
        return -1;
    int32_t after = rows_put(&automaton->states, &automaton->row, &is_new);
    if (after < 0 || (is_new && add_number(&automaton->row_of_state, reading->row) < 0)) return -1;
    reading->after = after;
    return 0;
}

int automaton_phrase(Automaton *automaton, int32_t state, int32_t *out) {
    size_t size;
    const int32_t *row = row_of(&automaton->states, state, &size);
    const Counts *counts = automaton_counts(automaton, automaton_row_of(automaton, state));
    *out = IMPOSSIBLE;
    if (counts->hard || !(counts->retrieved || row[FLAGS] & RETRIEVED)) return 0;
    if (automaton->needs_satisfied && !(counts->satisfied_by_operands || row[FLAGS] & SATISFIED)) return 0;
    return find_phrase(automaton, row[CONTRIBUTIONS], out);
}

int automaton_class(Automaton *automaton, int32_t type, int32_t *out) {
    DaughterType seen;
    if (find_type(automaton, type, &seen) < 0) return -1;
    *out = seen.number;
    return 0;
}

int automaton_is_licensed(const Automaton *automaton, int32_t state) {
    size_t size;
    int32_t flags = row_of(&automaton->states, state, &size)[FLAGS];
    int triggered = (flags & RETRIEVED) || automaton_counts(automaton, automaton_row_of(automaton, state))->retrieved;
    return (flags & SATISFIED) || (!automaton->needs_satisfied && triggered);
}

/* what may follow */

int automaton_continuation(Automaton *automaton, const int32_t *classes, int32_t size, int32_t room, int32_t *out) {
    PyObject *tuple = tuple_of(classes, size);
    PyObject *answer = tuple ? PyObject_CallMethod(automaton->classes, "continuation", "Ni", tuple, room) : NULL;
    int bad = !answer || PyTuple_Size(answer) != automaton->properties;
    for (int32_t i = 0; i < automaton->properties && !bad; i++) {
        out[i] = (int32_t)PyLong_AsLong(PyTuple_GetItem(answer, i));
        bad = out[i] == -1 && PyErr_Occurred();
    }
    Py_XDECREF(answer);
    return bad ? -1 : 0;
}

/* Find where the pool has the operands of a lookahead number: how many sets, then for each set its cost, the number of
 * its words, and the words. */
static int find_awaited(Automaton *automaton, int32_t lookahead, int32_t *out) {
    Vector *pool = &automaton->pool;
    *out = map_get(&automaton->awaited_at, (uint64_t)lookahead);
    if (*out != ABSENT) return 0;
    int32_t begin = (int32_t)pool->used;
    PyObject *sets = PyObject_CallMethod(automaton->classes, "awaited", "i", lookahead);
    Py_ssize_t size = sets ? PyTuple_Size(sets) : -1;
    int bad = size < 0 || add_number(pool, (int32_t)size) < 0, is_new;
    for (Py_ssize_t i = 0; i < size && !bad; i++) {
        const char *bytes;
        Py_ssize_t length;
        long long cost;
        bad = !PyArg_ParseTuple(PyTuple_GetItem(sets, i), "y#L", &bytes, &length, &cost) || add_halves(pool, cost) < 0 ||
              add_number(pool, (int32_t)(length / 4)) < 0;
        for (Py_ssize_t at = 0; at + 4 <= length && !bad; at += 4) {
            uint32_t word = 0;
            for (int k = 3; k >= 0; k--) word = word << 8 | (unsigned char)bytes[at + k];
            bad = add_number(pool, (int32_t)word) < 0;
        }
    }
    Py_XDECREF(sets);
    if (bad) return -1;
    *out = begin;
    return map_put(&automaton->awaited_at, (uint64_t)lookahead, begin, &is_new) < 0 ? -1 : 0;
}

/* Return where the pool has the cost (two halves) of the set of a lookahead that has an operand, else ABSENT. */
static int32_t cost_of_place(const Automaton *automaton, int32_t awaited, int32_t place) {
    int32_t sets = AT(int32_t, automaton->pool, awaited), at = awaited + 1;
    for (int32_t i = 0; i < sets; i++, at += 3 + AT(int32_t, automaton->pool, at + 2)) {
        int32_t words = AT(int32_t, automaton->pool, at + 2), word = place / WORD;
        if (word < words && (uint32_t)AT(int32_t, automaton->pool, at + 3 + word) >> place % WORD & 1) return at;
    }
    return ABSENT;
}

int automaton_operand_costs(Automaton *automaton, int32_t property, int32_t lookahead, int32_t *out) {
    Vector *pool = &automaton->pool;
    uint64_t key = ((uint64_t)property << 32) | (uint64_t)lookahead;
    *out = map_get(&automaton->operand_costs_at, key);
    if (*out != ABSENT) return 0;
    int is_new;
    int32_t awaited;
    if (find_awaited(automaton, lookahead, &awaited) < 0) return -1;
    int32_t begin = (int32_t)pool->used;
    if (add_number(pool, 0) < 0) return -1;
    DeferredProperty deferred = AT(DeferredProperty, automaton->deferred, property);
    for (int32_t i = deferred.operands; i < deferred.end; i += 2) {
        int32_t place = AT(int32_t, *pool, i), number = AT(int32_t, *pool, i + 1);
        int32_t at = cost_of_place(automaton, awaited, place);
        if (at == ABSENT) continue;
        int32_t low = AT(int32_t, *pool, at), high = AT(int32_t, *pool, at + 1);
        if (add_number(pool, place) < 0 || add_number(pool, number) < 0 || add_number(pool, low) < 0 ||
            add_number(pool, high) < 0)
            return -1;
    }
    AT(int32_t, *pool, begin) = ((int32_t)pool->used - begin - 1) / OPERAND_WIDTH;
    *out = begin;
    return map_put(&automaton->operand_costs_at, key, begin, &is_new) < 0 ? -1 : 0;
}

int automaton_finals(Automaton *automaton, int32_t property_state, int32_t continuation, int32_t *out) {
    int32_t *known = cell_of(&automaton->finals_at, property_state, continuation);
    if (!known) return -1;
    if (*known == ABSENT) {
        PyObject *answer = ask_of_state(automaton, "final_counts", property_state, continuation);
        Py_ssize_t size = answer ? PyTuple_Size(answer) : -1;
        int bad = size < 0, is_new;
        automaton->row.used = 0;
        for (Py_ssize_t i = 0; i < size && !bad; i++) {
            int numbers[FINAL_WIDTH];
            bad = !PyArg_ParseTuple(PyTuple_GetItem(answer, i), "iipp", numbers, numbers + 1, numbers + 2, numbers + 3);
            for (int k = 0; k < FINAL_WIDTH && !bad; k++) bad = add_number(&automaton->row, numbers[k]) < 0;
        }
        Py_XDECREF(answer);
        if (bad) return -1;
        *known = size ? rows_put(&automaton->finals, &automaton->row, &is_new) : NO_FINALS - property_state;
        if (*known == ABSENT) return -1;
    }
    *out = *known;
    return 0;
}

/* the automaton */

/* Make the state that has read nothing. */
static int begin(Automaton *automaton) {
    int is_new;
    automaton->row.used = 0;
    for (int32_t i = 0; i < RECENT + automaton->reach; i++)
        if (add_number(&automaton->row, i < RECENT ? 0 : -1) < 0) return -1;
    for (size_t i = 0; i < automaton->ordered.used; i++) {
        int32_t none;
        if (find_property_state(automaton, AT(int32_t, automaton->ordered, i), 0, -1, &none) < 0 ||
            add_number(&automaton->row, none) < 0)
            return -1;
    }
    if (rows_put(&automaton->states, &automaton->row, &is_new) < 0) return -1;
    int32_t *states = vector_of(&automaton->row, (size_t)automaton->properties);
    if (automaton->properties && !states) return -1;
    for (int32_t i = 0; i < automaton->properties; i++)
        if (find_property_state(automaton, i, 0, -1, &states[i]) < 0) return -1;
    DaughterClass none = {0};
    int32_t row = property_row(automaton, -1, &none);
    return row < 0 ? -1 : add_number(&automaton->row_of_state, row);
}

/* Read the local properties: shape, reach, hard, positional. */
static int read_local(Automaton *automaton) {
    PyObject *tuple = PyObject_GetAttrString(automaton->classes, "local_shapes");
    Py_ssize_t size = tuple ? PyTuple_Size(tuple) : -1;
    int bad = size < 0;
    for (Py_ssize_t i = 0; i < size && !bad; i++) {
        LocalProperty *fresh = vector_add(&automaton->local);
        bad = !fresh || !PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "iipp", &fresh->shape, &fresh->reach,
                                          &fresh->is_hard, &fresh->is_positional);
    }
    Py_XDECREF(tuple);
    return bad ? -1 : 0;
}

/* Read the deferred properties: shape, hard, and the places of their operands. */
static int read_deferred(Automaton *automaton) {
    PyObject *tuple = PyObject_GetAttrString(automaton->classes, "deferred_shapes");
    Py_ssize_t size = tuple ? PyTuple_Size(tuple) : -1;
    int bad = size < 0;
    for (Py_ssize_t i = 0; i < size && !bad; i++) {
        DeferredProperty *fresh = vector_add(&automaton->deferred);
        PyObject *operands;
        bad = !fresh || !PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "ipO!", &fresh->shape, &fresh->is_hard,
                                          &PyTuple_Type, &operands);
        if (bad) break;
        fresh->operands = (int32_t)automaton->pool.used;
        bad = add_numbers(&automaton->pool, operands) < 0;
        fresh->end = (int32_t)automaton->pool.used;
    }
    Py_XDECREF(tuple);
    return bad ? -1 : 0;
}

/* Read the numbers of the properties for which order matters. */
static int read_ordered(Automaton *automaton) {
    PyObject *tuple = PyObject_GetAttrString(automaton->classes, "ordered");
    int bad = !tuple || add_numbers(&automaton->ordered, tuple) < 0;
    Py_XDECREF(tuple);
    return bad ? -1 : 0;
}

/* Find the size of a tuple that is an attribute of an object. */
static int size_of(PyObject *object, const char *name, int32_t *out) {
    PyObject *tuple = PyObject_GetAttrString(object, name);
    *out = tuple ? (int32_t)PyTuple_Size(tuple) : -1;
    Py_XDECREF(tuple);
    return *out < 0 ? -1 : 0;
}

Automaton *automaton_new(PyObject *twin, Shapes *shapes) {
    Automaton *automaton = calloc(1, sizeof *automaton);
    if (!automaton) return PyErr_NoMemory(), NULL;
    automaton->twin = Py_NewRef(twin), automaton->shapes = shapes;
    automaton->classes = PyObject_GetAttrString(twin, "classes");
    int bad = !automaton->classes || size_of(automaton->classes, "deferred", &automaton->properties) < 0;
    automaton->pool.width = automaton->phrases.width = sizeof(int32_t);
    automaton->row.width = automaton->row_of_state.width = automaton->ordered.width = sizeof(int32_t);
    rows_new(&automaton->finals), rows_new(&automaton->states), rows_new(&automaton->property_rows);
    automaton->types.width = sizeof(DaughterType), automaton->daughter_classes.width = sizeof(DaughterClass);
    automaton->effects.width = sizeof(PairEffect), automaton->rows.width = sizeof(PropertyRow);
    automaton->property_states.width = sizeof(PropertyState), automaton->local.width = sizeof(LocalProperty);
    automaton->deferred.width = sizeof(DeferredProperty), automaton->least_classes.width = sizeof(int32_t);
    rows_new(&automaton->effect_rows);
    bad = bad || ask_number(PyObject_GetAttrString(automaton->classes, "reach"), &automaton->reach) < 0;
    bad = bad || (automaton->is_countable = flag_of(automaton->classes, "is_countable")) < 0;
    bad = bad || (automaton->needs_satisfied = flag_of(automaton->classes, "needs_satisfied")) < 0;
    PyObject *features = bad ? NULL : PyObject_GetAttrString(automaton->classes, "features");
    bad = bad || !features || (automaton->is_countable && (read_local(automaton) < 0 || read_deferred(automaton) < 0 ||
                                                           read_ordered(automaton) < 0 || begin(automaton) < 0 ||
                                                           features_new(&automaton->features, features) < 0));
    Py_XDECREF(features);
    if (!bad) return automaton;
    automaton_free(automaton);
    return NULL;
}

void automaton_free(Automaton *automaton) {
    if (!automaton) return;
    Py_XDECREF(automaton->twin);
    Py_XDECREF(automaton->classes);
    map_free(&automaton->property_states_at);
    map_free(&automaton->operand_costs_at);
    map_free(&automaton->awaited_at);
    map_free(&automaton->contributions_with);
    map_free(&automaton->row_after);
    features_free(&automaton->features);
    Vector *vectors[] = {&automaton->types,           &automaton->daughter_classes, &automaton->pool, &automaton->effects,
                         &automaton->property_states, &automaton->phrases,          &automaton->rows, &automaton->row,
                         &automaton->row_of_state,    &automaton->local,            &automaton->deferred,
                         &automaton->least_classes,   &automaton->ordered};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) free(vectors[i]->at);
    Grid *grids[] = {&automaton->effects_at, &automaton->property_state_after, &automaton->finals_at};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) grid_free(grids[i]);
    Rows *rows[] = {&automaton->finals, &automaton->states, &automaton->property_rows, &automaton->effect_rows};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) rows_free(rows[i]);
    free(automaton);
}
