/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polyphase filterbanks: segments that are folded to as many elements as there are channels (segments.c), and their
 * transforms; and samples that are packed in few bits.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/channelize.h>
#include <maniple/fft.h>
#include <maniple/filter_design.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/text.h"
#include "kernels/signal/spectral/unpack_params.h"
#include "layout/layout.h"
#include "signal/filters/fetch.h"
#include "signal/spectral/segments.h"

/* ---- the filterbank ---- */

#define MOST_TAPS (INT64_C(1) << 31)

static mnp_status check_sizes(int64_t channels, int64_t ntaps, int64_t step)
{
    if (channels < 1 || channels > MOST_TAPS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_channelize: channels is %" PRId64 ", and must be from 1 to %" PRId64,
                        channels, MOST_TAPS);
    if (ntaps < 1 || ntaps > MOST_TAPS / channels)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_channelize: ntaps is %" PRId64 ", and must be from 1 to %" PRId64, ntaps,
                        MOST_TAPS / channels);
    if (step < 1 || step > channels)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_channelize: step is %" PRId64 ", and must be from 1 to channels, %" PRId64,
                        step, channels);
    return MNP_OK;
}

/* The taps that are used without others.  The memory is the caller's. */
static mnp_status design(int64_t channels, int64_t ntaps, double **taps_p)
{
    const double cutoff = 1 / (double)channels;
    double *taps;
    MNP_TRY(mnp__malloc((size_t)(channels * ntaps) * sizeof *taps, &taps));
    mnp_status st = MNP_OK;
    if (channels == 1) /* there is nothing to keep out */
        for (int64_t i = 0; i < ntaps; i++)
            taps[i] = i == ntaps / 2;
    else
        st = mnp_firwin(channels * ntaps, 1, &cutoff, "hamming", 0, NULL, true, true, 0, taps);
    if (st == MNP_OK)
        *taps_p = taps;
    else
        free(taps);
    return st;
}

/* Fold the frames of x and transform them. */
static mnp_status channelize(const mnp_array *x, int axis, const mnp__segments *segments, bool one_sided,
                             mnp_array **y_p)
{
    mnp_array *folded = NULL;
    MNP_TRY(mnp__segments_cut("mnp_channelize", segments, x, axis, &folded));
    mnp_status st =
        one_sided ? mnp_rfft(folded, segments->size, -1, NULL, y_p) : mnp_fft(folded, segments->size, -1, NULL, y_p);
    mnp_array_free(folded);
    return st;
}

mnp_status mnp_channelize(const mnp_array *x, int64_t channels, int64_t ntaps, const double *taps, int64_t step,
                          bool two_sided, int axis, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    double *own = NULL;
    mnp_array *y = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__inputs_check("mnp_channelize", 1, &x));
    MNP_TRY(mnp__view_axis("mnp_channelize", x->layout->ndim, axis, &axis));
    step = step == 0 ? channels : step;
    MNP_TRY(check_sizes(channels, ntaps, step));
    if (!taps)
        MNP_TRY_OR(MNP_AGREE(x->ctx, design(channels, ntaps, &own)), st, done);
    const int64_t n = x->layout->shape[axis], length = channels * ntaps;
    const mnp__segments segments = {.count = n >= length ? (n - length) / step + 1 : 0,
                                    .size = channels,
                                    .step = step,
                                    .folds = ntaps,
                                    .window = taps ? taps : own,
                                    .scale = 1};
    st = channelize(x, axis, &segments, mnp_dtype_kind(x->dtype) != 'c' && !two_sided, &y);
done:
    free(own);
    mnp__output output = {.array = y, .user_p = y_p};
    return mnp__output_close(1, &output, st);
}

/* ---- packed samples ---- */

typedef struct packing {
    int bits;
    bool little, is_signed, is_offset;
} packing;

static mnp_status parse_packing(int bits, const char *encoding, const char *order, packing *p)
{
    encoding = encoding ? encoding : "signed";
    order = order ? order : "big";
    if (bits < 1 || bits > 16)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_unpack_samples: bits is %d, and must be from 1 to 16", bits);
    *p = (packing){.bits = bits,
                   .little = strcmp(order, "little") == 0,
                   .is_offset = strcmp(encoding, "offset") == 0,
                   .is_signed = strcmp(encoding, "unsigned") != 0};
    if (strcmp(encoding, "signed") != 0 && !p->is_offset && p->is_signed)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_unpack_samples: encoding is '%s', and must be 'signed', 'offset' or 'unsigned'", encoding);
    if (!p->little && strcmp(order, "big") != 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_unpack_samples: order is '%s', and must be 'big' or 'little'", order);
    return MNP_OK;
}

/* The bytes that samples lo .. hi - 1 lie in. */
static void reach_bytes(const void *argument, int64_t lo, int64_t hi, int64_t *begin_p, int64_t *end_p)
{
    const packing *p = argument;
    *begin_p = lo * p->bits / 8;
    *end_p = (hi * p->bits + 7) / 8;
}

static mnp_status unpack_block(const packing *how, const mnp_array *x, int axis, const mnp_array *y)
{
    mnp_ctx *ctx = x->ctx;
    const int half = how->is_signed ? 1 << (how->bits - 1) : 0;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "signal/spectral/unpack.cu", .function = "unpack"};
    mnp__kernel *kernel;
    mnp__fetched in;
    MNP_TRY(mnp__fetch(x, y->layout, axis, reach_bytes, how, &in));
    mnp_unpack_params p = {.in = in.data,
                           .out = y->data,
                           .bits = how->bits,
                           .little = how->little,
                           .subtract = half,
                           .flip = how->is_offset ? 0 : half,
                           .first_byte = in.first,
                           .length = in.length,
                           .first = y->local_lo[axis],
                           .count = y->local_shape[axis],
                           .in_along = in.strides[axis],
                           .out_along = y->local_strides[axis]};
    mnp__segments_lines(y->layout->ndim, axis, y->local_shape, in.strides, y->local_strides, 1, &p.lines, p.kept,
                        p.in_kept, p.out_kept);
    mnp__text_add(&defines, "#define MNP_OUT %s\n", mnp__jit_type(y->dtype));
    mnp_status st = mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel);
    if (st == MNP_OK)
        st = mnp__ctx_launch(ctx, kernel, y->local_size, &p, sizeof p);
    mnp__fetched_free(ctx, &in);
    return st;
}

mnp_status mnp_unpack_samples(const mnp_array *x, int bits, const char *encoding, const char *order, int axis,
                              mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    packing how;
    mnp_layout *layout = NULL;
    mnp_array *y = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check("mnp_unpack_samples", 1, &x));
    MNP_TRY(mnp__view_axis("mnp_unpack_samples", x->layout->ndim, axis, &axis));
    MNP_TRY(parse_packing(bits, encoding, order, &how));
    if (x->dtype != MNP_UINT8)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_unpack_samples: x is %s, and must be uint8", mnp_dtype_name(x->dtype));
    const mnp_dtype dtype =
        bits <= 8 ? (how.is_signed ? MNP_INT8 : MNP_UINT8) : (how.is_signed ? MNP_INT16 : MNP_UINT16);
    MNP_TRY_OR(mnp__lines_layout(x->layout, axis, x->layout->shape[axis] * 8 / bits, &layout), st, done);
    MNP_TRY_OR(mnp_array_new(x->ctx, dtype, layout, &y), st, done);
    st = unpack_block(&how, x, axis, y);
done:
    mnp_layout_free(layout);
    mnp__output output = {.array = y, .user_p = y_p};
    return mnp__output_close(1, &output, st);
}
