/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing a layout: a few lines of text, then a drawing or a table of who owns what.
 *
 * A dimension is divided into intervals: its non-empty parts, or its blocks if it is block-cyclic.  One or two
 * dimensions are drawn as a grid of cells of equal size, one for each pair of intervals, with the cut points along the
 * edges.  For more dimensions a table has the box of each rank.  If not everything fits, the middle is left out and
 * marked with dots.
 */
#include "layout/layout.h"

#include <inttypes.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"
#include "base/text.h"

enum { MOST_COLUMNS = 100, MOST_LINES = 40, HEAD_LINES = 5, BOTTOM = 2 };

/* ---- text ---- */

static void add_extents(mnp__text *text, int count, const int *extents)
{
    for (int i = 0; i < count; i++)
        mnp__text_add(text, "%s%d", i ? " x " : "", extents[i]);
}

/* Find the fewest and the most elements of a rank: products over the dimensions, as no axis cuts two of them. */
static void find_extremes(const mnp_layout *layout, int64_t *fewest_p, int64_t *most_p)
{
    *fewest_p = 1;
    *most_p = mnp__layout_largest(layout);
    for (int d = 0; d < layout->ndim; d++) {
        int64_t least = INT64_MAX;
        for (int part = 0; part < mnp_layout_parts(layout, d); part++) {
            const int64_t count = layout->cuts[d][part + 1] - layout->cuts[d][part];
            least = mnp__min(count, least);
        }
        *fewest_p *= least;
    }
    for (int a = 0; a < layout->mesh_ndim; a++)
        if (layout->pin[a] != MNP__REPLICAS && layout->mesh[a] > 1)
            *fewest_p = 0;
}

/* Append what a mesh axis cuts. */
static void add_axis(mnp__text *text, const mnp_layout *layout, int axis)
{
    for (int d = 0; d < layout->ndim; d++) {
        if (layout->axes[d] != axis)
            continue;
        if (layout->blocks[d] > 0)
            mnp__text_add(text, "axis %d deals out dimension %d in blocks of %" PRId64, axis, d, layout->blocks[d]);
        else
            mnp__text_add(text, "axis %d cuts dimension %d%s", axis, d, layout->reversed[d] ? " backwards" : "");
        return;
    }
    if (layout->pin[axis] == MNP__REPLICAS)
        mnp__text_add(text, "axis %d makes replicas", axis);
    else
        mnp__text_add(text, "axis %d: all at place %d", axis, layout->pin[axis]);
}

/* Append the layout's text for mnp_layout_parse(), if it has one that fits a line, behind what the line has. */
static void add_notation(mnp__text *text, const mnp_layout *layout, size_t column)
{
    char room[256];
    mnp__text notation = MNP__TEXT_IN(room);
    if (layout->ndim > 0 && mnp__layout_write(&notation, layout) && notation.length + 2 <= MOST_COLUMNS)
        mnp__text_add(text, "%s\"%s\"", column + notation.length + 4 > MOST_COLUMNS ? ":\n" : ": ",
                      mnp__text_string(&notation));
    mnp__text_free(&notation);
}

static void add_words(mnp__text *text, const mnp_layout *layout)
{
    int64_t fewest, most;
    size_t begin = text->length, line;
    find_extremes(layout, &fewest, &most);
    mnp__text_add(text, "shape ");
    mnp__text_add_shape(text, layout->ndim, layout->shape);
    mnp__text_add(text, ", %d rank%s as ", layout->nranks, layout->nranks == 1 ? "" : "s");
    add_extents(text, layout->mesh_ndim, layout->mesh);
    mnp__text_add(text, text->length - begin > MOST_COLUMNS - 54 ? ",\n" : ", ");
    if (fewest == most)
        mnp__text_add(text, "blocks of %" PRId64 " element%s\n", most, most == 1 ? "" : "s");
    else
        mnp__text_add(text, "blocks of %" PRId64 " to %" PRId64 " elements\n", fewest, most);
    line = text->length;
    for (int a = 0; a < layout->mesh_ndim; a++) {
        if (layout->mesh[a] == 1)
            continue;
        bool first = text->length == line, full = text->length - line > MOST_COLUMNS / 2;
        mnp__text_add(text, "%s", first ? "" : full ? ",\n" : ", ");
        if (full)
            line = text->length;
        add_axis(text, layout, a);
    }
    if (text->length > line) {
        add_notation(text, layout, text->length - line);
        mnp__text_add(text, "\n");
    }
    if (mnp__layout_order_is_c(layout))
        return;
    mnp__text_add(text, "stored in the order of dimensions ");
    for (int i = 0; i < layout->ndim; i++)
        mnp__text_add(text, "%s%d", i ? ", " : "", layout->order[i]);
    mnp__text_add(text, ", the slowest first\n");
}

/* ---- what is shown ---- */

/* Which of `count` items are shown: if not all fit, those before `head` and from `tail` on. */
struct shown {
    int64_t count, head, tail;
};

static struct shown fit(int64_t count, int64_t room)
{
    if (count <= room)
        return (struct shown){count, count, count};
    return (struct shown){count, room / 2, count - (room - 1 - room / 2)}; /* the dots take the room of one item */
}

/* The number of positions in the drawing: one for each item shown, and one for the dots, whose item is -1. */
static int64_t places(const struct shown *shown)
{
    return shown->head + (shown->count - shown->tail) + (shown->head < shown->tail);
}

static int64_t at_place(const struct shown *shown, int64_t place)
{
    if (place < shown->head || shown->head == shown->tail)
        return place;
    return place == shown->head ? -1 : shown->tail + (place - shown->head - 1);
}

/* ---- a drawing ---- */

/* An interval of a dimension. */
struct interval {
    int64_t lo, hi;
    int part;
};

static int64_t count_intervals(const mnp_layout *layout, int d)
{
    int64_t count = 0, block = layout->blocks[d];
    if (block > 0)
        return mnp__divide_up(layout->shape[d], block);
    for (int part = 0; part < mnp_layout_parts(layout, d); part++)
        count += layout->cuts[d][part + 1] > layout->cuts[d][part];
    return count;
}

static struct interval get_interval(const mnp_layout *layout, int d, int64_t number)
{
    int64_t block = layout->blocks[d], hi = (number + 1) * block;
    const int64_t *cuts = layout->cuts[d];
    int part = 0;
    if (block > 0)
        return (struct interval){number * block, mnp__min(hi, layout->shape[d]),
                                 (int)(number % mnp_layout_parts(layout, d))};
    while (cuts[part + 1] == cuts[part] || number-- > 0)
        part++;
    return (struct interval){cuts[part], cuts[part + 1], part};
}

/* Number `k` of the ranks that own these parts, in their order; there are as many as replicas. */
static int owner(const mnp_layout *layout, const int *parts, int k)
{
    int receiver = 0, stride = 1; /* a rank that has the coordinates of replica k */
    for (int a = layout->mesh_ndim - 1; a >= 0; a--) {
        bool is_free = layout->pin[a] == MNP__REPLICAS;
        for (int d = 0; d < layout->ndim; d++)
            is_free = is_free && layout->axes[d] != a;
        if (is_free) {
            receiver += k % layout->mesh[a] * stride;
            k /= layout->mesh[a];
        }
        stride *= layout->mesh[a];
    }
    return mnp__layout_source(layout, parts, receiver);
}

static int count_replicas(const mnp_layout *layout)
{
    return layout->nranks / mnp__layout_sharers(layout);
}

/* Name the ranks that own these parts: all if there are up to three, and otherwise the first two and the last. */
static void name_ranks(const mnp_layout *layout, const int *parts, char *name, size_t room)
{
    const int count = count_replicas(layout), first = owner(layout, parts, 0), last = owner(layout, parts, count - 1);
    if (count == 1)
        snprintf(name, room, "%d", first);
    else if (count == 2)
        snprintf(name, room, "%d,%d", first, last);
    else
        snprintf(name, room, "%d,%d,%s%d", first, owner(layout, parts, 1), count > 3 ? ".." : "", last);
}

static int digits(int64_t number)
{
    return snprintf(NULL, 0, "%" PRId64, number);
}

/* A grid of cells: the last dimension across, the one before it down, if there is one. */
struct grid {
    const mnp_layout *layout;
    struct shown down, across;
    int margin, width; /* columns of the cut points beside the grid, and of a cell */
};

static struct grid make_grid(const mnp_layout *layout)
{
    const int last = layout->ndim - 1, name = digits(layout->nranks - 1);
    const int replicas = count_replicas(layout);
    int width = digits(layout->shape[last]);
    const int names = replicas == 1 ? name : replicas == 2 ? 2 * name + 1 : replicas == 3 ? 3 * name + 2 : 3 * name + 4;
    width = width > names + 2 ? width : names + 2;
    struct grid grid = {.layout = layout, .width = width > 7 ? width : 7, .down = {1, 1, 1}};
    if (last == 1) {
        grid.margin = digits(layout->shape[0]) + 1;
        grid.down = fit(count_intervals(layout, 0), (MOST_LINES - HEAD_LINES) / 2);
    }
    int room = MOST_COLUMNS - grid.margin - 1 - digits(layout->shape[last]);
    grid.across = fit(count_intervals(layout, last), room / (grid.width + 1));
    return grid;
}

/* Append the cut points between columns, each above its line. */
static void add_points(mnp__text *text, const struct grid *grid)
{
    const int last = grid->layout->ndim - 1;
    int64_t n = places(&grid->across);
    mnp__text_add(text, "%*s", grid->margin, "");
    for (int64_t c = 0; c < n; c++) {
        int64_t number = at_place(&grid->across, c);
        if (number < 0)
            mnp__text_add(text, "%-*" PRId64, grid->width + 1, get_interval(grid->layout, last, grid->across.head).lo);
        else
            mnp__text_add(text, "%-*" PRId64, grid->width + 1, get_interval(grid->layout, last, number).lo);
    }
    mnp__text_add(text, "%" PRId64 "\n", grid->layout->shape[last]);
}

static void add_rule(mnp__text *text, const struct grid *grid, int64_t point)
{
    static const char dashes[] = "--------------------------------";
    if (grid->margin > 0)
        mnp__text_add(text, "%*" PRId64 " ", grid->margin - 1, point);
    for (int64_t c = 0; c < places(&grid->across); c++) {
        mnp__text_add(text, "+");
        for (int left = grid->width; left > 0; left -= (int)sizeof dashes - 1)
            mnp__text_add(text, "%.*s", left, dashes);
    }
    mnp__text_add(text, "+\n");
}

static void add_cells(mnp__text *text, const struct grid *grid, int64_t row)
{
    const mnp_layout *layout = grid->layout;
    mnp__text_add(text, "%*s", grid->margin, "");
    for (int64_t c = 0; c < places(&grid->across); c++) {
        int64_t column = at_place(&grid->across, c);
        char name[64] = "...";
        int parts[2] = {0};
        if (row >= 0 && column >= 0) {
            if (layout->ndim == 2)
                parts[0] = get_interval(layout, 0, row).part;
            parts[layout->ndim - 1] = get_interval(layout, layout->ndim - 1, column).part;
            name_ranks(layout, parts, name, sizeof name);
        }
        int length = (int)strlen(name), before = (grid->width - length) / 2;
        mnp__text_add(text, "|%*s%s%*s", before, "", name, grid->width - length - before, "");
    }
    mnp__text_add(text, "|\n");
}

static void add_grid(mnp__text *text, const mnp_layout *layout)
{
    struct grid grid = make_grid(layout);
    add_points(text, &grid);
    for (int64_t r = 0; r < places(&grid.down); r++) {
        int64_t row = at_place(&grid.down, r);
        add_rule(text, &grid, layout->ndim < 2 ? 0 : get_interval(layout, 0, row < 0 ? grid.down.head : row).lo);
        add_cells(text, &grid, row);
    }
    add_rule(text, &grid, layout->shape[0]);
}

/* ---- a table ---- */

static void add_box(mnp__text *text, const mnp_layout *layout, int rank)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    size_t line = text->length;
    mnp__text_add(text, "%*d  ", digits(layout->nranks - 1) + 4, rank);
    if (!mnp__layout_box(layout, rank, lo, extent)) {
        mnp__text_add(text, "nothing\n");
        return;
    }
    for (int d = 0; d < layout->ndim; d++) {
        mnp__part_runs runs = mnp__layout_runs(layout, d, mnp__layout_part(layout, d, rank));
        mnp__text_add(text, "%s", d ? ", " : "");
        if (text->length - line > MOST_COLUMNS - 48) { /* 48: the most columns of an interval */
            mnp__text_add(text, "...");
            break;
        }
        if (runs.period > 0)
            mnp__text_add(text, "%" PRId64 " of every %" PRId64 " from %" PRId64, runs.length, runs.period, runs.first);
        else
            mnp__text_add(text, "%" PRId64 ":%" PRId64, runs.first, runs.first + runs.count);
    }
    mnp__text_add(text, layout->ndim > 0 ? "\n" : "the element\n");
}

static void add_table(mnp__text *text, const mnp_layout *layout)
{
    struct shown ranks = fit(layout->nranks, MOST_LINES - HEAD_LINES - BOTTOM);
    int width = digits(layout->nranks - 1) + 4;
    mnp__text_add(text, "%*s  indices\n", width, "rank");
    for (int64_t r = 0; r < places(&ranks); r++) {
        int64_t rank = at_place(&ranks, r);
        if (rank < 0)
            mnp__text_add(text, "%*s\n", width, "...");
        else
            add_box(text, layout, (int)rank);
    }
}

mnp_status mnp_layout_print(const mnp_layout *layout, FILE *file)
{
    MNP_ENTER(layout, file);
    mnp__text text = MNP__TEXT_EMPTY;
    add_words(&text, layout);
    if (layout->size > 0 && (layout->ndim == 1 || layout->ndim == 2))
        add_grid(&text, layout);
    else if (layout->size > 0)
        add_table(&text, layout);
    mnp_status st = mnp__text_status(&text);
    if (st == MNP_OK && (fputs(mnp__text_string(&text), file) == EOF || ferror(file)))
        st = MNP_FAIL(MNP_ERR_IO, "the drawing of a layout cannot be written");
    mnp__text_free(&text);
    return st;
}
