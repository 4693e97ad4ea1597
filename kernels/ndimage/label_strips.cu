/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connected parts of a block on the host, strip by strip: a worker goes through the rows of a strip, and every element
 * joins the parts of its neighbours before it, by a union-find whose paths become shorter as they are followed.  Then
 * rows at the beginnings of strips are joined to the strips before.  Compiled as label.cu.
 */
#include "kernels/prelude.h"
#include "kernels/ndimage/label_params.h"
#include "kernels/ndimage/label_union.h"
#include "kernels/nest.h"

struct mnp_steps {
    signed char by[MNP_NDIM];
};
static const mnp_steps earlier[] = {MNP_NEIGHBOURS};
static constexpr int mnp_steps_count = sizeof earlier / sizeof *earlier;

/* A row before another one, and whether elements of that have neighbours there at their x - 1, x and x + 1. */
struct mnp_before {
    MNP_LABEL *labels;
    bool by[3];
};

/* A row of the block, and the rows before it that have neighbours of its elements. */
struct mnp_row {
    MNP_LABEL *labels;
    mnp_before before[mnp_steps_count];
    int count;
    int64_t first; /* the number of its first element */

    /* The rows from number `low` to `high` - 1 are looked at. */
    mnp_row(const mnp_label_params &p, int64_t row, int64_t low, int64_t high)
    {
        constexpr int outer = MNP_NDIM - 1;
        const int64_t width = p.extent[outer];
        int64_t index[MNP_NDIM];
        mnp_unravel<outer>(p.extent, row, index);
        first = row * width;
        labels = (MNP_LABEL *)p.labels + first;
        count = 0;
        for (const mnp_steps &step : earlier) {
            int64_t other = 0;
            bool inside = true;
            for (int d = 0; d < outer; d++) {
                const int64_t j = index[d] + step.by[d];
                inside = inside && j >= 0 && j < p.extent[d];
                other = other * p.extent[d] + j;
            }
            if (!inside)
                continue;
            MNP_LABEL *const there = (MNP_LABEL *)p.labels + other * width;
            if (other >= low && other < high && other != row) {
                if (count == 0 || before[count - 1].labels != there) /* the steps to a row follow one another */
                    before[count++] = mnp_before{there, {false, false, false}};
                before[count - 1].by[step.by[outer] + 1] = true;
            }
        }
    }
};

/* The number of the first element of a part, for one worker alone. */
static inline MNP_LABEL mnp_root(MNP_LABEL *labels, MNP_LABEL i)
{
    while (labels[i] != i) {
        labels[i] = labels[labels[i]];
        i = labels[i];
    }
    return i;
}

static inline MNP_LABEL mnp_joined(MNP_LABEL *labels, MNP_LABEL a, MNP_LABEL b)
{
    a = mnp_root(labels, a);
    b = mnp_root(labels, b);
    if (a < b)
        labels[b] = a;
    else
        labels[a] = b;
    return a < b ? a : b;
}

/*
 * -1 if a is negative, else 0.  Compilers make branches of conditions, and of noise no processor can tell where they
 * go.
 */
static inline MNP_LABEL mnp_negative(MNP_LABEL a)
{
    return a >> (8 * sizeof a - 1);
}

/* a, or b where a is negative. */
static inline MNP_LABEL mnp_or_else(MNP_LABEL a, MNP_LABEL b)
{
    return (a & ~mnp_negative(a)) | (b & mnp_negative(a));
}

/* Whether elements have neighbours in an earlier row at their x + by: in images, of a structure that is known. */
static inline bool mnp_looks(const mnp_before &before, int by)
{
    return MNP_NDIM != 2 ? before.by[by + 1] : by < 0 ? MNP_NORTH_WEST : by == 0 ? MNP_NORTH : MNP_NORTH_EAST;
}

/* In noise there are few branches: nothing but joining parts, which is rare. */
template <bool is_noise> static void label_row(const mnp_label_params &p, const mnp_row &row)
{
    MNP_LABEL *const labels = (MNP_LABEL *)p.labels;
    const int64_t width = p.extent[MNP_NDIM - 1];
    const MNP_IN *in = (const MNP_IN *)p.in + row.first;
    MNP_LABEL last = -1, joined = -1; /* of the element before, and what has been joined to its part last */
    for (int64_t x = 0; x < width; x++) {
        const MNP_LABEL all = -(MNP_LABEL)(mnp_to<mnp_bool>::from(in[x]).value == 0); /* -1 in the background */
        if (!is_noise && all) {
            last = joined = row.labels[x] = -1;
            continue;
        }
        MNP_LABEL part = MNP_WEST ? last | all : -1;
        joined = MNP_WEST ? joined | all : -1;
        const auto touch = [&](MNP_LABEL other) {
            if (((is_noise ? part : 0) | other) >= 0 && other != part && other != joined) {
                part = part < 0 ? mnp_root(labels, other) : mnp_joined(labels, part, other);
                joined = other;
            }
            if (is_noise)
                part = mnp_or_else(part, other);
        };
        for (int k = 0; k < row.count; k++) {
            const mnp_before &before = row.before[k];
            const MNP_LABEL north = mnp_looks(before, 0) ? before.labels[x] | all : -1;
            const MNP_LABEL hidden = MNP_WEST ? ~mnp_negative(north) : 0; /* -1: its neighbours are its part */
            touch(north);
            if (!is_noise && hidden)
                continue;
            if (mnp_looks(before, -1) && x > 0)
                touch(before.labels[x - 1] | all | hidden);
            if (mnp_looks(before, 1) && x + 1 < width)
                touch(before.labels[x + 1] | all | hidden);
        }
        last = row.labels[x] = mnp_or_else(part, (MNP_LABEL)(row.first + x)) | all;
    }
}

/* Whether more than a third of the elements are followed by others. */
static bool has_noise(const mnp_label_params &p, const mnp_row &row)
{
    const int64_t width = p.extent[MNP_NDIM - 1];
    const MNP_IN *in = (const MNP_IN *)p.in + row.first;
    int changes = 0;
    for (int64_t x = 1; x < width; x++)
        changes += (mnp_to<mnp_bool>::from(in[x]).value != 0) != (mnp_to<mnp_bool>::from(in[x - 1]).value != 0);
    return 3 * (int64_t)changes > width;
}

static int64_t mnp_rows(const mnp_label_params &p)
{
    return p.extent[MNP_NDIM - 1] > 0 ? p.count / p.extent[MNP_NDIM - 1] : 0;
}

MNP_KERNEL(label_strips, mnp_label_params)
{
    const int64_t rows = mnp_rows(p);
    MNP_FOR (strip, p.blocks) {
        const int64_t begin = mnp_share_begin(rows, strip, p.blocks), end = mnp_share_begin(rows, strip + 1, p.blocks);
        for (int64_t r = begin; r < end; r++) {
            const mnp_row row(p, r, begin, end);
            if (has_noise(p, row))
                label_row<true>(p, row);
            else
                label_row<false>(p, row);
        }
    }
}

MNP_KERNEL(label_seams, mnp_label_params)
{
    const int64_t rows = mnp_rows(p), width = p.extent[MNP_NDIM - 1];
    int64_t reach = 1; /* rows of a strip that have neighbours before it */
    for (int d = 1; d < MNP_NDIM - 1; d++)
        reach = reach * p.extent[d] + 1;
    MNP_FOR (strip, p.blocks) {
        const int64_t begin = mnp_share_begin(rows, strip, p.blocks), end = mnp_share_begin(rows, strip + 1, p.blocks);
        for (int64_t r = begin; strip > 0 && r < mnp_least(end, begin + reach); r++) {
            const mnp_row row(p, r, 0, begin);
            for (int k = 0; k < 3 * row.count; k++) {
                const mnp_before &before = row.before[k / 3];
                const int by = k % 3 - 1;
                for (int64_t x = by < 0; before.by[k % 3] && x < width - (by > 0); x++)
                    if (read_label(row.labels + x) >= 0 && read_label(before.labels + x + by) >= 0)
                        unite((MNP_LABEL *)p.labels, (MNP_LABEL)(row.first + x),
                              (MNP_LABEL)(before.labels - (MNP_LABEL *)p.labels + x + by));
            }
        }
    }
}

/*
 * Follow the element at i to the first one of its part, which has -1 less the part's number.  In noise those that
 * follow this one are given a shorter way: most loops end after the first step.
 */
template <bool is_noise> static void store_value(const mnp_label_params &p, int64_t i)
{
    MNP_LABEL *const labels = (MNP_LABEL *)p.labels;
    MNP_LABEL label = read_label(labels + i);
    if (is_noise)
        label = read_label(labels + mnp_or_else(label, (MNP_LABEL)i));
    while (label >= 0)
        label = read_label(labels + label);
    if (is_noise)
        __atomic_store_n(labels + i, label, __ATOMIC_RELAXED);
    ((MNP_OUT *)p.out)[i] = mnp_to<MNP_OUT>::from(-1 - label);
}

MNP_KERNEL(label_values, mnp_label_params)
{
    constexpr int64_t most = 256;
    const MNP_LABEL *labels = (const MNP_LABEL *)p.labels;
    MNP_FOR (piece, (p.count + most - 1) / most) {
        const int64_t begin = piece * most, end = mnp_least(begin + most, p.count);
        int changes = 0;
        for (int64_t i = begin + 1; i < end; i++)
            changes += (labels[i] < 0) != (labels[i - 1] < 0);
        if (3 * changes > most)
            for (int64_t i = begin; i < end; i++)
                store_value<true>(p, i);
        else
            for (int64_t i = begin; i < end; i++)
                store_value<false>(p, i);
    }
}
