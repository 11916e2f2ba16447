/* Outside costs: the cost around each item of a chart in the cheapest complete tree, as in python_search.py. */
#include "_chart.h"

static int append(PyObject *list, int32_t start, int32_t end, int32_t what, int64_t depth_or_around) {
    PyObject *item = Py_BuildValue("(iiiL)", start, end, what, (long long)depth_or_around);
    int bad = !item || PyList_Append(list, item) < 0;
    Py_XDECREF(item);
    return bad ? -1 : 0;
}

/* Compute the outside costs of passive items; all of one symbol occur where the cheapest does. */
static void around_passive(Chart *chart, Cell *cell, Outside *outside) {
    Grammar *grammar = chart->grammar;
    int64_t *passive = outside->passive, *of_symbol = chart->best_symbol;
    for (size_t i = cell->passive; i < cell->passive_end; i++) {
        int32_t symbol = PASSIVE(chart, i)->symbol;
        if (of_symbol[symbol] > passive[i]) of_symbol[symbol] = passive[i];
        for (int32_t s = grammar->start_at[symbol]; s < grammar->start_at[symbol + 1]; s++) {
            int32_t begun = chart->at_state[grammar->start_state[s]];
            if (begun >= 0 && outside->active[begun] + grammar->start_cost[s] < of_symbol[symbol])
                of_symbol[symbol] = outside->active[begun] + grammar->start_cost[s];
        }
    }
    for (size_t i = cell->passive_end; i-- > cell->passive;) {
        Passive *item = PASSIVE(chart, i);
        if (of_symbol[item->symbol] < passive[i]) passive[i] = of_symbol[item->symbol];
        if (!item->is_unary) continue;
        /* every passive item of the depth below may be the daughter, not just the best */
        for (size_t b = cell->passive; b < i; b++) {
            Passive *below = PASSIVE(chart, b);
            if (below->depth != item->depth - 1) continue;
            int32_t end = grammar->unary_at[below->symbol + 1];
            for (int32_t r = grammar->unary_at[below->symbol]; r < end; r++)
                if (grammar->unary_symbol[r] == item->symbol && passive[i] + grammar->unary_cost[r] < passive[b])
                    passive[b] = passive[i] + grammar->unary_cost[r];
        }
    }
}

/* Compute the outside costs of active items of several daughters, by state, in `best_state`. */
static int around_combined(Chart *chart, Cell *cell, int32_t start, int32_t end, Outside *outside) {
    Grammar *grammar = chart->grammar;
    int bad = 0;
    for (size_t i = cell->passive; i < cell->passive_end; i++)
        chart->at_symbol[PASSIVE(chart, i)->symbol] = (int32_t)i;
    for (size_t i = cell->passive_end; i-- > cell->passive;)
        if (PASSIVE(chart, i)->depth == 1) chart->at_symbol[PASSIVE(chart, i)->symbol] = (int32_t)i;
    for (size_t i = cell->combined; i < cell->combined_end; i++) {
        Active *item = ACTIVE(chart, i);
        int32_t extendable = chart->at_state[item->state];
        int64_t around = extendable >= 0 ? outside->active[extendable] : grammar->infinite;
        int32_t cost = grammar->accept_cost[item->state];
        int32_t phrase = cost == grammar->impossible ? -1 : chart->at_symbol[grammar->accept_symbol[item->state]];
        if (phrase >= 0 && outside->passive[phrase] + cost < around) around = outside->passive[phrase] + cost;
        chart->best_state[item->state] = around;
        if (outside->combined && around + item->cost <= outside->most)
            bad |= append(outside->combined, start, end, item->state, around) < 0;
    }
    return bad ? -1 : 0;
}

/* Compute the outside costs of the two parts of active items of several daughters. */
static void around_parts(Chart *chart, int32_t start, int32_t end, Outside *outside) {
    Grammar *grammar = chart->grammar;
    for (int32_t middle = start + 1; middle < end; middle++) {
        Cell *left = CELL(chart, start, middle), *right = CELL(chart, middle, end);
        const size_t *ranges = (const size_t *)chart->ranges.at + right->uses;
        const Use *uses = (const Use *)chart->uses.at;
        for (size_t g = left->extendable; g < left->extendable_end; g++) {
            int32_t before = EXTENDABLE(chart, g);
            Active *item = ACTIVE(chart, before);
            int32_t label = grammar->label_of_state[item->state];
            const int32_t *costs = grammar->costs[item->state], *nexts = grammar->nexts[item->state];
            if (!costs) continue;
            for (size_t u = ranges[label]; u < ranges[label + 1]; u++) {
                int32_t step = costs[uses[u].column];
                if (step == grammar->impossible) continue;
                int64_t around = chart->best_state[nexts[uses[u].column]];
                if (around >= grammar->infinite) continue;
                around += step;
                if (around + uses[u].cost < outside->active[before]) outside->active[before] = around + uses[u].cost;
                if (around + item->cost < outside->passive[uses[u].item])
                    outside->passive[uses[u].item] = around + item->cost;
            }
        }
    }
}

/* Mask or list the items of a span in trees that cost at most `most`, and reset temporary values. */
static int select_viable(Chart *chart, Cell *cell, int32_t start, int32_t end, Outside *outside) {
    Grammar *grammar = chart->grammar;
    int bad = 0;
    for (size_t i = cell->combined; i < cell->combined_end; i++)
        chart->best_state[ACTIVE(chart, i)->state] = grammar->infinite;
    for (size_t i = cell->passive; i < cell->passive_end; i++) {
        Passive *item = PASSIVE(chart, i);
        int32_t label = grammar->label_of_symbol[item->symbol];
        chart->best_symbol[item->symbol] = grammar->infinite;
        chart->at_symbol[item->symbol] = -1;
        if (outside->passive[i] + item->cost > outside->most) continue;
        if (outside->passives) bad |= append(outside->passives, start, end, item->symbol, item->depth) < 0;
        else if (label >= 0) outside->may_be_passive[MASK(chart, start, end) + (size_t)label] = 1;
    }
    for (size_t g = cell->extendable; g < cell->extendable_end; g++) {
        int32_t at = EXTENDABLE(chart, g);
        Active *item = ACTIVE(chart, at);
        chart->at_state[item->state] = -1;
        if (outside->active[at] + item->cost > outside->most) continue;
        if (outside->actives) bad |= append(outside->actives, start, end, item->state, outside->active[at]) < 0;
        else outside->may_be_active[MASK(chart, start, end) + (size_t)grammar->label_of_state[item->state]] = 1;
    }
    return bad ? -1 : 0;
}

/* Compute outside costs, from the largest spans to the smallest, and mask or list the items of trees that cost at most
 * `most`. If time is up, stop. */
int outside_costs(Chart *chart, Outside *outside) {
    int over = 0, bad = 0;
    outside->passive = malloc((chart->passive.used + 1) * sizeof *outside->passive);
    outside->active = malloc((chart->active.used + 1) * sizeof *outside->active);
    if (!outside->passive || !outside->active) {
        free(outside->passive), free(outside->active);
        PyErr_NoMemory();
        return -1;
    }
    int64_t infinite = chart->grammar->infinite;
    for (size_t i = 0; i < chart->passive.used; i++) outside->passive[i] = infinite;
    for (size_t i = 0; i < chart->active.used; i++) outside->active[i] = infinite;
    Cell *all = CELL(chart, 0, chart->tokens);
    for (size_t i = all->passive; i < all->passive_end; i++) {
        int32_t root = chart->grammar->root_cost[PASSIVE(chart, i)->symbol];
        if (root != chart->grammar->impossible) outside->passive[i] = root;
    }
    for (int32_t length = chart->tokens; length > 0 && !over && !bad; length--) {
        over = is_late(chart->limits);
        for (int32_t start = 0; start + length <= chart->tokens && !over && !bad; start++) {
            int32_t end = start + length;
            Cell *cell = CELL(chart, start, end);
            for (size_t g = cell->extendable; g < cell->extendable_end; g++)
                chart->at_state[ACTIVE(chart, EXTENDABLE(chart, g))->state] = EXTENDABLE(chart, g);
            around_passive(chart, cell, outside);
            bad |= around_combined(chart, cell, start, end, outside) < 0;
            around_parts(chart, start, end, outside);
            bad |= select_viable(chart, cell, start, end, outside) < 0;
        }
    }
    free(outside->passive), free(outside->active);
    return bad || over < 0 ? -1 : 0;
}
