/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order in which the operands of an einsum are contracted, two at a time.
 *
 * Greedy: always the pair whose result is the smallest compared with the two (D. G. A. Smith and J. Gray, opt_einsum,
 * 2018).  Optimal: the fewest operations, by dynamic programming over sets of operands, which takes 3^n steps.
 */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linalg/products/einsum.h"

enum { MOST_OPTIMAL = 10 }; /* operands; greedy beyond that */

static double size_of(const mnp__einsum *e, uint64_t labels)
{
    double size = 1;
    for (int label = 0; label < MNP__LABELS; label++)
        if (labels >> label & 1)
            size *= (double)e->extent[label];
    return size;
}

/* What is left to be contracted: the labels of every item, in the list's order. */
typedef struct list {
    int count;
    uint64_t items[MNP__MOST_TERMS];
} list;

/* The labels of the result of a pair: those that others, or the result of all, still have. */
static uint64_t joined(const list *l, int i, int j, uint64_t result)
{
    uint64_t others = result;
    for (int k = 0; k < l->count; k++)
        if (k != i && k != j)
            others |= l->items[k];
    return (l->items[i] | l->items[j]) & others;
}

static double contract(const mnp__einsum *e, list *l, int i, int j, uint64_t result)
{
    const double operations = size_of(e, l->items[i] | l->items[j]);
    const uint64_t made = joined(l, i, j, result);
    int kept = 0;
    for (int k = 0; k < l->count; k++)
        if (k != i && k != j)
            l->items[kept++] = l->items[k];
    l->items[kept] = made;
    l->count--;
    return operations;
}

/* i < j */
static void choose_greedy(const mnp__einsum *e, const list *l, uint64_t result, int *i_p, int *j_p)
{
    double best = 0, best_operations = 0;
    bool found = false, found_shared = false;
    for (int i = 0; i < l->count; i++)
        for (int j = i + 1; j < l->count; j++) {
            const bool shared = l->items[i] & l->items[j];
            const double gain = size_of(e, joined(l, i, j, result)) - size_of(e, l->items[i]) - size_of(e, l->items[j]);
            const double operations = size_of(e, l->items[i] | l->items[j]);
            const bool better = gain < best || (gain == best && operations < best_operations);
            if (!found || (shared && !found_shared) || (shared == found_shared && better)) {
                best = gain;
                best_operations = operations;
                *i_p = i;
                *j_p = j;
                found_shared = shared;
            }
            found = true;
        }
}

/* ---- optimal ---- */

/* The cheapest way to contract a set of operands: its cost, and one of the two sets that are contracted last. */
typedef struct best_of {
    double operations;
    uint64_t labels;
    int part;
} best_of;

static void find_best(const mnp__einsum *e, const list *l, uint64_t result, best_of *best)
{
    const int all = (1 << l->count) - 1;
    for (int set = 1; set <= all; set++) {
        uint64_t inside = 0, outside = result;
        for (int k = 0; k < l->count; k++)
            *(set >> k & 1 ? &inside : &outside) |= l->items[k];
        best[set] = (best_of){.operations = -1, .labels = inside & outside};
        if ((set & (set - 1)) == 0) {
            best[set].operations = 0;
            best[set].labels = inside;
            continue;
        }
        for (int part = (set - 1) & set; part > 0; part = (part - 1) & set) {
            const int other = set & ~part;
            const double operations =
                best[part].operations + best[other].operations + size_of(e, best[part].labels | best[other].labels);
            if (best[set].operations < 0 || operations < best[set].operations) {
                best[set].operations = operations;
                best[set].part = part;
            }
        }
    }
}

/* Which sets are where in the list, while steps are written down, those of the parts of a set first. */
typedef struct writer {
    const best_of *best;
    int count, sets[MNP__MOST_TERMS], steps, *path;
} writer;

static int place_of(const writer *w, int set)
{
    int at = 0;
    while (w->sets[at] != set)
        at++;
    return at;
}

static void write_steps(writer *w, int set)
{
    if ((set & (set - 1)) == 0)
        return;
    const int part = w->best[set].part, other = set & ~part;
    write_steps(w, part);
    write_steps(w, other);
    const int a = place_of(w, part), b = place_of(w, other), first = a < b ? a : b, last = a < b ? b : a;
    w->path[2 * w->steps] = first;
    w->path[2 * w->steps++ + 1] = last;
    memmove(&w->sets[last], &w->sets[last + 1], (size_t)(w->count - last - 1) * sizeof *w->sets);
    memmove(&w->sets[first], &w->sets[first + 1], (size_t)(w->count - first - 2) * sizeof *w->sets);
    w->count--;
    w->sets[w->count - 1] = set;
}

/* false: there is no memory for it */
static bool order_optimal(const mnp__einsum *e, const list *l, uint64_t result, int *path)
{
    best_of *best = malloc(((size_t)1 << l->count) * sizeof *best);
    writer w = {.best = best, .count = l->count, .path = path};
    if (!best)
        return false;
    find_best(e, l, result, best);
    for (int k = 0; k < l->count; k++)
        w.sets[k] = 1 << k;
    write_steps(&w, (1 << l->count) - 1);
    free(best);
    return true;
}

double mnp__einsum_order(const mnp__einsum *e, mnp_einsum_order order, int *path)
{
    const uint64_t result = mnp__term_set(&e->result);
    list l = {.count = e->count};
    double operations = 0;
    for (int i = 0; i < e->count; i++)
        l.items[i] = mnp__term_set(&e->terms[i]);
    const bool optimal =
        order == MNP_EINSUM_OPTIMAL && l.count > 1 && l.count <= MOST_OPTIMAL && order_optimal(e, &l, result, path);
    for (int s = 0; s < e->count - 1; s++) {
        int i = 0, j = 1;
        if (optimal) {
            i = path[2 * s];
            j = path[2 * s + 1];
        } else if (order != MNP_EINSUM_IN_ORDER) {
            choose_greedy(e, &l, result, &i, &j);
        } else if (s > 0) { /* the result so far is the last one of the list */
            i = 0;
            j = l.count - 1;
        }
        path[2 * s] = i;
        path[2 * s + 1] = j;
        operations += contract(e, &l, i, j, result);
    }
    return e->count == 1 ? size_of(e, l.items[0]) : operations;
}
