/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple info --layout: drawing which rank would own which part of an array.  A layout is pure arithmetic, so this
 * works for millions of ranks.
 */
#include "picture/drawing.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <maniple.h>

#include "common/command.h"
#include "report/json.h"

/* ---- options ---- */

enum { MOST_RANKS = 1 << 24 }; /* so many take a second or two, and memory for their cuts */

/* The layout that the options ask for. */
struct request {
    int ndim, nranks, mesh_ndim;
    int axes[MNP_MAX_DIMS], mesh[MNP_MAX_DIMS], order[MNP_MAX_DIMS];
    int64_t shape[MNP_MAX_DIMS], blocks[MNP_MAX_DIMS];
};

/*
 * Read numbers with `mark` between them, such as 1000x200: at most MNP_MAX_DIMS, none above `most`; *count_p receives
 * how many.  For --axes a dash stands for MNP_NO_AXIS.
 */
static mnp_status read_numbers(const char *option, const char *text, char mark, int64_t most, int64_t *numbers,
                               int *count_p)
{
    const char *at = text;
    for (*count_p = 0; at; (*count_p)++) {
        bool dash = *at == '-' && strcmp(option, "axes") == 0;
        char *end = (char *)at + 1;
        errno = 0;
        int64_t number = dash ? MNP_NO_AXIS : strtoll(at, &end, 10);
        if ((!dash && !isdigit((unsigned char)*at)) || (*end && *end != mark))
            return mnp_fail(MNP_ERR_ARG, "option --%s takes whole numbers with '%c' between them, but was given '%s'",
                            option, mark, text);
        if (errno || number > most)
            return mnp_fail(MNP_ERR_ARG, "option --%s takes numbers up to %" PRId64 ", but was given '%s'", option,
                            most, text);
        if (*count_p == MNP_MAX_DIMS)
            return mnp_fail(MNP_ERR_ARG, "option --%s takes %d numbers at most, but was given '%s'", option,
                            MNP_MAX_DIMS, text);
        numbers[*count_p] = number;
        at = *end ? end + 1 : NULL;
    }
    return MNP_OK;
}

/* The same, one for each dimension. */
static mnp_status read_per_dimension(const char *option, const char *text, char mark, int64_t most, int ndim,
                                     int64_t *numbers)
{
    int count;
    mnp_status st = read_numbers(option, text, mark, most, numbers, &count);
    if (st == MNP_OK && count != ndim)
        return mnp_fail(MNP_ERR_ARG,
                        "option --%s takes a number for each of the %d dimension%s of the shape, and was "
                        "given '%s'",
                        option, ndim, ndim == 1 ? "" : "s", text);
    return st;
}

static void narrow(int count, const int64_t *numbers, int *narrowed)
{
    for (int i = 0; i < count; i++)
        narrowed[i] = (int)numbers[i];
}

/* Read shape, axes, blocks and order; without --axes mesh axis d cuts dimension d. */
static mnp_status read_dimensions(const drawing *d, struct request *w)
{
    int64_t numbers[MNP_MAX_DIMS];
    int mesh_ndim = MNP_MAX_DIMS;
    mnp_status st = read_numbers("layout", d->shape, 'x', INT64_MAX, w->shape, &w->ndim);
    if (st == MNP_OK && d->mesh)
        st = read_numbers("mesh", d->mesh, 'x', INT_MAX, numbers, &mesh_ndim);
    for (int i = 0; i < w->ndim; i++) {
        w->axes[i] = i < mesh_ndim ? i : MNP_NO_AXIS;
        w->order[i] = i;
    }
    if (st == MNP_OK && d->axes) {
        st = read_per_dimension("axes", d->axes, ',', MNP_MAX_DIMS - 1, w->ndim, numbers);
        narrow(st == MNP_OK ? w->ndim : 0, numbers, w->axes);
    }
    if (st == MNP_OK && d->cyclic)
        st = read_per_dimension("cyclic", d->cyclic, 'x', INT64_MAX, w->ndim, w->blocks);
    if (st == MNP_OK && d->order) {
        st = read_per_dimension("order", d->order, ',', INT_MAX, w->ndim, numbers);
        narrow(st == MNP_OK ? w->ndim : 0, numbers, w->order);
    }
    return st;
}

static mnp_status read_ranks(const char *text, int *ranks_p)
{
    char *end;
    errno = 0;
    const long ranks = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || ranks < 1 || ranks > MOST_RANKS)
        return mnp_fail(MNP_ERR_ARG, "option --ranks takes a number from 1 to %d, but was given '%s'", MOST_RANKS,
                        text);
    *ranks_p = (int)ranks;
    return MNP_OK;
}

/* Read the mesh and the number of ranks; without --mesh the mesh has the axes that cut dimensions. */
static mnp_status read_mesh(const drawing *d, int running, struct request *w)
{
    int64_t numbers[MNP_MAX_DIMS] = {0}, product = 1;
    mnp_status st = MNP_OK;
    w->mesh_ndim = 1;
    for (int i = 0; i < w->ndim; i++)
        w->mesh_ndim = w->axes[i] >= w->mesh_ndim ? w->axes[i] + 1 : w->mesh_ndim;
    if (d->mesh)
        st = read_numbers("mesh", d->mesh, 'x', INT_MAX, numbers, &w->mesh_ndim);
    narrow(w->mesh_ndim, numbers, w->mesh);
    for (int a = 0; a < w->mesh_ndim && product <= INT_MAX; a++)
        product *= w->mesh[a];
    w->nranks = product > 0 && product <= INT_MAX ? (int)product : running;
    if (st == MNP_OK && d->ranks) {
        st = read_ranks(d->ranks, &w->nranks);
    }
    if (st == MNP_OK && w->nranks > MOST_RANKS)
        return mnp_fail(MNP_ERR_ARG, "layouts are drawn for %d ranks at most, not for %d", MOST_RANKS, w->nranks);
    return st == MNP_OK ? mnp_mesh_dims(w->nranks, w->mesh_ndim, w->mesh) : st;
}

static mnp_status make_layout(const drawing *d, int running, mnp_layout **layout_p)
{
    struct request w = {0};
    mnp_layout *plain = NULL;
    bool is_chosen = !d->mesh && !d->axes && !d->cyclic;
    if (d->is_replicated && !is_chosen)
        return mnp_fail(MNP_ERR_ARG, "--replicate gives every rank the whole array: it does not go with --mesh, --axes "
                                     "or --cyclic");
    mnp_status st = read_dimensions(d, &w);
    if (st == MNP_OK)
        st = read_mesh(d, running, &w);
    if (st == MNP_OK && d->is_replicated)
        st = mnp_layout_replicated(w.nranks, w.ndim, w.shape, &plain);
    else if (st == MNP_OK && is_chosen)
        st = mnp_layout_block(w.nranks, w.ndim, w.shape, &plain);
    else if (st == MNP_OK)
        st = mnp_layout_new_cyclic(w.mesh_ndim, w.mesh, w.ndim, w.shape, w.axes, w.blocks, &plain);
    if (st == MNP_OK)
        st = mnp_layout_with_order(plain, w.order, layout_p);
    mnp_layout_free(plain);
    return st;
}

/* ---- JSON ---- */

/* "from" and "extent" describe the box of a rank; if blocks are dealt out, the smallest box that contains them. */
static void print_json(const mnp_layout *layout)
{
    const int ndim = mnp_layout_ndim(layout);
    int64_t order[MNP_MAX_DIMS], blocks[MNP_MAX_DIMS];
    json_writer j = json_start(stdout);
    for (int d = 0; d < ndim; d++) {
        order[d] = mnp_layout_order(layout)[d];
        blocks[d] = mnp_layout_block_size(layout, d);
    }
    json_open(&j, NULL, '{');
    json_integers(&j, "shape", ndim, mnp_layout_shape(layout));
    json_integers(&j, "order", ndim, order);
    json_integers(&j, "cyclic", ndim, blocks);
    json_open(&j, "ranks", '[');
    for (int rank = 0; rank < mnp_layout_nranks(layout); rank++) {
        int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], local[MNP_MAX_DIMS];
        mnp_layout_box(layout, rank, lo, extent);
        mnp_layout_local_shape(layout, rank, local);
        json_row(&j, NULL, '{');
        json_integer(&j, "rank", rank);
        json_integers(&j, "from", ndim, lo);
        json_integers(&j, "extent", ndim, extent);
        json_integers(&j, "block", ndim, local);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
}

int drawing_main(const drawing *d)
{
    int rank, running, status = EXIT_SUCCESS;
    mnp_layout *layout = NULL;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &running);
    OR_EXIT(make_layout(d, running, &layout));
    if (rank == 0) {
        if (d->is_json)
            print_json(layout);
        else
            OR_EXIT(mnp_layout_print(layout, stdout));
        status = close_output(EXIT_SUCCESS);
    }
    mnp_layout_free(layout);
    MPI_Finalize();
    return status;
}
