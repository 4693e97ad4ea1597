/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting networks, as statements of the kernel language.
 */
#include "ndimage/network.h"

#include <stdbool.h>
#include <string.h>

/* A comparison leaves the smaller value in the first place and the larger one in the second. */
struct network {
    int count;
    unsigned char pairs[MNP__MOST_COMPARISONS][2];
};

/* Places that hold sorted values, from the smallest on. */
struct list {
    int count;
    unsigned char at[MNP__MOST_WIRES];
};

static void compare(struct network *network, int a, int b)
{
    if (network->count < MNP__MOST_COMPARISONS) {
        network->pairs[network->count][0] = (unsigned char)a;
        network->pairs[network->count][1] = (unsigned char)b;
    }
    network->count++;
}

/* Every other place of a list, from number `first` on. */
static struct list half_of(const struct list *list, int first)
{
    struct list half = {0};
    for (int i = first; i < list->count; i += 2)
        half.at[half.count++] = list->at[i];
    return half;
}

/* Merge two sorted lists: the odd ones of both, the even ones of both, and comparisons between neighbours. */
static struct list merge(struct network *network, const struct list *a, const struct list *b)
{
    struct list result = {0};
    if (a->count == 0 || b->count == 0)
        return a->count == 0 ? *b : *a;
    if (a->count == 1 && b->count == 1) {
        compare(network, a->at[0], b->at[0]);
        return (struct list){2, {a->at[0], b->at[0]}};
    }
    const struct list a_odd = half_of(a, 0), a_even = half_of(a, 1), b_odd = half_of(b, 0), b_even = half_of(b, 1);
    const struct list v = merge(network, &a_odd, &b_odd), w = merge(network, &a_even, &b_even);
    for (int i = 0; i < v.count || i < w.count; i++) {
        if (i < v.count && i > 0 && i - 1 < w.count)
            compare(network, w.at[i - 1], v.at[i]);
        if (i > 0 && i - 1 < w.count)
            result.at[result.count++] = w.at[i - 1];
        if (i < v.count)
            result.at[result.count++] = v.at[i];
    }
    if (w.count == v.count)
        result.at[result.count++] = w.at[w.count - 1];
    return result;
}

static struct list sort(struct network *network, int first, int count)
{
    if (count == 1)
        return (struct list){1, {(unsigned char)first}};
    const struct list low = sort(network, first, count / 2), high = sort(network, first + count / 2, count - count / 2);
    return merge(network, &low, &high);
}

/* Write the comparisons of which something depends on a result; wanted[] says which places are read afterwards. */
static void write(mnp__text *text, const struct network *network, bool *wanted)
{
    bool smaller[MNP__MOST_COMPARISONS], larger[MNP__MOST_COMPARISONS];
    for (int i = network->count - 1; i >= 0; i--) {
        const int a = network->pairs[i][0], b = network->pairs[i][1];
        smaller[i] = wanted[a];
        larger[i] = wanted[b];
        wanted[a] = wanted[b] = wanted[a] || wanted[b];
    }
    for (int i = 0; i < network->count; i++) {
        const int a = network->pairs[i][0], b = network->pairs[i][1];
        if (smaller[i] && larger[i])
            mnp__text_add(text, "    mnp_order(v[%d], v[%d]);\n", a, b);
        else if (smaller[i])
            mnp__text_add(text, "    v[%d] = mnp_lesser(v[%d], v[%d]);\n", a, a, b);
        else if (larger[i])
            mnp__text_add(text, "    v[%d] = mnp_greater(v[%d], v[%d]);\n", b, a, b);
    }
}

void mnp__network_sort(mnp__text *text, int count, int *order)
{
    struct network network;
    bool wanted[MNP__MOST_WIRES];
    network.count = 0;
    const struct list sorted = sort(&network, 0, count);
    memset(wanted, true, sizeof wanted);
    write(text, &network, wanted);
    for (int i = 0; i < count; i++)
        order[i] = sorted.at[i];
}

/* Forget what has too many smaller or larger values in its own list; *rank is then among the others. */
static void forget(struct list *list, int *rank, int *total)
{
    int low = list->count - (*total - *rank), high = *rank + 1;
    low = low > 0 ? low : 0;
    high = high < list->count ? high : list->count;
    *rank -= low;
    *total -= low + list->count - high;
    memmove(list->at, list->at + low, (size_t)(high - low));
    list->count = high - low;
}

int mnp__network_select(mnp__text *text, int columns, int length, int rank)
{
    struct network network;
    struct list lists[MNP__MOST_WIRES];
    bool wanted[MNP__MOST_WIRES] = {false};
    int total = columns * length;
    network.count = 0;
    for (int c = 0; c < columns; c++) {
        lists[c].count = length;
        for (int i = 0; i < length; i++)
            lists[c].at[i] = (unsigned char)(c * length + i);
        forget(&lists[c], &rank, &total);
    }
    for (int left = columns; left > 1; left = (left + 1) / 2) {
        for (int c = 0; c + 1 < left; c += 2) {
            const struct list merged = merge(&network, &lists[c], &lists[c + 1]);
            lists[c / 2] = merged;
            forget(&lists[c / 2], &rank, &total);
        }
        if (left % 2 == 1)
            lists[left / 2] = lists[left - 1];
    }
    const int place = lists[0].at[rank];
    wanted[place] = true;
    write(text, &network, wanted);
    return place;
}
