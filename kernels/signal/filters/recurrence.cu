/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear recurrences along lines, part by part.
 *
 *   MNP_IN, MNP_OUT           the real types in memory; complex numbers are two lines each
 *   MNP_ORDER, MNP_SECTIONS   the filter; see recurrence_step.h
 *
 * In both forms the state after some elements is linear in the state before: s' = A^n s + e, where e is the state
 * after the same elements from zeros.  So parts of lines are first run from zeros (ENDS), their ends are joined by
 * powers of A in groups of groups (FOLD, EXPAND), and each part is run again from the right state (VALUES).  On a GPU a
 * thread takes a part; on the host a worker takes eight at a time, as lanes of vectors.
 */
#include "kernels/prelude.h"
#include "kernels/signal/filters/recurrence_params.h"
#include "kernels/nest.h"
#include "kernels/signal/filters/recurrence_step.h"

#if MNP_CUDA
constexpr int mnp_lanes = 1;
#else
constexpr int mnp_lanes = 8;
typedef double mnp_vector_of_lanes __attribute__((vector_size(8 * sizeof(double))));
MNP_INLINE double &mnp_lane(mnp_vector_of_lanes &x, int v)
{
    return ((double *)&x)[v];
}
#endif
MNP_INLINE double &mnp_lane(double &x, int)
{
    return x;
}

/* What a part reads and writes. */
struct mnp_part {
    const MNP_IN *in;
    MNP_OUT *out;
    int64_t count, line, number, place;

    MNP_INLINE void open(const mnp_recurrence_params &p, int64_t unit)
    {
        int64_t index[MNP_RECURRENCE_DIMS];
        number = unit / p.over.lines;
        line = unit - number * p.over.lines;
        mnp_unravel<MNP_RECURRENCE_DIMS>(p.over.kept, line, index);
        const int64_t begin = number ? p.length - (p.parts - number) * p.part : 0;
        count = number ? p.part : p.length - (p.parts - 1) * p.part;
        place = mnp_offset<MNP_RECURRENCE_DIMS>(p.over.place, index);
        in = (const MNP_IN *)p.over.in.base + mnp_offset<MNP_RECURRENCE_DIMS>(p.over.in.kept, index) +
             begin * p.over.in.along;
        out = (MNP_OUT *)p.over.out.base + mnp_offset<MNP_RECURRENCE_DIMS>(p.over.out.kept, index) +
              begin * p.over.out.along;
    }
    MNP_INLINE double begins(const mnp_recurrence_params &p, int n) const
    {
        if (number)
            return p.states[((number - 1) * MNP_ORDER + n) * p.over.lines + line];
        return p.start ? p.start[n * p.over.lines + place] : 0;
    }
};

/* Run elements [from, to) of `lanes` parts. */
template <bool store, int lanes, typename T>
MNP_INLINE void mnp_elements(const mnp_recurrence_params &p, const double *c, const mnp_part *parts, T (&s)[MNP_ORDER],
                             int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        T x;
        for (int v = 0; v < lanes; v++)
            mnp_lane(x, v) = mnp_to<double>::from(parts[v].in[i * p.over.in.along]);
        T y = mnp_advance(c, s, x);
        for (int v = 0; v < lanes && store; v++)
            parts[v].out[i * p.over.out.along] = mnp_to<MNP_OUT>::from(mnp_lane(y, v));
    }
}

/* Run `lanes` parts from number `unit` on.  The ends of parts that are longer than others are run one by one. */
template <bool store, int lanes, typename T> MNP_INLINE void mnp_units(const mnp_recurrence_params &p, int64_t unit)
{
    double c[mnp_coefficients];
    mnp_part parts[lanes];
    T s[MNP_ORDER];
    int64_t common = 0;
    for (int k = 0; k < mnp_coefficients; k++)
        c[k] = p.coefficients[k];
    for (int v = 0; v < lanes; v++) {
        parts[v].open(p, unit + v);
        common = v ? mnp_least(common, parts[v].count) : parts[v].count;
        for (int n = 0; n < MNP_ORDER; n++)
            mnp_lane(s[n], v) = store ? parts[v].begins(p, n) : 0;
    }
    mnp_elements<store, lanes>(p, c, parts, s, 0, common);
    for (int v = 0; v < lanes; v++) {
        double one[MNP_ORDER];
        for (int n = 0; n < MNP_ORDER; n++)
            one[n] = mnp_lane(s[n], v);
        if (lanes > 1)
            mnp_elements<store, 1>(p, c, parts + v, one, common, parts[v].count);
        for (int n = 0; n < MNP_ORDER && !store; n++)
            p.states[(parts[v].number * MNP_ORDER + n) * p.over.lines + parts[v].line] = one[n];
    }
}

/* s = matrix s + states of an item */
MNP_INLINE void mnp_follow(const double *matrix, double (&s)[MNP_ORDER], const double *states, int64_t stride)
{
    double next[MNP_ORDER];
    for (int n = 0; n < MNP_ORDER; n++) {
        next[n] = states[n * stride];
        for (int k = 0; k < MNP_ORDER; k++)
            next[n] += s[k] != 0 ? matrix[n * MNP_ORDER + k] * s[k] : 0; /* a power may have overflowed */
    }
    for (int n = 0; n < MNP_ORDER; n++)
        s[n] = next[n];
}

/*
 * Join the items of group number `group` of a line.  Like the parts, the groups end together with the line: the first
 * one may have fewer items, and it alone is never stepped over, so all others have the same matrix on the next level.
 */
MNP_INLINE void mnp_group(const mnp_recurrence_params &p, int64_t groups, int64_t group, int64_t line)
{
    const int64_t end = p.count - (groups - 1 - group) * p.group, begin = mnp_greatest(end - p.group, 0);
    const bool keeps = p.task == MNP_RECURRENCE_EXPAND;
    double s[MNP_ORDER];
    for (int n = 0; n < MNP_ORDER; n++)
        s[n] = p.before && group > 0 ? p.before[((group - 1) * MNP_ORDER + n) * p.over.lines + line] : 0;
    for (int64_t i = begin; i < end; i++) {
        double *states = p.states + i * MNP_ORDER * p.over.lines + line;
        mnp_follow(p.matrix, s, states, p.over.lines);
        for (int n = 0; n < MNP_ORDER && keeps; n++)
            states[n * p.over.lines] = s[n];
    }
    if (keeps)
        return;
    int64_t place = line;
    if (p.placed) {
        int64_t index[MNP_RECURRENCE_DIMS];
        mnp_unravel<MNP_RECURRENCE_DIMS>(p.over.kept, line, index);
        place = mnp_offset<MNP_RECURRENCE_DIMS>(p.over.place, index);
    }
    for (int n = 0; n < MNP_ORDER; n++)
        p.totals[(group * MNP_ORDER + n) * p.over.lines + place] = s[n];
}

/* The state of the first part of a line, if the line begins with `start`. */
MNP_INLINE void mnp_seed(const mnp_recurrence_params &p, int64_t line)
{
    mnp_part first;
    double s[MNP_ORDER];
    first.open(p, line);
    for (int n = 0; n < MNP_ORDER; n++)
        s[n] = first.begins(p, n);
    mnp_follow(p.matrix, s, p.states + line, p.over.lines);
    for (int n = 0; n < MNP_ORDER; n++)
        p.states[n * p.over.lines + line] = s[n];
}

/* From where the ranks of a line end to where this one begins; `place` is that of the line. */
MNP_INLINE void mnp_ranks(const mnp_recurrence_params &p, int64_t place)
{
    double s[MNP_ORDER];
    for (int n = 0; n < MNP_ORDER; n++)
        s[n] = p.start ? p.start[n * p.over.lines + place] : 0;
    for (int64_t r = 0; r <= p.ranks; r++) {
        double *to = r == p.mine ? p.totals : r == p.ranks ? p.last : nullptr;
        for (int n = 0; n < MNP_ORDER && to; n++)
            to[n * p.over.lines + place] = s[n];
        if (r < p.ranks)
            mnp_follow(p.matrix + r * MNP_ORDER * MNP_ORDER, s, p.states + r * MNP_ORDER * p.over.lines + place,
                       p.over.lines);
    }
}

MNP_KERNEL(recurrence, mnp_recurrence_params)
{
    if (p.task == MNP_RECURRENCE_ENDS || p.task == MNP_RECURRENCE_VALUES) {
        const bool store = p.task == MNP_RECURRENCE_VALUES;
        const int64_t units = p.over.lines * p.count, batches = (units + mnp_lanes - 1) / mnp_lanes;
        MNP_FOR (batch, batches) {
            int64_t unit = batch * mnp_lanes;
#if !MNP_CUDA
            if (unit + mnp_lanes <= units) {
                if (store)
                    mnp_units<true, mnp_lanes, mnp_vector_of_lanes>(p, unit);
                else
                    mnp_units<false, mnp_lanes, mnp_vector_of_lanes>(p, unit);
                continue;
            }
#endif
            for (; unit < mnp_least(units, (batch + 1) * mnp_lanes); unit++) {
                if (store)
                    mnp_units<true, 1, double>(p, unit);
                else
                    mnp_units<false, 1, double>(p, unit);
            }
        }
        return;
    }
    const bool grouped = p.task == MNP_RECURRENCE_FOLD || p.task == MNP_RECURRENCE_EXPAND;
    const int64_t groups = grouped ? (p.count + p.group - 1) / p.group : 1;
    MNP_FOR (unit, groups * p.over.lines) {
        if (grouped)
            mnp_group(p, groups, unit / p.over.lines, unit % p.over.lines);
        else if (p.task == MNP_RECURRENCE_SEED)
            mnp_seed(p, unit);
        else
            mnp_ranks(p, unit);
    }
}
