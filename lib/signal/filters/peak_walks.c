/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prominences and widths of given peaks: a walk from each of them (kernels/signal/peaks.cu), in a copy of the signal
 * that every rank has; each rank measures the peaks that it owns.
 */
#include <maniple/peaks.h>

#include "array/input.h"
#include "base/integer.h"
#include "kernels/signal/peaks_params.h"
#include "layout/layout.h"
#include "signal/filters/filters.h"

struct walk {
    mnp_ctx *ctx;
    mnp__input x, peaks;
    mnp_array *blocks[2 * MNP_PEAKS_LEVELS], *wrong;
    mnp_peaks_params params;
};

static mnp_status launch(const struct walk *w, const char *name, int64_t count)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "signal/peaks.cu", .function = name};
    mnp__kernel *kernel;
    MNP_TRY(mnp__ctx_kernel_of_text(w->ctx, &spec, &defines, NULL, &kernel));
    return mnp__ctx_launch(w->ctx, kernel, count, &w->params, sizeof w->params);
}

/* An array of every rank's own. */
static mnp_status own_array(const struct walk *w, mnp_dtype dtype, int64_t count, mnp_array **array_p)
{
    mnp_layout *layout = NULL;
    mnp_status st = MNP_AGREE(w->ctx, mnp_layout_replicated(w->ctx->comm.size, 1, &count, &layout));
    if (st == MNP_OK)
        st = mnp_array_new(w->ctx, dtype, layout, array_p);
    mnp_layout_free(layout);
    return st;
}

static mnp_status open_walk(struct walk *w, const mnp_array *x, const mnp_array *peaks, int64_t wlen)
{
    const int64_t n = x->layout->shape[0];
    int64_t count = n;
    mnp_status st = MNP_OK;
    w->ctx = x->ctx;
    MNP_TRY(mnp__input_open_everywhere(x, MNP_FLOAT64, MNP__INPUT_DENSE, &w->x));
    MNP_TRY(mnp__input_open(peaks, NULL, MNP_INT64, MNP__INPUT_DENSE, &w->peaks));
    w->params = (mnp_peaks_params){.x = w->x.array->data,
                                   .n = n,
                                   .count = w->peaks.array->local_size,
                                   .peaks = w->peaks.array->data,
                                   .half = wlen == 0 ? n : wlen / 2};
    for (int l = 0; l < MNP_PEAKS_LEVELS && st == MNP_OK; l++) {
        count = mnp__divide_up(count, MNP_PEAKS_BLOCK);
        st = own_array(w, MNP_FLOAT64, count, &w->blocks[2 * l]);
        if (st == MNP_OK)
            st = own_array(w, MNP_FLOAT64, count, &w->blocks[2 * l + 1]);
        if (st != MNP_OK)
            break;
        w->params.least[l] = w->blocks[2 * l]->data;
        w->params.most[l] = w->blocks[2 * l + 1]->data;
        st = MNP_AGREE(w->ctx, launch(w, l == 0 ? "peaks_blocks" : "peaks_groups", count));
    }
    if (st == MNP_OK)
        st = own_array(w, MNP_UINT32, 1, &w->wrong);
    if (st == MNP_OK) {
        w->params.wrong = w->wrong->data;
        st = w->ctx->device->ops->fill(w->ctx->device, w->wrong->data, 0, sizeof(unsigned), w->ctx->compute);
        st = MNP_AGREE(w->ctx, st);
    }
    return st;
}

static void close_walk(struct walk *w)
{
    mnp__input_close(&w->x);
    mnp__input_close(&w->peaks);
    for (int i = 0; i < 2 * MNP_PEAKS_LEVELS; i++)
        mnp_array_free(w->blocks[i]);
    mnp_array_free(w->wrong);
}

/* A new array as long as the peaks, and cut as they are. */
static mnp_status new_property(const struct walk *w, mnp_dtype dtype, mnp_array **array_p)
{
    mnp_layout *layout = NULL;
    mnp_status st = MNP_AGREE(w->ctx, mnp__layout_in_c_order(w->peaks.array->layout, &layout));
    if (st == MNP_OK)
        st = mnp_array_new(w->ctx, dtype, layout, array_p);
    mnp_layout_free(layout);
    return st;
}

static mnp_status find_prominences(struct walk *w, mnp_peaks *p)
{
    MNP_TRY(new_property(w, MNP_FLOAT64, &p->prominences));
    MNP_TRY(new_property(w, MNP_INT64, &p->left_bases));
    MNP_TRY(new_property(w, MNP_INT64, &p->right_bases));
    w->params.prominences = p->prominences->data;
    w->params.left_bases = p->left_bases->data;
    w->params.right_bases = p->right_bases->data;
    return MNP_AGREE(w->ctx, launch(w, "peaks_prominences", w->params.count));
}

static mnp_status find_widths(struct walk *w, double rel_height, mnp_peaks *p)
{
    MNP_TRY(new_property(w, MNP_FLOAT64, &p->widths));
    MNP_TRY(new_property(w, MNP_FLOAT64, &p->width_heights));
    MNP_TRY(new_property(w, MNP_FLOAT64, &p->left_ips));
    MNP_TRY(new_property(w, MNP_FLOAT64, &p->right_ips));
    w->params.rel_height = rel_height;
    w->params.widths = p->widths->data;
    w->params.width_heights = p->width_heights->data;
    w->params.left_ips = p->left_ips->data;
    w->params.right_ips = p->right_ips->data;
    return MNP_AGREE(w->ctx, launch(w, "peaks_widths", w->params.count));
}

mnp_status mnp__peaks_measure(const mnp_array *x, int64_t wlen, double rel_height, mnp_peaks *p, bool *wrong_p)
{
    struct walk w = {.ctx = x->ctx};
    mnp_status st = open_walk(&w, x, p->peaks, wlen);
    if (st == MNP_OK)
        st = find_prominences(&w, p);
    if (st == MNP_OK && rel_height >= 0)
        st = find_widths(&w, rel_height, p);
    if (st == MNP_OK && wrong_p) {
        unsigned wrong = 0;
        int64_t any;
        st = MNP_AGREE(w.ctx, mnp_array_get_local(w.wrong, &wrong));
        any = wrong;
        if (st == MNP_OK)
            st = mnp__all_reduce(&w.ctx->comm, &any, 1, MPI_INT64_T, MPI_MAX);
        *wrong_p = any != 0;
    }
    close_walk(&w);
    return st;
}
