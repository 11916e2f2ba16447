/* Unfinished constituents that another one over the same span beats, whatever follows: the twin of dominance.py.
 *
 * Functions return -1 with a Python error set.
 */
#ifndef NUMBAT_DOMINANCE_H
#define NUMBAT_DOMINANCE_H
#include "_automata.h"
#include "_map.h"
#include "_rows.h"
#include "_vector.h"

typedef struct {
    Vector begins; /* int32_t: where what may follow begins in the pool, by position and construction, or -1 */
    Vector pool;   /* int32_t: letters and their places */
    Map chains_at; /* (construction, what decides features) of the span */
    Vector chains; /* the first and the last of the unbeaten ones of these */
    Vector rivals; /* the unbeaten ones over the span */
    Map gains_at;  /* (construction, state, position): where its gains begin */
    Vector gains;  /* Gain: of letters next, then of letters later */
    Vector asked;  /* leads over what is asked about, by outlooks of the other one and whether it is sure */
    Vector later;  /* int64_t: the leads after later letters */
    int32_t tokens, constructions, start, end;
    int64_t questions;
    /* what is kept between sentences */
    Rows futures;    /* a construction, on how many positions something may come, the letters that may */
    Vector comings_of; /* int32_t: what may come to the deferred properties, by future */
    Rows comings;    /* a construction, and what may come to its deferred properties */
    Map outlooks_at; /* (comings, what the properties have read) */
    Rows outlooks;   /* a construction, and the outlooks of these properties */
    Map leads_at;    /* (outlooks of one, outlooks of another one, whether the first is sure to be a phrase) */
    Vector leads;    /* int64_t: the lead that the first has by these */
    Vector row;      /* int32_t: the row that is being made */
} Dominance;

typedef struct {
    int32_t start, end, number, state;
    int64_t value;
} Unfinished;

void dominance_new(Dominance *dominance);
void dominance_free(Dominance *dominance);
size_t dominance_room(const Dominance *dominance); /* in bytes */
int dominance_begin(Dominance *dominance, int32_t tokens, int32_t constructions);

int dominance_foresees(const Dominance *dominance, int32_t number, int32_t position);
/* Note what may follow: `looks` are those of daughters that begin at the position, their number first, and so on for
 * each later position. */
int dominance_foresee(Dominance *dominance, Automaton *automaton, int32_t number, int32_t position,
                      const int32_t *looks);

/* Whether another one beats it: 1 or 0. If none does it is one of those that may beat others. */
int dominance_beats(Dominance *dominance, Automaton *automaton, const Unfinished *unfinished);

#endif
