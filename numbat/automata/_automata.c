#define Py_LIMITED_API 0x030B0000
#include "_automata.h"

#include "_map.h"
#include "_rows.h"

#define UNASKED -2
#define NOTHING_KNOWN -2 /* or less: the outlook of a reading of which that is so, none is like another */

typedef struct { /* what deferred properties would say if the constituent ended here: states.Verdict */
    int64_t cost, weight, doomed;
    int32_t hard, hopeless, held, retrieved;
} Verdict;

typedef struct { /* what a deferred property has read, and what it says of it */
    int32_t property, read;
    Verdict verdict;
} Reading;

typedef struct {
    int32_t adjoins, sights, end; /* from `sights` to `end`: pairs (property, sight) in the pool */
} Letter;

typedef struct { /* all that is seen of a daughter: its letter, and the number of what it decides */
    int32_t letter, notes;
} Look;

typedef struct { /* states.Outcome, without the properties by name */
    int64_t cost, weight, gain; /* the weight less the cost */
    int32_t satisfied, dead, retrieved;
} Outcome;

typedef struct { /* bounds of a deferred property: what it costs more for certain, and at least */
    int64_t certain, least;
} Bound;

typedef struct { /* numbers by row and column, `ABSENT` where there is none */
    Vector rows; /* Vector of int32_t */
} Grid;

struct Automaton {
    PyObject *twin, *alphabet;
    int is_countable, needs_held;
    int32_t properties;  /* deferred ones */
    Vector looks;        /* Look */
    Vector letters;      /* Letter */
    Vector pool;         /* int32_t: sights of letters, levels of views */
    Grid outcomes_at;    /* letter before, from 1 on; letter and whether it is adjacent */
    Vector outcomes;     /* Outcome */
    Map crossings_at;    /* (letter, place of an operand) */
    Vector crossings;    /* int64_t */
    Map readings_at;     /* (property, read) */
    Grid readings_after; /* reading; sight */
    Vector readings;     /* Reading */
    Grid firsts_with;    /* what decides features; what a daughter decides */
    Vector phrases;      /* int32_t: kinds, by what decides features */
    Map levels_at;       /* (property, view): where its pairs (place, level) begin in the pool */
    Rows dues;           /* (reading, then place and due of operands) */
    Vector bounds;       /* Bound, by row of dues */
    Grid outlooks_at;    /* reading; what may come */
    Rows outlooks;       /* gains: the halves of the sum, whether it holds */
    Rows states;         /* (last letter, firsts, flags, then letters and how often) */
    Vector sums;         /* Verdict, by state */
    Rows reads;          /* readings, of each property */
    Vector reads_at;     /* int32_t: the row of these, by state */
    Vector row;          /* int32_t: the row that is being made */
};

enum { LAST, FIRSTS, FLAGS, COUNTS };
enum { SATISFIED = 1, RETRIEVED = 2 };

/* grids */

/* Where the number of a row and a column is; the pointer lasts until another one is asked for. NULL without memory. */
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

/* The number there, `ABSENT` where there is none. */
static inline int32_t number_at(const Grid *grid, int32_t row, int32_t column) {
    if ((size_t)row >= grid->rows.used) return ABSENT;
    const Vector *cells = &AT(Vector, grid->rows, row);
    return (size_t)column < cells->used ? AT(int32_t, *cells, column) : ABSENT;
}

static void grid_free(Grid *grid) {
    for (size_t i = 0; i < grid->rows.used; i++) free(AT(Vector, grid->rows, i).at);
    free(grid->rows.at);
}

static int64_t whole_of(const int32_t *halves) {
    return (int64_t)(((uint64_t)(uint32_t)halves[1] << 32) | (uint32_t)halves[0]);
}

static int add_halves(Vector *vector, int64_t whole) {
    return add_number(vector, (int32_t)(whole & 0xFFFFFFFF)) < 0 ? -1 : add_number(vector, (int32_t)(whole >> 32));
}

/* sums */

int overflowed(void) {
    PyErr_SetString(PyExc_OverflowError, "a sum of weights or costs is beyond 64 bits");
    return -1;
}

static int add_times(int64_t *sum, int64_t value, int64_t times) {
    int64_t product;
    if (__builtin_mul_overflow(value, times, &product) || __builtin_add_overflow(*sum, product, sum))
        return overflowed();
    return 0;
}

static int add_verdict(Verdict *sum, const Verdict *verdict, int sign) {
    sum->hard += sign * verdict->hard;
    sum->hopeless += sign * verdict->hopeless;
    sum->held += sign * verdict->held;
    sum->retrieved += sign * verdict->retrieved;
    return add_times(&sum->cost, verdict->cost, sign) < 0 || add_times(&sum->weight, verdict->weight, sign) < 0
               ? -1
               : add_times(&sum->doomed, verdict->doomed, sign);
}

/* asking the alphabet, once */

static int ask(PyObject *answer, const char *format, ...) {
    if (!answer) return -1;
    va_list found;
    va_start(found, format);
    int good = PyArg_VaParse(answer, format, found);
    va_end(found);
    Py_DECREF(answer);
    return good ? 0 : -1;
}

static int ask_number(PyObject *answer, int32_t *found) {
    if (!answer) return -1;
    long number = PyLong_AsLong(answer);
    Py_DECREF(answer);
    if (number == -1 && PyErr_Occurred()) return -1;
    if (number < INT32_MIN || number > INT32_MAX) return overflowed();
    *found = (int32_t)number;
    return 0;
}

static int flag_of(PyObject *object, const char *name) {
    PyObject *value = PyObject_GetAttrString(object, name);
    int flag = value ? PyObject_IsTrue(value) : -1;
    Py_XDECREF(value);
    return flag;
}

static PyObject *tuple_of(const int32_t *numbers, int32_t size) {
    PyObject *tuple = PyTuple_New(size);
    for (int32_t i = 0; tuple && i < size; i++) {
        PyObject *number = PyLong_FromLong(numbers[i]);
        if (!number || PyTuple_SetItem(tuple, i, number) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

/* Put the pairs of a Python tuple at the end of the pool, their second numbers as two halves if they may be large. */
static int add_pairs(Automaton *automaton, PyObject *pairs, int halves) {
    Py_ssize_t size = pairs ? PyTuple_Size(pairs) : -1;
    int bad = size < 0;
    for (Py_ssize_t i = 0; i < size && !bad; i++) {
        int first;
        long long second;
        bad = !PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "iL", &first, &second) ||
              add_number(&automaton->pool, first) < 0 ||
              (halves ? add_halves(&automaton->pool, second) : add_number(&automaton->pool, (int32_t)second)) < 0;
    }
    Py_XDECREF(pairs);
    return bad ? -1 : 0;
}

static int find_look(Automaton *automaton, int32_t look, Look *found) {
    while ((size_t)look >= automaton->looks.used) {
        Look asked;
        PyObject *answer = PyObject_CallMethod(automaton->alphabet, "seen", "i", (int)automaton->looks.used);
        if (ask(answer, "ii", &asked.letter, &asked.notes) < 0) return -1;
        Look *fresh = vector_add(&automaton->looks);
        if (!fresh) return -1;
        *fresh = asked;
    }
    *found = AT(Look, automaton->looks, look);
    return 0;
}

static int find_spelling(Automaton *automaton, int32_t letter, Letter *found) {
    while ((size_t)letter >= automaton->letters.used) {
        int32_t next = (int32_t)automaton->letters.used, begin = (int32_t)automaton->pool.used;
        int adjoins;
        PyObject *sights;
        PyObject *answer = PyObject_CallMethod(automaton->alphabet, "spelling", "i", next);
        if (!answer) return -1;
        int bad = !PyArg_ParseTuple(answer, "pO", &adjoins, &sights);
        if (!bad) Py_INCREF(sights);
        Py_DECREF(answer);
        if (bad || add_pairs(automaton, sights, 0) < 0) return -1;
        Letter *fresh = vector_add(&automaton->letters);
        if (!fresh) return -1;
        *fresh = (Letter){adjoins, begin, (int32_t)automaton->pool.used};
    }
    *found = AT(Letter, automaton->letters, letter);
    return 0;
}

static const Outcome *ask_outcome(Automaton *automaton, int32_t before, int32_t read, int adjacent) {
    Outcome found;
    long long cost, weight;
    int32_t *known = cell_of(&automaton->outcomes_at, before + 1, 2 * read + adjacent);
    PyObject *answer = PyObject_CallMethod(automaton->alphabet, "brief", "iii", before, read, adjacent);
    if (ask(answer, "LLppp", &cost, &weight, &found.satisfied, &found.dead, &found.retrieved) < 0 || !known)
        return NULL;
    found.cost = cost, found.weight = weight;
    if (__builtin_sub_overflow(found.weight, found.cost, &found.gain)) {
        overflowed();
        return NULL;
    }
    Outcome *fresh = vector_add(&automaton->outcomes);
    if (!fresh) return NULL;
    *fresh = found;
    *known = (int32_t)automaton->outcomes.used - 1;
    return fresh;
}

/* Until the next one is asked for; NULL with an error. */
static inline const Outcome *outcome_of(Automaton *automaton, int32_t before, int32_t read, int adjacent) {
    int32_t known = number_at(&automaton->outcomes_at, before + 1, 2 * read + adjacent);
    return known == ABSENT ? ask_outcome(automaton, before, read, adjacent) : &AT(Outcome, automaton->outcomes, known);
}

static int find_crossing(Automaton *automaton, int32_t letter, int32_t place, int64_t *found) {
    uint64_t key = ((uint64_t)letter << 32) | (uint64_t)place;
    int32_t known = map_get(&automaton->crossings_at, key);
    if (known == ABSENT) {
        PyObject *answer = PyObject_CallMethod(automaton->alphabet, "least_pair", "ii", letter, place);
        long long cost = answer ? PyLong_AsLongLong(answer) : -1;
        Py_XDECREF(answer);
        if (cost == -1 && PyErr_Occurred()) return -1;
        int is_new;
        known = map_put(&automaton->crossings_at, key, (int32_t)automaton->crossings.used, &is_new);
        int64_t *fresh = known < 0 ? NULL : vector_add(&automaton->crossings);
        if (!fresh) return -1;
        *fresh = cost;
    }
    *found = AT(int64_t, automaton->crossings, known);
    return 0;
}

/* The number of a reading, noted where it is new: `answer` is what Python says of it, a read and a verdict. */
static int find_reading(Automaton *automaton, int32_t property, PyObject *answer, int32_t *found) {
    long long cost, weight, doomed;
    Reading asked = {.property = property};
    Verdict *verdict = &asked.verdict;
    if (ask(answer, "i(LLLiiii)", &asked.read, &cost, &weight, &doomed, &verdict->hard, &verdict->hopeless,
            &verdict->held, &verdict->retrieved) < 0)
        return -1;
    verdict->cost = cost, verdict->weight = weight, verdict->doomed = doomed;
    int is_new;
    uint64_t key = ((uint64_t)property << 32) | (uint64_t)asked.read;
    *found = map_put(&automaton->readings_at, key, (int32_t)automaton->readings.used, &is_new);
    if (*found < 0 || !is_new) return *found < 0 ? -1 : 0;
    Reading *fresh = vector_add(&automaton->readings);
    if (!fresh) return -1;
    *fresh = asked;
    return 0;
}

/* What Python says of what a property has read, and of one more thing. */
static PyObject *ask_of_reading(Automaton *automaton, const char *what, int32_t reading, int32_t more) {
    Reading was = AT(Reading, automaton->readings, reading);
    return PyObject_CallMethod(automaton->alphabet, what, "iii", was.property, was.read, more);
}

static int find_reading_after(Automaton *automaton, int32_t reading, int32_t sight, int32_t *found) {
    int32_t *known = cell_of(&automaton->readings_after, reading, sight);
    if (!known) return -1;
    if (*known == ABSENT) {
        int32_t property = AT(Reading, automaton->readings, reading).property;
        if (find_reading(automaton, property, ask_of_reading(automaton, "after", reading, sight), known) < 0) return -1;
    }
    *found = *known;
    return 0;
}

static int find_firsts(Automaton *automaton, int32_t firsts, int32_t notes, int32_t *found) {
    int32_t *known = cell_of(&automaton->firsts_with, firsts, notes);
    if (!known) return -1;
    if (*known == ABSENT &&
        ask_number(PyObject_CallMethod(automaton->alphabet, "firsts_with", "ii", firsts, notes), known) < 0)
        return -1;
    *found = *known;
    return 0;
}

static int find_phrase(Automaton *automaton, int32_t firsts, int32_t *found) {
    while ((size_t)firsts >= automaton->phrases.used)
        if (add_number(&automaton->phrases, UNASKED) < 0) return -1;
    *found = AT(int32_t, automaton->phrases, firsts);
    if (*found != UNASKED) return 0;
    if (ask_number(PyObject_CallMethod(automaton->alphabet, "phrase", "i", firsts), found) < 0) return -1;
    AT(int32_t, automaton->phrases, firsts) = *found;
    return 0;
}

/* Where the levels of the operands that a property awaits begin in the pool; their number stands first. */
static int find_levels(Automaton *automaton, int32_t property, int32_t view, int32_t *found) {
    uint64_t key = ((uint64_t)property << 32) | (uint64_t)view;
    *found = map_get(&automaton->levels_at, key);
    if (*found != ABSENT) return 0;
    int is_new;
    int32_t begin = (int32_t)automaton->pool.used;
    if (add_number(&automaton->pool, 0) < 0 ||
        add_pairs(automaton, PyObject_CallMethod(automaton->alphabet, "own_levels", "ii", property, view), 1) < 0)
        return -1;
    AT(int32_t, automaton->pool, begin) = ((int32_t)automaton->pool.used - begin - 1) / 3;
    *found = begin;
    return map_put(&automaton->levels_at, key, begin, &is_new) < 0 ? -1 : 0;
}

/* The bound for the row of dues that was made. */
static int find_bound(Automaton *automaton, Bound *found) {
    int is_new;
    int32_t number = rows_put(&automaton->dues, &automaton->row, &is_new);
    if (number < 0) return -1;
    if (is_new) {
        Bound asked;
        const int32_t *row = (const int32_t *)automaton->row.at;
        const Reading *reading = &AT(Reading, automaton->readings, row[0]);
        Py_ssize_t size = ((Py_ssize_t)automaton->row.used - 1) / 3;
        PyObject *dues = PyTuple_New(size);
        for (Py_ssize_t i = 0; dues && i < size; i++) {
            const int32_t *due = row + 1 + 3 * i;
            PyObject *pair = Py_BuildValue("(iL)", due[0], (long long)whole_of(due + 1));
            if (!pair || PyTuple_SetItem(dues, i, pair) < 0) Py_CLEAR(dues);
        }
        if (!dues) return -1;
        long long certain, least;
        PyObject *answer =
            PyObject_CallMethod(automaton->alphabet, "bound", "iiN", reading->property, reading->read, dues);
        if (ask(answer, "LL", &certain, &least) < 0) return -1;
        asked.certain = certain, asked.least = least;
        Bound *fresh = vector_add(&automaton->bounds);
        if (!fresh) return -1;
        *fresh = asked;
    }
    *found = AT(Bound, automaton->bounds, number);
    return 0;
}

/* states */

/* The row of the state after a letter: counts stay sorted by letter. */
static int make_row(Automaton *automaton, int32_t state, int32_t read, int32_t last, int32_t firsts, int32_t flags) {
    size_t size;
    const int32_t *before = row_of(&automaton->states, state, &size);
    Vector *row = &automaton->row;
    row->used = 0;
    if (add_number(row, last) < 0 || add_number(row, firsts) < 0 || add_number(row, flags) < 0) return -1;
    int placed = 0;
    for (size_t i = COUNTS; i < size; i += 2) {
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

/* Keep what the deferred properties have read in a new state, the row that was made, and what they say of it. */
static int add_judged(Automaton *automaton, const Verdict *sum) {
    int is_new;
    int32_t reads = rows_put(&automaton->reads, &automaton->row, &is_new);
    if (reads < 0 || add_number(&automaton->reads_at, reads) < 0) return -1;
    Verdict *fresh = vector_add(&automaton->sums);
    if (!fresh) return -1;
    *fresh = *sum;
    return 0;
}

/* What the deferred properties say of a new state: what they said before, but for those that speak of the letter. */
static int judge(Automaton *automaton, int32_t before, const Letter *letter) {
    Verdict sum = AT(Verdict, automaton->sums, before);
    size_t size;
    const int32_t *old = row_of(&automaton->reads, AT(int32_t, automaton->reads_at, before), &size);
    int32_t *reads = vector_of(&automaton->row, size);
    if (size && !reads) return -1;
    if (size) memcpy(reads, old, size * sizeof *reads);
    for (int32_t i = letter->sights; i < letter->end; i += 2) {
        int32_t property = AT(int32_t, automaton->pool, i), sight = AT(int32_t, automaton->pool, i + 1), after;
        if (find_reading_after(automaton, reads[property], sight, &after) < 0) return -1;
        if (add_verdict(&sum, &AT(Reading, automaton->readings, reads[property]).verdict, -1) < 0 ||
            add_verdict(&sum, &AT(Reading, automaton->readings, after).verdict, 1) < 0)
            return -1;
        reads[property] = after;
    }
    return add_judged(automaton, &sum);
}

static int step(Automaton *automaton, int32_t state, int32_t look, Move *found) {
    size_t size;
    Look seen;
    if (find_look(automaton, look, &seen) < 0) return -1;
    int32_t read = seen.letter;
    const int32_t *row = row_of(&automaton->states, state, &size);
    int32_t last = row[LAST], firsts = row[FIRSTS], flags = row[FLAGS], dead = 0;
    int64_t cost = 0, gain = 0;
    for (size_t i = COUNTS - 2; i < size; i += 2) { /* alone first, then after each letter before it */
        int32_t before = i < COUNTS ? -1 : row[i], times = i < COUNTS ? 1 : row[i + 1];
        for (int adjacent = 0; adjacent < 2; adjacent++) {
            int32_t here = before >= 0 && before == last ? (adjacent ? 1 : times - 1) : (adjacent ? 0 : times);
            if (!here) continue;
            const Outcome *outcome = outcome_of(automaton, before, read, adjacent);
            if (!outcome || add_times(&cost, outcome->cost, here) < 0 || add_times(&gain, outcome->weight, here) < 0)
                return -1;
            dead |= outcome->dead;
            flags |= (outcome->satisfied ? SATISFIED : 0) | (outcome->retrieved ? RETRIEVED : 0);
        }
    }
    found->to = IMPOSSIBLE;
    if (dead) return 0;
    Letter letter;
    int is_new;
    if (find_spelling(automaton, read, &letter) < 0 || find_firsts(automaton, firsts, seen.notes, &firsts) < 0 ||
        make_row(automaton, state, read, letter.adjoins ? read : -1, firsts, flags) < 0)
        return -1;
    int32_t after = rows_put(&automaton->states, &automaton->row, &is_new);
    if (after < 0 || (is_new && judge(automaton, state, &letter) < 0)) return -1;
    const Verdict *sum = &AT(Verdict, automaton->sums, after);
    if (sum->hopeless) return 0;
    if (add_times(&cost, sum->doomed, 1) < 0 ||
        (state && add_times(&cost, AT(Verdict, automaton->sums, state).doomed, -1) < 0))
        return -1;
    *found = (Move){after, sum->hard > 0, cost, gain};
    return 0;
}

static int accept(Automaton *automaton, int32_t state, Move *found) {
    size_t size;
    const int32_t *row = row_of(&automaton->states, state, &size);
    const Verdict *sum = &AT(Verdict, automaton->sums, state);
    found->to = IMPOSSIBLE;
    if (sum->hard || !(sum->retrieved || row[FLAGS] & RETRIEVED)) return 0;
    if (automaton->needs_held && !(sum->held || row[FLAGS] & SATISFIED)) return 0;
    found->cost = sum->cost, found->gain = sum->weight;
    if (add_times(&found->cost, sum->doomed, -1) < 0) return -1;
    return find_phrase(automaton, row[FIRSTS], &found->to);
}

/* The dues of a property: the levels of the operands that it awaits, with what their order costs after the letters. */
static int make_dues(Automaton *automaton, int32_t state, int32_t reading, int32_t levels) {
    size_t size;
    const int32_t *row = row_of(&automaton->states, state, &size);
    Vector *dues = &automaton->row;
    dues->used = 0;
    if (add_number(dues, reading) < 0) return -1;
    for (int32_t i = 0; i < AT(int32_t, automaton->pool, levels); i++) {
        const int32_t *level = (int32_t *)automaton->pool.at + levels + 1 + 3 * i;
        int32_t place = level[0];
        int64_t due = whole_of(level + 1), crossing;
        for (size_t k = COUNTS; k < size && due < INFINITE; k += 2) {
            if (find_crossing(automaton, row[k], place, &crossing) < 0) return -1;
            if (__builtin_mul_overflow(crossing, (int64_t)row[k + 1], &crossing) || crossing >= INFINITE - due)
                due = INFINITE;
            else
                due += crossing;
        }
        if (add_number(dues, place) < 0 || add_halves(dues, due) < 0) return -1;
    }
    return 0;
}

static int bound_of(Automaton *automaton, int32_t state, int32_t property, int32_t reading, int32_t view,
                    Bound *found) {
    int32_t levels;
    if (find_levels(automaton, property, view, &levels) < 0 || make_dues(automaton, state, reading, levels) < 0)
        return -1;
    return find_bound(automaton, found);
}

static int32_t reading_of(const Automaton *automaton, int32_t state, int32_t property) {
    size_t size;
    return row_of(&automaton->reads, AT(int32_t, automaton->reads_at, state), &size)[property];
}

static int ahead(Automaton *automaton, int32_t state, int32_t view, int64_t *found) {
    int64_t certain = 0, dearest = 0;
    for (int32_t property = 0; property < automaton->properties; property++) {
        int32_t reading = reading_of(automaton, state, property);
        const Verdict *verdict = &AT(Reading, automaton->readings, reading).verdict;
        if (verdict->cost <= verdict->doomed) continue;
        Bound bound;
        if (bound_of(automaton, state, property, reading, view, &bound) < 0) return -1;
        if (bound.certain >= INFINITE - certain) {
            *found = INFINITE;
            return 0;
        }
        certain += bound.certain;
        if (bound.least - bound.certain > dearest) dearest = bound.least - bound.certain;
    }
    *found = dearest >= INFINITE - certain ? INFINITE : certain + dearest;
    return 0;
}

static int lost(Automaton *automaton, int32_t state, int32_t view, int64_t *found) {
    *found = 0;
    for (int32_t property = 0; property < automaton->properties && !*found; property++) {
        int32_t reading = reading_of(automaton, state, property);
        const Verdict *verdict = &AT(Reading, automaton->readings, reading).verdict;
        if (verdict->cost <= verdict->doomed || !verdict->hard) continue;
        Bound bound;
        if (bound_of(automaton, state, property, reading, view, &bound) < 0) return -1;
        if (bound.certain >= INFINITE) *found = INFINITE;
    }
    return 0;
}

/* what the kernel calls */

static int ask_move(PyObject *answer, Move *found) {
    found->to = IMPOSSIBLE;
    if (answer == Py_None) {
        Py_DECREF(answer);
        return 0;
    }
    long long cost, gain;
    if (ask(answer, "iLL", &found->to, &cost, &gain) < 0) return -1;
    found->cost = cost, found->gain = gain;
    return 0;
}

int automaton_step(Automaton *automaton, int32_t state, int32_t look, Move *found) {
    if (automaton->is_countable) return step(automaton, state, look, found);
    found->owes = 1;
    return ask_move(PyObject_CallMethod(automaton->twin, "step", "ii", state, look), found);
}

int automaton_accept(Automaton *automaton, int32_t state, Move *found) {
    if (automaton->is_countable) return accept(automaton, state, found);
    return ask_move(PyObject_CallMethod(automaton->twin, "accept", "i", state), found);
}

int automaton_ahead(Automaton *automaton, int32_t state, int32_t view, int64_t *found) {
    if (automaton->is_countable) return ahead(automaton, state, view, found);
    PyObject *answer = PyObject_CallMethod(automaton->twin, "ahead", "ii", state, view);
    *found = answer ? PyLong_AsLongLong(answer) : -1;
    Py_XDECREF(answer);
    return *found == -1 && PyErr_Occurred() ? -1 : 0;
}

int automaton_lost(Automaton *automaton, int32_t state, int32_t view, int64_t *found) {
    if (automaton->is_countable) return lost(automaton, state, view, found);
    PyObject *answer = PyObject_CallMethod(automaton->twin, "is_lost", "ii", state, view);
    int is_lost = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    *found = is_lost > 0 ? INFINITE : 0;
    return is_lost < 0 ? -1 : 0;
}

size_t automaton_states(const Automaton *automaton) { return automaton->states.begins.used; }

/* how states compare */

int automaton_is_countable(const Automaton *automaton) { return automaton->is_countable; }

int32_t automaton_properties(const Automaton *automaton) { return automaton->properties; }

int automaton_letter(Automaton *automaton, int32_t look, int32_t *found) {
    Look seen;
    if (find_look(automaton, look, &seen) < 0) return -1;
    *found = seen.letter;
    return 0;
}

void automaton_standing(const Automaton *automaton, int32_t state, Standing *found) {
    size_t size;
    found->firsts = row_of(&automaton->states, state, &size)[FIRSTS];
    found->doomed = AT(Verdict, automaton->sums, state).doomed;
    found->reads = AT(int32_t, automaton->reads_at, state);
}

const int32_t *automaton_reads(const Automaton *automaton, int32_t reads) {
    size_t size;
    return row_of(&automaton->reads, reads, &size);
}

/* Add what so many daughters gain of which that is said. */
static inline int add_gain(Gain *gain, const Outcome *outcome, int64_t times) {
    if (!outcome) return -1;
    gain->holds |= outcome->satisfied;
    if (outcome->dead || gain->sum == LOST) {
        gain->sum = LOST;
        return 0;
    }
    return add_times(&gain->sum, outcome->gain, times);
}

int automaton_gains(Automaton *automaton, int32_t state, const int32_t *letters, int32_t size, int32_t next,
                    Gain *gains) {
    size_t length;
    const int32_t *row = row_of(&automaton->states, state, &length);
    for (int32_t k = 0; k < size; k++) gains[k] = (Gain){0, 0};
    for (size_t i = COUNTS - 2; i < length; i += 2) { /* alone first, then after each letter before it */
        int32_t before = i < COUNTS ? -1 : row[i], times = i < COUNTS ? 1 : row[i + 1];
        int may_adjoin = before >= 0 && before == row[LAST];
        for (int32_t k = 0; k < size; k++) {
            int near = may_adjoin && k < next;
            if (near && add_gain(&gains[k], outcome_of(automaton, before, letters[k], 1), 1) < 0) return -1;
            if (times > near && add_gain(&gains[k], outcome_of(automaton, before, letters[k], 0), times - near) < 0)
                return -1;
        }
    }
    return 0;
}

int automaton_future(Automaton *automaton, const int32_t *letters, int32_t size, int32_t room, int32_t *found) {
    PyObject *tuple = tuple_of(letters, size);
    PyObject *answer = tuple ? PyObject_CallMethod(automaton->alphabet, "future", "Ni", tuple, room) : NULL;
    int bad = !answer || PyTuple_Size(answer) != automaton->properties;
    for (int32_t i = 0; i < automaton->properties && !bad; i++) {
        found[i] = (int32_t)PyLong_AsLong(PyTuple_GetItem(answer, i));
        bad = found[i] == -1 && PyErr_Occurred();
    }
    Py_XDECREF(answer);
    return bad ? -1 : 0;
}

int automaton_outlook(Automaton *automaton, int32_t reading, int32_t coming, int32_t *found) {
    int32_t *known = cell_of(&automaton->outlooks_at, reading, coming);
    if (!known) return -1;
    if (*known == ABSENT) {
        PyObject *answer = ask_of_reading(automaton, "outlook", reading, coming);
        Py_ssize_t size = answer ? PyTuple_Size(answer) : -1;
        int bad = size < 0, is_new;
        automaton->row.used = 0;
        for (Py_ssize_t i = 0; i < size && !bad; i++) {
            long long sum;
            int holds;
            bad = !PyArg_ParseTuple(PyTuple_GetItem(answer, i), "Lp", &sum, &holds) ||
                  add_halves(&automaton->row, sum) < 0 || add_number(&automaton->row, holds) < 0;
        }
        Py_XDECREF(answer);
        if (bad) return -1;
        *known = size ? rows_put(&automaton->outlooks, &automaton->row, &is_new) : NOTHING_KNOWN - reading;
        if (*known == ABSENT) return -1;
    }
    *found = *known;
    return 0;
}

int automaton_lead(const Automaton *automaton, int32_t mine, int32_t yours, int sure, int64_t *found) {
    size_t size;
    *found = mine == yours ? 0 : LOST;
    if (mine == yours || mine <= NOTHING_KNOWN || yours <= NOTHING_KNOWN) return 0;
    const int32_t *gains = row_of(&automaton->outlooks, mine, &size);
    const int32_t *others = row_of(&automaton->outlooks, yours, &size);
    *found = INFINITE;
    for (size_t i = 0; i < size; i += 3) {
        Gain one = {whole_of(gains + i), gains[i + 2]}, other = {whole_of(others + i), others[i + 2]};
        if (lower_to_lead(one, other, sure, found) < 0) return -1;
    }
    if (*found == INFINITE) *found = 0;
    return 0;
}

int automaton_is_sure(const Automaton *automaton, int32_t state) {
    size_t size;
    int32_t flags = row_of(&automaton->states, state, &size)[FLAGS];
    int triggered = (flags & RETRIEVED) || AT(Verdict, automaton->sums, state).retrieved;
    return (flags & SATISFIED) || (!automaton->needs_held && triggered);
}

int automaton_needs_held(const Automaton *automaton) { return automaton->needs_held; }

/* The state in which nothing was read yet. */
static int begin(Automaton *automaton) {
    int is_new;
    automaton->row.used = 0;
    if (add_number(&automaton->row, -1) < 0 || add_number(&automaton->row, 0) < 0 ||
        add_number(&automaton->row, 0) < 0 || rows_put(&automaton->states, &automaton->row, &is_new) < 0)
        return -1;
    Verdict sum = {0};
    int32_t *reads = vector_of(&automaton->row, (size_t)automaton->properties);
    if (automaton->properties && !reads) return -1;
    for (int32_t i = 0; i < automaton->properties; i++) {
        PyObject *verdict = PyObject_CallMethod(automaton->alphabet, "nothing_read", "i", i);
        PyObject *answer = verdict ? Py_BuildValue("(iN)", 0, verdict) : NULL;
        if (find_reading(automaton, i, answer, &reads[i]) < 0) return -1;
        if (add_verdict(&sum, &AT(Reading, automaton->readings, reads[i]).verdict, 1) < 0) return -1;
    }
    return add_judged(automaton, &sum);
}

/* The number of entries of a tuple that the alphabet has. */
static int size_of(PyObject *alphabet, const char *name, int32_t *found) {
    PyObject *tuple = PyObject_GetAttrString(alphabet, name);
    *found = tuple ? (int32_t)PyTuple_Size(tuple) : -1;
    Py_XDECREF(tuple);
    return *found < 0 ? -1 : 0;
}

Automaton *automaton_new(PyObject *twin) {
    Automaton *automaton = calloc(1, sizeof *automaton);
    if (!automaton) return PyErr_NoMemory(), NULL;
    automaton->twin = Py_NewRef(twin);
    automaton->alphabet = PyObject_GetAttrString(twin, "alphabet");
    int bad = !automaton->alphabet || size_of(automaton->alphabet, "deferred", &automaton->properties) < 0;
    automaton->pool.width = automaton->phrases.width = sizeof(int32_t);
    automaton->row.width = automaton->reads_at.width = sizeof(int32_t);
    Rows *rows[] = {&automaton->dues, &automaton->outlooks, &automaton->states, &automaton->reads};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) rows_new(rows[i]);
    automaton->looks.width = sizeof(Look), automaton->letters.width = sizeof(Letter);
    automaton->outcomes.width = sizeof(Outcome);
    automaton->crossings.width = sizeof(int64_t), automaton->readings.width = sizeof(Reading);
    automaton->bounds.width = sizeof(Bound), automaton->sums.width = sizeof(Verdict);
    bad = bad || (automaton->is_countable = flag_of(automaton->alphabet, "is_countable")) < 0;
    bad = bad || (automaton->needs_held = flag_of(automaton->alphabet, "needs_held")) < 0;
    bad = bad || (automaton->is_countable && begin(automaton) < 0);
    if (!bad) return automaton;
    automaton_free(automaton);
    return NULL;
}

void automaton_free(Automaton *automaton) {
    if (!automaton) return;
    Py_XDECREF(automaton->twin);
    Py_XDECREF(automaton->alphabet);
    Map *maps[] = {&automaton->crossings_at, &automaton->readings_at, &automaton->levels_at};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) map_free(maps[i]);
    Vector *vectors[] = {&automaton->looks,    &automaton->letters,   &automaton->pool,     &automaton->outcomes,
                         &automaton->phrases,  &automaton->crossings, &automaton->readings, &automaton->bounds,
                         &automaton->reads_at, &automaton->sums,      &automaton->row};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) free(vectors[i]->at);
    grid_free(&automaton->outcomes_at);
    grid_free(&automaton->readings_after);
    grid_free(&automaton->outlooks_at);
    grid_free(&automaton->firsts_with);
    Rows *rows[] = {&automaton->dues, &automaton->outlooks, &automaton->states, &automaton->reads};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) rows_free(rows[i]);
    free(automaton);
}
