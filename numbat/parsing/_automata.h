/* The automaton of a construction: the compiled twin of automata.py.
 *
 * What letters say is asked of the Python alphabet, once; states are rows of numbers. Where counts are not all that a
 * state holds, the Python automaton is asked for every move. Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_AUTOMATA_H
#define NUMBAT_AUTOMATA_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define INFINITE ((int64_t)1 << 62) /* what it costs more to end a constituent that can never end */
#define IMPOSSIBLE INT32_MIN /* where a move that cannot be made leads to */

#define UNCOVERED -1

typedef struct {
    int32_t to; /* next state, or the kind of the phrase */
    int64_t cost, gain;
} Move;

typedef struct Automaton Automaton;

Automaton *automaton_new(PyObject *automaton);
void automaton_free(Automaton *automaton);
int automaton_look(const Automaton *automaton, int32_t kind, int32_t *found); /* UNCOVERED, or a number from 0 on */
int automaton_step(Automaton *automaton, int32_t state, int32_t look, Move *found);
int automaton_accept(Automaton *automaton, int32_t state, Move *found);
int automaton_ahead(Automaton *automaton, int32_t state, int32_t view, int64_t *found);
int automaton_owes(const Automaton *automaton, int32_t state); /* whether a hard property is violated for now */
int automaton_lost(Automaton *automaton, int32_t state, int32_t view, int64_t *found); /* INFINITE if for good, or 0 */
size_t automaton_states(const Automaton *automaton);

#endif
