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
#define LOST -INFINITE /* the gain of what cannot be */
#define IMPOSSIBLE INT32_MIN /* where a move that cannot be made leads to */

typedef struct {
    int32_t to; /* next state, or the kind of the phrase */
    int32_t owes; /* whether a hard property is violated in that state, for now */
    int64_t cost, gain;
} Move;

typedef struct Automaton Automaton;

int overflowed(void); /* -1, and OverflowError: a sum of weights or costs is beyond 64 bits */

Automaton *automaton_new(PyObject *automaton);
void automaton_free(Automaton *automaton);
int automaton_step(Automaton *automaton, int32_t state, int32_t look, Move *found);
int automaton_accept(Automaton *automaton, int32_t state, Move *found);
int automaton_ahead(Automaton *automaton, int32_t state, int32_t view, int64_t *found);
int automaton_lost(Automaton *automaton, int32_t state, int32_t view, int64_t *found); /* INFINITE if for good, or 0 */
size_t automaton_states(const Automaton *automaton);

/* How states compare, where counts are all that they hold. */

typedef struct {
    int32_t firsts;
    int64_t doomed;
    int32_t reads; /* the number of what the deferred properties have read */
} Standing;

typedef struct { /* what daughters that follow bring, LOST where they cannot come, and whether they satisfy anything */
    int64_t sum;
    int32_t holds;
} Gain;

int automaton_is_countable(const Automaton *automaton);
int32_t automaton_properties(const Automaton *automaton); /* deferred ones */
int automaton_letter(Automaton *automaton, int32_t look, int32_t *found);
void automaton_standing(const Automaton *automaton, int32_t state, Standing *found);
/* What the order of so many letters gains alone and after those read; the first `next` of them come next. */
int automaton_gains(Automaton *automaton, int32_t state, const int32_t *letters, int32_t size, int32_t next,
                    Gain *gains);
/* What may come to each deferred property, by number, where such letters may, on so many positions. */
int automaton_future(Automaton *automaton, const int32_t *letters, int32_t size, int32_t room, int32_t *found);
/* The readings of each deferred property behind such a number; until there is a new state. */
const int32_t *automaton_reads(const Automaton *automaton, int32_t reads);
/* The number of what a deferred property would gain after a reading with what may come. */
int automaton_outlook(Automaton *automaton, int32_t reading, int32_t coming, int32_t *found);
/* By how much one outlook of a property is better than another one at least; LOST where that is not known. */
int automaton_lead(const Automaton *automaton, int32_t mine, int32_t yours, int sure, int64_t *found);
/* Whether what is read can be a phrase whatever follows: the trigger and H4 hold for good. */
int automaton_is_sure(const Automaton *automaton, int32_t state);
int automaton_needs_held(const Automaton *automaton); /* whether H4 is on */
/* Lower `least` to the lead of a gain over another one, if the other can be: LOST where only that can, or only that
   holds and it is not sure that anything else does. */
static inline int lower_to_lead(Gain mine, Gain yours, int sure, int64_t *least) {
    int64_t lead = LOST;
    if (yours.sum == LOST) return 0;
    if (mine.sum != LOST && (sure || mine.holds || !yours.holds) &&
        __builtin_sub_overflow(mine.sum, yours.sum, &lead))
        return overflowed();
    if (lead < *least) *least = lead;
    return 0;
}

#endif
