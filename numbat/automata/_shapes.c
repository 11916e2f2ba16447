#define Py_LIMITED_API 0x030B0000
#include "_shapes.h"

#include "_automata.h"

#define MOST_SHAPES (1 << 12)
#define MOST_SYMBOLS (1 << 20)
#define MOST_BETWEEN (1 << 12)
#define MOST_STATES (1 << 30)

Shapes *shapes_new(PyObject *twin) {
    Shapes *shapes = calloc(1, sizeof *shapes);
    if (!shapes) return PyErr_NoMemory(), NULL;
    shapes->twin = Py_NewRef(twin);
    shapes->pairs.width = sizeof(PairCounts), shapes->states.width = sizeof(ShapeState);
    shapes->irreparable.width = shapes->row.width = sizeof(int32_t);
    rows_new(&shapes->asked);
    return shapes;
}

void shapes_free(Shapes *shapes) {
    if (!shapes) return;
    Py_XDECREF(shapes->twin);
    map_free(&shapes->pairs_at);
    map_free(&shapes->states_at);
    free(shapes->pairs.at), free(shapes->states.at), free(shapes->irreparable.at), free(shapes->row.at);
    rows_free(&shapes->asked);
    free(shapes);
}

int shapes_pair(Shapes *shapes, int32_t shape, int32_t before, int32_t symbol, int32_t between, PairCounts *out) {
    if (shape >= MOST_SHAPES || before >= MOST_SYMBOLS - 1 || symbol >= MOST_SYMBOLS || between >= MOST_BETWEEN)
        return overflowed();
    uint64_t key = ((((uint64_t)shape << 20 | (uint64_t)(before + 1)) << 20 | (uint64_t)symbol) << 12) |
                   (uint64_t)between;
    int32_t known = map_get(&shapes->pairs_at, key);
    if (known == ABSENT) {
        int is_new;
        PairCounts asked, *fresh;
        PyObject *answer = PyObject_CallMethod(shapes->twin, "pair_counts", "iiii", shape, before, symbol, between);
        if (ask(answer, "iip", &asked.satisfied, &asked.violated, &asked.retrieved) < 0 ||
            !(fresh = vector_add(&shapes->pairs)))
            return -1;
        *fresh = asked;
        known = map_put(&shapes->pairs_at, key, (int32_t)shapes->pairs.used - 1, &is_new);
        if (known < 0) return -1;
    }
    *out = AT(PairCounts, shapes->pairs, known);
    return 0;
}

int shapes_state(Shapes *shapes, int32_t shape, int32_t state, int32_t symbol, ShapeState *out) {
    if (shape >= MOST_SHAPES || state >= MOST_STATES || symbol >= MOST_SYMBOLS - 1) return overflowed();
    uint64_t key = ((uint64_t)shape << 50 | (uint64_t)state << 20) | (uint64_t)(symbol + 1);
    int32_t known = map_get(&shapes->states_at, key);
    if (known == ABSENT) {
        int is_new;
        ShapeState asked, *fresh;
        Counts *counts = &asked.counts;
        PyObject *answer = PyObject_CallMethod(shapes->twin, "state_after", "iii", shape, state, symbol);
        if (ask(answer, "i(iiiiiii)", &asked.state, &counts->satisfied, &counts->violated, &counts->irreparable,
                &counts->hard, &counts->hard_irreparable, &counts->satisfied_by_operands, &counts->retrieved) < 0 ||
            !(fresh = vector_add(&shapes->states)))
            return -1;
        *fresh = asked;
        known = map_put(&shapes->states_at, key, (int32_t)shapes->states.used - 1, &is_new);
        if (known < 0) return -1;
    }
    *out = AT(ShapeState, shapes->states, known);
    return 0;
}

/* Return words as bytes, the lowest first. */
static PyObject *bytes_of(const int32_t *words, int32_t size) {
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size * 4);
    char *bytes = made ? PyBytes_AsString(made) : NULL;
    for (int32_t i = 0; bytes && i < size * 4; i++) bytes[i] = (char)((uint32_t)words[i / 4] >> i % 4 * 8 & 255);
    return made;
}

int shapes_irreparable(Shapes *shapes, int32_t shape, int32_t state, const int32_t *words, int32_t size,
                       int32_t *out) {
    shapes->row.used = 0;
    if (add_number(&shapes->row, shape) < 0 || add_number(&shapes->row, state) < 0) return -1;
    for (int32_t i = 0; i < size; i++)
        if (add_number(&shapes->row, words[i]) < 0) return -1;
    int is_new;
    int32_t number = rows_put(&shapes->asked, &shapes->row, &is_new);
    if (number < 0) return -1;
    if (is_new) {
        int32_t asked;
        PyObject *bytes = bytes_of(words, size);
        PyObject *answer =
            bytes ? PyObject_CallMethod(shapes->twin, "irreparable", "iiN", shape, state, bytes) : NULL;
        if (ask_number(answer, &asked) < 0 || add_number(&shapes->irreparable, asked) < 0) return -1;
    }
    *out = AT(int32_t, shapes->irreparable, number);
    return 0;
}
