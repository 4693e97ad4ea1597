/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting networks, as statements of the kernel language.
 */
#include "ndimage/network.h"

#include <stdlib.h>
#include <string.h>

/* The smaller or the larger of two values. */
struct mnp__network_value {
    int a, b;
    bool is_larger, is_written;
};

/* Make room for `more` elements behind `count`; false, and the network has failed, if there is no memory. */
static bool make_room(mnp__network *network, void *list_p, size_t size, int count, int more, int *capacity)
{
    void **list = list_p;
    if (count + more <= *capacity)
        return !network->failed;
    void *longer = realloc(*list, (size_t)(2 * *capacity + 256) * size);
    if (!longer) {
        network->failed = true;
        return false;
    }
    *list = longer;
    *capacity = 2 * *capacity + 256;
    return !network->failed;
}

void mnp__network_start(mnp__network *network, int inputs)
{
    *network = (mnp__network){.inputs = inputs, .count = inputs};
}

void mnp__network_free(mnp__network *network)
{
    free(network->values);
    network->values = NULL;
}

/* ---- merges ---- */

/* Compare two values: *a becomes the smaller and *b the larger one. */
static void compare(mnp__network *network, int *a, int *b)
{
    const int place = network->count - network->inputs;
    if (!make_room(network, &network->values, sizeof *network->values, place, 2, &network->capacity))
        return;
    network->values[place] = (struct mnp__network_value){.a = *a, .b = *b};
    network->values[place + 1] = (struct mnp__network_value){.a = *a, .b = *b, .is_larger = true};
    *a = network->count++;
    *b = network->count++;
}

/* Every other value of a list, from number `first` on. */
static mnp__sorted half_of(const mnp__sorted *list, int first)
{
    mnp__sorted half;
    half.count = 0;
    for (int i = first; i < list->count; i += 2)
        half.at[half.count++] = list->at[i];
    return half;
}

/* Merge two sorted lists: the odd ones of both, the even ones of both, and comparisons between neighbours. */
static mnp__sorted merge(mnp__network *network, const mnp__sorted *a, const mnp__sorted *b)
{
    mnp__sorted result;
    if (a->count == 0 || b->count == 0)
        return a->count == 0 ? *b : *a;
    if (a->count == 1 && b->count == 1) {
        result = (mnp__sorted){2, {a->at[0], b->at[0]}};
        compare(network, &result.at[0], &result.at[1]);
        return result;
    }
    const mnp__sorted a_odd = half_of(a, 0), a_even = half_of(a, 1), b_odd = half_of(b, 0), b_even = half_of(b, 1);
    mnp__sorted v = merge(network, &a_odd, &b_odd), w = merge(network, &a_even, &b_even);
    result.count = 0;
    for (int i = 0; i < v.count || i < w.count; i++) {
        if (i < v.count && i > 0 && i - 1 < w.count)
            compare(network, &w.at[i - 1], &v.at[i]);
        if (i > 0 && i - 1 < w.count)
            result.at[result.count++] = w.at[i - 1];
        if (i < v.count)
            result.at[result.count++] = v.at[i];
    }
    if (w.count == v.count)
        result.at[result.count++] = w.at[w.count - 1];
    return result;
}

static mnp__sorted sort(mnp__network *network, int first, int count)
{
    if (count == 1)
        return (mnp__sorted){1, {first}};
    const mnp__sorted low = sort(network, first, count / 2), high = sort(network, first + count / 2, count - count / 2);
    return merge(network, &low, &high);
}

void mnp__network_sort(mnp__network *network, int count, mnp__sorted *sorted)
{
    *sorted = sort(network, 0, count);
}

/* ---- tiles ---- */

/* What can have the rank, of the `total` values of a rectangle of cells: their ranks there begin at `low`. */
struct known {
    int total, low;
    mnp__sorted list;
};

/* Columns x0 to x1 - 1 and rows y0 to y1 - 1 of the cells that windows of the tile reach. */
struct rectangle {
    int x0, x1, y0, y1;
};

struct tiling {
    mnp__network *network;
    const mnp__network_tile *tile;
    int *results;
    /* rectangles that are sorted */
    int count, capacity;
    struct entry {
        struct rectangle rectangle;
        struct known known;
    } * entries;
};

/* Forget what has too many smaller or larger values among the known ones. */
static void forget(const struct tiling *t, struct known *known)
{
    const int above = t->tile->columns * t->tile->rows * t->tile->depth - t->tile->rank;
    const int least = known->total > above ? known->total - above : 0;
    const int end = known->low + known->list.count, last = end < t->tile->rank + 1 ? end : t->tile->rank + 1;
    const int skipped = least > known->low ? least - known->low : 0;
    known->low += skipped;
    known->list.count = last - known->low;
    memmove(known->list.at, known->list.at + skipped, (size_t)known->list.count * sizeof *known->list.at);
}

static struct known join(const struct tiling *t, const struct known *a, const struct known *b)
{
    struct known all = {.total = a->total + b->total, .low = a->low + b->low};
    all.list = merge(t->network, &a->list, &b->list);
    forget(t, &all);
    return all;
}

/* The rectangle itself if it is known; else the longest known part of it, if it is one column; else NULL. */
static const struct entry *find_known(const struct tiling *t, const struct rectangle *r)
{
    const struct entry *best = NULL;
    for (int i = 0; i < t->count; i++) {
        const struct rectangle *k = &t->entries[i].rectangle;
        if (k->x0 == r->x0 && k->x1 == r->x1 && k->y0 >= r->y0 && k->y1 <= r->y1 &&
            (r->x1 - r->x0 == 1 || (k->y0 == r->y0 && k->y1 == r->y1)) &&
            (!best || k->y1 - k->y0 > best->rectangle.y1 - best->rectangle.y0))
            best = &t->entries[i];
    }
    return best;
}

static struct known cell_at(const struct tiling *t, int x, int y)
{
    const int depth = t->tile->depth, first = (y * (t->tile->columns + t->tile->width - 1) + x) * depth;
    struct known cell = {.total = depth};
    if (t->tile->is_sorted)
        for (int i = 0; i < depth; i++)
            cell.list.at[cell.list.count++] = first + i;
    else
        cell.list = sort(t->network, first, depth);
    forget(t, &cell);
    return cell;
}

/* Where a and b are cut in two: at a multiple of a power of two, so that rectangles beside each other share parts. */
static int middle_of(int a, int b)
{
    int power = 1;
    while (2 * power < b - a)
        power *= 2;
    const int middle = (a / power + 1) * power;
    return middle < b ? middle : a + power;
}

static struct known sort_rectangle(struct tiling *t, struct rectangle r);

static struct known sort_parts(struct tiling *t, const struct rectangle *r, const struct entry *part)
{
    struct rectangle first = *r, second = *r;
    struct known known;
    if (part) {
        const struct rectangle *k = &part->rectangle;
        const int y0 = k->y0, y1 = k->y1;
        known = part->known;
        if (y0 > r->y0) {
            const struct known above = sort_rectangle(t, (struct rectangle){r->x0, r->x1, r->y0, y0});
            known = join(t, &above, &known);
        }
        if (y1 < r->y1) {
            const struct known below = sort_rectangle(t, (struct rectangle){r->x0, r->x1, y1, r->y1});
            known = join(t, &known, &below);
        }
        return known;
    }
    if (r->x1 - r->x0 > 1)
        first.x1 = second.x0 = middle_of(r->x0, r->x1);
    else
        first.y1 = second.y0 = middle_of(r->y0, r->y1);
    known = sort_rectangle(t, first);
    const struct known other = sort_rectangle(t, second);
    return join(t, &known, &other);
}

/* The values of a rectangle.  Columns are sorted first, and sorted columns are merged. */
static struct known sort_rectangle(struct tiling *t, struct rectangle r)
{
    const struct entry *part = find_known(t, &r);
    if (part && part->rectangle.y0 == r.y0 && part->rectangle.y1 == r.y1)
        return part->known;
    const bool is_cell = r.x1 - r.x0 == 1 && r.y1 - r.y0 == 1;
    const struct known known = is_cell ? cell_at(t, r.x0, r.y0) : sort_parts(t, &r, part);
    if (make_room(t->network, &t->entries, sizeof *t->entries, t->count, 1, &t->capacity))
        t->entries[t->count++] = (struct entry){r, known};
    return known;
}

/* Outputs in columns x0 to x1 - 1 and rows y0 to y1 - 1; `common` is what their windows have in common. */
static void select_tile(struct tiling *t, const struct rectangle *outputs, const struct known *common)
{
    const struct rectangle o = *outputs;
    const int columns = t->tile->columns, rows = t->tile->rows;
    if (o.x1 - o.x0 == 1 && o.y1 - o.y0 == 1) {
        t->results[o.y0 * t->tile->width + o.x0] = common->list.at[t->tile->rank - common->low];
        return;
    }
    /* of both halves: the outputs, and what their windows have in common beyond that */
    struct rectangle half[2] = {o, o}, more[2];
    more[0] = more[1] = (struct rectangle){o.x1 - 1, o.x0 + columns, o.y1 - 1, o.y0 + rows};
    if (o.x1 - o.x0 >= o.y1 - o.y0) {
        const int x = (o.x0 + o.x1) / 2;
        half[0].x1 = half[1].x0 = x;
        more[0].x0 = x - 1, more[0].x1 = o.x1 - 1;
        more[1].x0 = o.x0 + columns, more[1].x1 = x + columns;
    } else {
        const int y = (o.y0 + o.y1) / 2;
        half[0].y1 = half[1].y0 = y;
        more[0].y0 = y - 1, more[0].y1 = o.y1 - 1;
        more[1].y0 = o.y0 + rows, more[1].y1 = y + rows;
    }
    for (int h = 0; h < 2; h++) {
        const struct known added = sort_rectangle(t, more[h]), all = join(t, common, &added);
        select_tile(t, &half[h], &all);
    }
}

/* The largest power of two that is at most both numbers. */
static int power_below(int a, int b)
{
    int power = 1;
    while (2 * power <= a && 2 * power <= b)
        power *= 2;
    return power;
}

void mnp__network_select(mnp__network *network, const mnp__network_tile *tile, int *results)
{
    struct tiling t = {.network = network, .tile = tile, .results = results};
    const int width = power_below(tile->width, tile->columns), height = power_below(tile->height, tile->rows);
    for (int y = 0; y < tile->height; y += height) {
        for (int x = 0; x < tile->width; x += width) {
            const struct rectangle outputs = {x, x + width, y, y + height};
            const struct known common = sort_rectangle(
                &t, (struct rectangle){outputs.x1 - 1, x + tile->columns, outputs.y1 - 1, y + tile->rows});
            select_tile(&t, &outputs, &common);
        }
    }
    free(t.entries);
}

/* ---- text ---- */

void mnp__network_name(const mnp__network *network, mnp__text *text, int value)
{
    if (value < network->inputs)
        mnp__text_add(text, "v[%d]", value);
    else
        mnp__text_add(text, "t%d", value - network->inputs);
}

static void write_value(mnp__network *network, mnp__text *text, int number)
{
    if (number < network->inputs || network->values[number - network->inputs].is_written)
        return;
    struct mnp__network_value *value = &network->values[number - network->inputs];
    write_value(network, text, value->a);
    write_value(network, text, value->b);
    value->is_written = true;
    mnp__text_add(text, "    const mnp_lanes t%d = %s(", number - network->inputs,
                  value->is_larger ? "mnp_greater" : "mnp_lesser");
    mnp__network_name(network, text, value->a);
    mnp__text_add(text, ", ");
    mnp__network_name(network, text, value->b);
    mnp__text_add(text, ");\n");
}

void mnp__network_write(mnp__network *network, mnp__text *text, const int *wanted, int count)
{
    for (int i = 0; i < count && !network->failed; i++)
        write_value(network, text, wanted[i]);
}
