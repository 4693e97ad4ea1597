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

/* A row of the block, and which rows before it have neighbours of its elements: one for each step. */
struct mnp_row {
    MNP_LABEL *labels, *before[mnp_steps_count];
    int count, by[mnp_steps_count];
    int64_t first; /* the number of its first element */
    bool west;

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
        west = false;
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
            if (other == row) {
                west = west || step.by[outer] < 0;
            } else if (other >= low && other < high) {
                before[count] = (MNP_LABEL *)p.labels + other * width;
                by[count++] = step.by[outer];
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

static void label_row(const mnp_label_params &p, const mnp_row &row)
{
    MNP_LABEL *const labels = (MNP_LABEL *)p.labels;
    const int64_t width = p.extent[MNP_NDIM - 1];
    const MNP_IN *in = (const MNP_IN *)p.in + row.first;
    MNP_LABEL last = -1, joined = -1; /* of the element before, and what has been joined to its part last */
    for (int64_t x = 0; x < width; x++) {
        if (!mnp_to<mnp_bool>::from(in[x]).value) {
            last = joined = row.labels[x] = -1;
            continue;
        }
        MNP_LABEL part = row.west ? last : -1;
        joined = row.west ? joined : -1;
        for (int k = 0; k < row.count; k++) {
            const int64_t j = x + row.by[k];
            const MNP_LABEL other = j >= 0 && j < width ? row.before[k][j] : -1;
            if (other < 0 || other == part || other == joined)
                continue;
            part = part < 0 ? mnp_root(labels, other) : mnp_joined(labels, part, other);
            joined = other;
        }
        last = row.labels[x] = part < 0 ? (MNP_LABEL)(row.first + x) : part;
    }
}

static int64_t mnp_rows(const mnp_label_params &p)
{
    return p.extent[MNP_NDIM - 1] > 0 ? p.count / p.extent[MNP_NDIM - 1] : 0;
}

MNP_KERNEL(label_strips, mnp_label_params)
{
    const int64_t rows = mnp_rows(p);
    MNP_FOR (strip, p.blocks) {
        const int64_t begin = mnp_part_begin(rows, strip, p.blocks), end = mnp_part_begin(rows, strip + 1, p.blocks);
        for (int64_t row = begin; row < end; row++)
            label_row(p, mnp_row(p, row, begin, end));
    }
}

MNP_KERNEL(label_seams, mnp_label_params)
{
    const int64_t rows = mnp_rows(p), width = p.extent[MNP_NDIM - 1];
    int64_t reach = 1; /* rows of a strip that have neighbours before it */
    for (int d = 1; d < MNP_NDIM - 1; d++)
        reach = reach * p.extent[d] + 1;
    MNP_FOR (strip, p.blocks) {
        const int64_t begin = mnp_part_begin(rows, strip, p.blocks), end = mnp_part_begin(rows, strip + 1, p.blocks);
        for (int64_t r = begin; strip > 0 && r < mnp_least(end, begin + reach); r++) {
            const mnp_row row(p, r, 0, begin);
            for (int k = 0; k < row.count; k++)
                for (int64_t x = row.by[k] < 0; x < width - (row.by[k] > 0); x++)
                    if (read_label(row.labels + x) >= 0 && read_label(row.before[k] + x + row.by[k]) >= 0)
                        unite((MNP_LABEL *)p.labels, (MNP_LABEL)(row.first + x),
                              (MNP_LABEL)(row.before[k] - (MNP_LABEL *)p.labels + x + row.by[k]));
        }
    }
}

/* The first elements of parts have -1 less the part's number; the others follow theirs. */
MNP_KERNEL(label_values, mnp_label_params)
{
    const MNP_LABEL *labels = (const MNP_LABEL *)p.labels;
    MNP_FOR (i, p.count) {
        MNP_LABEL label = labels[i];
        while (label >= 0)
            label = labels[label];
        ((MNP_OUT *)p.out)[i] = mnp_to<MNP_OUT>::from(-1 - label);
    }
}
