#define Py_LIMITED_API 0x030B0000
#include "_weighted.h"

typedef struct {
    int64_t cost, weight;
    Gain gain; /* the weight minus the cost */
} PairValue;

typedef struct {
    int64_t cost, weight, irreparable;
} RowValue;

#define QUESTION_WIDTH 3 /* of an operand in the row of a question: number in the property, halves of its cost */

typedef struct { /* certain and least further cost of a deferred property */
    int64_t certain, least;
} Bound;

static int add_times(int64_t *sum, int64_t value, int64_t times) {
    int64_t product;
    if (__builtin_mul_overflow(value, times, &product) || __builtin_add_overflow(*sum, product, sum))
        return overflowed();
    return 0;
}

/* values of what the automaton counts, in the order of its numbers */

static int add_pair_value(Weighted *weighted) {
    const PairEffect *effect = &AT(PairEffect, weighted->automaton->effects, weighted->pairs.used);
    PairValue value = {.gain = {0, effect->satisfied}}, *fresh;
    for (int32_t i = effect->instances; i < effect->end; i += 3) {
        const int32_t *instance = &AT(int32_t, weighted->automaton->effect_rows.pool, i);
        if (add_times(&value.weight, AT(int64_t, weighted->local_weights, instance[0]), instance[1]) < 0 ||
            add_times(&value.cost, AT(int64_t, weighted->local_costs, instance[0]), instance[2]) < 0)
            return -1;
    }
    if (__builtin_sub_overflow(value.weight, value.cost, &value.gain.sum)) return overflowed();
    if (effect->forbidden) value.gain.sum = LOST;
    if (!(fresh = vector_add(&weighted->pairs))) return -1;
    *fresh = value;
    return 0;
}

/* Return the value of an effect by its number; NULL with an error, also for -1 after an error. */
static inline const PairValue *value_of_pair(Weighted *weighted, int32_t effect) {
    if (effect < 0) return NULL;
    while ((size_t)effect >= weighted->pairs.used)
        if (add_pair_value(weighted) < 0) return NULL;
    return &AT(PairValue, weighted->pairs, effect);
}

static int add_row_value(Weighted *weighted) {
    const Automaton *automaton = weighted->automaton;
    const int32_t *states = automaton_property_row(automaton, (int32_t)weighted->rows.used);
    RowValue value = {0, 0, 0}, *fresh;
    for (int32_t i = 0; i < automaton->properties; i++) {
        const Counts *counts = &AT(PropertyState, automaton->property_states, states[i]).counts;
        int64_t cost = AT(int64_t, weighted->deferred_costs, i);
        if (add_times(&value.cost, cost, counts->violated) < 0 ||
            add_times(&value.irreparable, cost, counts->irreparable) < 0 ||
            add_times(&value.weight, AT(int64_t, weighted->deferred_weights, i), counts->satisfied) < 0)
            return -1;
    }
    if (!(fresh = vector_add(&weighted->rows))) return -1;
    *fresh = value;
    return 0;
}

/* Return the value of a row of property states; NULL with an error. */
static const RowValue *value_of_row(Weighted *weighted, int32_t row) {
    while ((size_t)row >= weighted->rows.used)
        if (add_row_value(weighted) < 0) return NULL;
    return &AT(RowValue, weighted->rows, row);
}

int weighted_irreparable_cost(Weighted *weighted, int32_t state, int64_t *out) {
    const RowValue *value = value_of_row(weighted, automaton_row_of(weighted->automaton, state));
    if (!value) return -1;
    *out = value->irreparable;
    return 0;
}

/* moves */

/* Parse a move of Python: where it leads, its cost and its gain. */
static int ask_move(PyObject *answer, int32_t *to, int64_t *cost, int64_t *gain) {
    *to = IMPOSSIBLE;
    if (answer == Py_None) {
        Py_DECREF(answer);
        return 0;
    }
    long long costs, gains;
    if (ask(answer, "iLL", to, &costs, &gains) < 0) return -1;
    *cost = costs, *gain = gains;
    return 0;
}

/* Add the effects of local properties when a class is read: what they cost and gain, and the flags that they set. */
static int add_effects(Weighted *weighted, int32_t read, Step *step) {
    Automaton *automaton = weighted->automaton;
    size_t size;
    const int32_t *row = automaton_state(automaton, step->reading.before, &size);
    step->reading.flags = row[FLAGS];
    FOR_PAIRS(automaton, row, size, 0, before, between, times) {
        int32_t number = automaton_effect(automaton, before, read, between);
        const PairValue *value = value_of_pair(weighted, number);
        if (!value) return -1;
        const PairEffect *effect = &AT(PairEffect, automaton->effects, number);
        if (effect->forbidden) {
            step->reading.after = IMPOSSIBLE;
            return 0;
        }
        step->reading.flags |= (effect->satisfied ? SATISFIED : 0) | (effect->retrieved ? RETRIEVED : 0);
        if ((value->cost && add_times(&step->cost, value->cost, times) < 0) ||
            (value->weight && add_times(&step->gain, value->weight, times) < 0))
            return -1;
    }
    return 0;
}

int weighted_step(Weighted *weighted, int32_t state, int32_t type, Step *out) {
    Automaton *automaton = weighted->automaton;
    Reading *reading = &out->reading;
    *out = (Step){.reading = {.before = state, .type = type, .after = ABSENT}, .owes = 1};
    if (!automaton->is_countable)
        return ask_move(PyObject_CallMethod(weighted->twin, "step", "ii", state, type), &reading->after, &out->cost,
                        &out->gain);
    int32_t read, row = automaton_row_of(automaton, state);
    if (automaton_class(automaton, type, &read) < 0 || add_effects(weighted, read, out) < 0) return -1;
    if (reading->after == IMPOSSIBLE) return 0;
    if (automaton_row_after(automaton, row, read, &reading->row) < 0) return -1;
    const Counts *counts = automaton_counts(automaton, reading->row);
    out->owes = counts->hard > 0;
    if (counts->hard_irreparable) {
        reading->after = IMPOSSIBLE;
        return 0;
    }
    const RowValue *value = value_of_row(weighted, reading->row);
    if (!value || add_times(&out->cost, value->irreparable, 1) < 0) return -1;
    if (!state) return 0;
    value = value_of_row(weighted, row);
    return !value || add_times(&out->cost, value->irreparable, -1) < 0 ? -1 : 0;
}

int weighted_accept(Weighted *weighted, int32_t state, Move *out) {
    if (!weighted->automaton->is_countable)
        return ask_move(PyObject_CallMethod(weighted->twin, "accept", "i", state), &out->to, &out->cost, &out->gain);
    *out = (Move){0};
    if (automaton_phrase(weighted->automaton, state, &out->to) < 0) return -1;
    if (out->to == IMPOSSIBLE) return 0;
    const RowValue *value = value_of_row(weighted, automaton_row_of(weighted->automaton, state));
    if (!value) return -1;
    out->cost = value->cost, out->gain = value->weight;
    return add_times(&out->cost, value->irreparable, -1);
}

/* bounds for what follows */

/* Find the least cost of order between a class and a later daughter, given one operand that it matches. */
static int least_order_cost(Weighted *weighted, int32_t read, int32_t place, int64_t *out) {
    *out = INFINITE;
    for (int32_t between = 0; between <= weighted->automaton->reach; between++) {
        const PairValue *value =
            value_of_pair(weighted, automaton_order_effect(weighted->automaton, read, place, between));
        if (!value) return -1;
        if (value->gain.sum != LOST && value->cost < *out) *out = value->cost;
    }
    return 0;
}

static int find_order_cost(Weighted *weighted, int32_t read, int32_t place, int64_t *out) {
    uint64_t key = ((uint64_t)read << 32) | (uint64_t)place;
    int32_t known = map_get(&weighted->order_costs_at, key);
    if (known == ABSENT) {
        int64_t cost;
        int is_new;
        if (least_order_cost(weighted, read, place, &cost) < 0) return -1;
        known = map_put(&weighted->order_costs_at, key, (int32_t)weighted->order_costs.used, &is_new);
        int64_t *fresh = known < 0 ? NULL : vector_add(&weighted->order_costs);
        if (!fresh) return -1;
        *fresh = cost;
    }
    *out = AT(int64_t, weighted->order_costs, known);
    return 0;
}

/* Find how many instances of a property stay violated if only those operands can still come that cost at most `most`;
 * `costs` is the row of a question: pairs of the number of an operand in the property, and the halves of its cost. */
static int find_stay(Weighted *weighted, const PropertyState *in, const int32_t *costs, size_t size, int64_t most,
                     int32_t *out) {
    weighted->words.used = 0;
    for (size_t i = 0; i < size; i += QUESTION_WIDTH) {
        if (whole_of(costs + i + 1) > most) continue;
        size_t word = (size_t)costs[i] / 32;
        while (word >= weighted->words.used)
            if (add_number(&weighted->words, 0) < 0) return -1;
        AT(uint32_t, weighted->words, word) |= (uint32_t)1 << costs[i] % 32;
    }
    const DeferredProperty *property = &AT(DeferredProperty, weighted->automaton->deferred, in->property);
    return shapes_irreparable(weighted->automaton->shapes, property->shape, in->state,
                              (const int32_t *)weighted->words.at, (int32_t)weighted->words.used, out);
}

/* Find the bounds of the further cost of a deferred property for the row of a question, over all levels of costs up to
 * which operands may come. */
static int completion_bound(Weighted *weighted, const int32_t *row, size_t size, Bound *bound) {
    const PropertyState *in = &AT(PropertyState, weighted->automaton->property_states, row[0]);
    int is_hard = AT(DeferredProperty, weighted->automaton->deferred, in->property).is_hard;
    int64_t cost = AT(int64_t, weighted->deferred_costs, in->property), level = 0;
    *bound = (Bound){INFINITE, INFINITE};
    if (!cost && !is_hard) *bound = (Bound){0, 0};
    while (level < INFINITE && (cost || is_hard)) {
        int32_t stay;
        int64_t lost = 0, next = INFINITE;
        if (find_stay(weighted, in, row + 1, size - 1, level, &stay) < 0) return -1;
        if (add_times(&lost, cost, (int64_t)stay - in->counts.irreparable) < 0) return -1;
        if (stay && is_hard) lost = INFINITE;
        if (lost < bound->certain) bound->certain = lost;
        if (lost < bound->least - level) bound->least = level + lost;
        for (size_t i = 1; i < size; i += QUESTION_WIDTH) {
            int64_t other = whole_of(row + i + 1);
            if (other > level && other < next) next = other;
        }
        level = next;
    }
    return 0;
}

/* Find the bound for the row that was made. */
static int find_bound(Weighted *weighted, Bound *out) {
    int is_new;
    int32_t number = rows_put(&weighted->asked, &weighted->row, &is_new);
    if (number < 0) return -1;
    if (is_new) {
        Bound bound, *fresh;
        if (completion_bound(weighted, (const int32_t *)weighted->row.at, weighted->row.used, &bound) < 0 ||
            !(fresh = vector_add(&weighted->bounds)))
            return -1;
        *fresh = bound;
    }
    *out = AT(Bound, weighted->bounds, number);
    return 0;
}

/* Add to the cost of an operand that of its order after some daughters of a class; no sum exceeds INFINITE. */
static int add_order_cost(Weighted *weighted, int32_t read, int32_t times, int32_t place, int64_t *cost) {
    int64_t order;
    if (*cost >= INFINITE) return 0;
    if (find_order_cost(weighted, read, place, &order) < 0) return -1;
    if (__builtin_mul_overflow(order, (int64_t)times, &order) || order >= INFINITE - *cost)
        *cost = INFINITE;
    else
        *cost += order;
    return 0;
}

/* Make the row of a question about a bound: the property state, and the operands that it awaits, with their costs
 * and the costs of their order after the classes read. */
static int make_question(Weighted *weighted, const Reading *reading, int32_t property_state, int32_t costs) {
    size_t size;
    const Automaton *automaton = weighted->automaton;
    const int32_t *row = automaton_state(automaton, reading->before, &size);
    int32_t read = AT(DaughterType, automaton->types, reading->type).number;
    Vector *question = &weighted->row;
    question->used = 0;
    if (add_number(question, property_state) < 0) return -1;
    for (int32_t i = 0; i < AT(int32_t, automaton->pool, costs); i++) {
        const int32_t *operand = (int32_t *)automaton->pool.at + costs + 1 + OPERAND_WIDTH * i;
        int32_t place = operand[0], number = operand[1];
        int64_t cost = whole_of(operand + 2);
        if (add_order_cost(weighted, read, 1, place, &cost) < 0) return -1;
        for (size_t k = counts_at(automaton); k < size && cost < INFINITE; k += 2)
            if (add_order_cost(weighted, row[k], row[k + 1], place, &cost) < 0) return -1;
        if (add_number(question, number) < 0 || add_halves(question, cost) < 0) return -1;
    }
    return 0;
}

/* Find the bound of a violated deferred property after a reading. */
static int bound_after(Weighted *weighted, const Reading *reading, int32_t number, int32_t lookahead, Bound *out) {
    Automaton *automaton = weighted->automaton;
    const PropertyState *in = &AT(PropertyState, automaton->property_states, number);
    int32_t costs;
    *out = (Bound){0, 0};
    if (!in->counts.hard && !AT(int64_t, weighted->deferred_costs, in->property)) return 0;
    return automaton_operand_costs(automaton, in->property, lookahead, &costs) < 0 ||
                   make_question(weighted, reading, number, costs) < 0
               ? -1
               : find_bound(weighted, out);
}

int weighted_cost_to_complete(Weighted *weighted, const Step *step, int32_t lookahead, int64_t *out) {
    Automaton *automaton = weighted->automaton;
    if (!automaton->is_countable) {
        PyObject *answer = PyObject_CallMethod(weighted->twin, "cost_to_complete", "ii", step->reading.after, lookahead);
        *out = answer ? PyLong_AsLongLong(answer) : -1;
        Py_XDECREF(answer);
        return *out == -1 && PyErr_Occurred() ? -1 : 0;
    }
    int64_t certain = 0, dearest = 0;
    PropertyRow row = AT(PropertyRow, automaton->rows, step->reading.row);
    *out = INFINITE;
    for (int32_t i = row.unsettled; i < row.end; i++) {
        Bound bound;
        if (bound_after(weighted, &step->reading, AT(int32_t, automaton->pool, i), lookahead, &bound) < 0) return -1;
        if (bound.certain >= INFINITE - certain) return 0;
        certain += bound.certain;
        if (bound.least - bound.certain > dearest) dearest = bound.least - bound.certain;
    }
    if (dearest < INFINITE - certain) *out = certain + dearest;
    return 0;
}

int weighted_cannot_complete(Weighted *weighted, const Step *step, int32_t lookahead, int64_t *out) {
    Automaton *automaton = weighted->automaton;
    *out = 0;
    if (!automaton->is_countable) {
        PyObject *answer = PyObject_CallMethod(weighted->twin, "cannot_complete", "ii", step->reading.after, lookahead);
        int cannot = answer ? PyObject_IsTrue(answer) : -1;
        Py_XDECREF(answer);
        *out = cannot > 0 ? INFINITE : 0;
        return cannot < 0 ? -1 : 0;
    }
    PropertyRow row = AT(PropertyRow, automaton->rows, step->reading.row);
    for (int32_t i = row.unsettled; i < row.end && !*out; i++) {
        int32_t number = AT(int32_t, automaton->pool, i);
        if (!AT(PropertyState, automaton->property_states, number).counts.hard) continue;
        Bound bound;
        if (bound_after(weighted, &step->reading, number, lookahead, &bound) < 0) return -1;
        if (bound.certain >= INFINITE) *out = INFINITE;
    }
    return 0;
}

/* comparison with other states */

static inline int add_gain(Gain *gain, const PairValue *value, int64_t times) {
    gain->holds |= value->gain.holds;
    if (value->gain.sum == LOST || gain->sum == LOST) {
        gain->sum = LOST;
        return 0;
    }
    return add_times(&gain->sum, value->gain.sum, times);
}

int weighted_gains(Weighted *weighted, int32_t state, const int32_t *classes, int32_t size, int32_t skipped,
                   Gain *gains) {
    size_t length;
    const int32_t *row = automaton_state(weighted->automaton, state, &length);
    for (int32_t k = 0; k < size; k++) gains[k] = (Gain){0, 0};
    for (int32_t k = 0; k < size; k++) {
        FOR_PAIRS(weighted->automaton, row, length, skipped, before, between, times) {
            int32_t effect = automaton_effect(weighted->automaton, before, classes[k], between);
            const PairValue *value = value_of_pair(weighted, effect);
            if (!value || add_gain(&gains[k], value, times) < 0) return -1;
        }
    }
    return 0;
}

static int gain_of(const Weighted *weighted, int32_t property, const int32_t *final, Gain *out) {
    *out = (Gain){final[3] ? LOST : 0, final[2]};
    if (final[3]) return 0;
    return add_times(&out->sum, AT(int64_t, weighted->deferred_weights, property), final[0]) < 0
               ? -1
               : add_times(&out->sum, AT(int64_t, weighted->deferred_costs, property), -final[1]);
}

int weighted_gap(const Weighted *weighted, int32_t property, int32_t mine, int32_t yours, int is_licensed,
                 int64_t *out) {
    size_t size;
    *out = mine == yours ? 0 : LOST;
    if (mine == yours || mine <= NO_FINALS || yours <= NO_FINALS) return 0;
    const int32_t *ours = row_of(&weighted->automaton->finals, mine, &size);
    const int32_t *others = row_of(&weighted->automaton->finals, yours, &size);
    *out = INFINITE;
    for (size_t i = 0; i < size; i += FINAL_WIDTH) {
        Gain one, other;
        if (gain_of(weighted, property, ours + i, &one) < 0 || gain_of(weighted, property, others + i, &other) < 0 ||
            lower_to_gap(one, other, is_licensed, out) < 0)
            return -1;
    }
    if (*out == INFINITE) *out = 0;
    return 0;
}

/* creation */

/* Read a tuple of integers that is an attribute of an object. */
static int read_numbers(PyObject *object, const char *name, Vector *out) {
    PyObject *tuple = PyObject_GetAttrString(object, name);
    Py_ssize_t size = tuple ? PyTuple_Size(tuple) : -1;
    int bad = size < 0;
    out->width = sizeof(int64_t);
    for (Py_ssize_t i = 0; i < size && !bad; i++) {
        int64_t *fresh = vector_add(out);
        long long number = fresh ? PyLong_AsLongLong(PyTuple_GetItem(tuple, i)) : -1;
        bad = !fresh || (number == -1 && PyErr_Occurred());
        if (!bad) *fresh = number;
    }
    Py_XDECREF(tuple);
    return bad ? -1 : 0;
}

Weighted *weighted_new(Automaton *automaton, PyObject *twin) {
    Weighted *weighted = calloc(1, sizeof *weighted);
    if (!weighted) return PyErr_NoMemory(), NULL;
    weighted->automaton = automaton;
    weighted->twin = Py_NewRef(twin);
    weighted->pairs.width = sizeof(PairValue), weighted->rows.width = sizeof(RowValue);
    weighted->order_costs.width = sizeof(int64_t), weighted->bounds.width = sizeof(Bound);
    weighted->row.width = weighted->words.width = sizeof(int32_t);
    rows_new(&weighted->asked);
    if (read_numbers(twin, "local_weights", &weighted->local_weights) == 0 &&
        read_numbers(twin, "local_costs", &weighted->local_costs) == 0 &&
        read_numbers(twin, "deferred_weights", &weighted->deferred_weights) == 0 &&
        read_numbers(twin, "deferred_costs", &weighted->deferred_costs) == 0)
        return weighted;
    weighted_free(weighted);
    return NULL;
}

void weighted_free(Weighted *weighted) {
    if (!weighted) return;
    Py_XDECREF(weighted->twin);
    map_free(&weighted->order_costs_at);
    Vector *vectors[] = {&weighted->local_weights, &weighted->local_costs, &weighted->deferred_weights,
                         &weighted->deferred_costs, &weighted->pairs, &weighted->rows, &weighted->order_costs,
                         &weighted->bounds, &weighted->row, &weighted->words};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) free(vectors[i]->at);
    rows_free(&weighted->asked);
    free(weighted);
}
