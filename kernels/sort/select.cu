/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds elements of lines by their ranks in order, by radix selection: see lib/ops/sort/select.h.
 *
 * A pass counts a digit of all elements that agree with a sought one in the digits before, and the count tells which
 * digit the sought one has.  As soon as few elements agree, a pass writes them to a list, and the later passes read
 * only that: mostly the second pass does.
 *
 * On a GPU teams of blocks do that for lines that no other rank shares, and long ones are sieved before that
 * (select_cuda.h).
 *
 * MNP_NUMBERED: the elements up to the sought one are wanted, with their indices.  These make equal elements different:
 * an index is the last word of an element.  What comes before the sought one is written with the list, the rest at the
 * end.
 */
#include "kernels/prelude.h"
#include "kernels/sort/select_params.h"
#define MNP_PAYLOAD 0
#include "kernels/sort/radix_sort_params.h"
#include "kernels/sort/sort_keys.h"

enum { MNP_NUMBER_WORDS = sizeof(MNP_KEY) > 8 ? 2 : 1, MNP_WORDS = MNP_NUMBER_WORDS + MNP_NUMBERED };

/* The words of a number, the most significant first; those of small keys are small too. */
typedef mnp_bits_of_size<(sizeof(MNP_KEY) > 4 ? 8 : 4)>::type mnp_select_word;

MNP_INLINE mnp_select_word mnp_select_word_of(mnp_bits128 number, int w)
{
    return (mnp_select_word)(w == 0 ? number.high : number.low);
}
template <typename Bits> MNP_INLINE mnp_select_word mnp_select_word_of(Bits number, int)
{
    return number;
}

MNP_INLINE uint32_t mnp_select_digit_of(const mnp_select_digit &digit, const mnp_bits &number, int64_t index)
{
    const uint32_t mask = (1u << digit.bits) - 1;
    if (MNP_NUMBERED && digit.word == MNP_NUMBER_WORDS)
        return (uint32_t)((uint64_t)index >> digit.shift) & mask;
    return (uint32_t)(mnp_select_word_of(number, digit.word) >> digit.shift) & mask;
}

/* The first digits of a sought element, as words that are shifted down to them. */
struct mnp_select_prefix {
    mnp_select_word number[MNP_NUMBER_WORDS];
    uint64_t index;
    int shifts[MNP_WORDS];
    int count; /* of words that have known digits */
};

MNP_INLINE mnp_select_prefix mnp_select_prefix_of(const mnp_select_params &p, const mnp_select_state &state, int passes)
{
    mnp_select_prefix prefix;
    prefix.count = 0;
#pragma unroll
    for (int w = 0; w < MNP_WORDS; w++) {
        const int known = passes * MNP_SELECT_BITS < p.bits[w] ? passes * MNP_SELECT_BITS : p.bits[w];
        prefix.count += known > 0;
        prefix.shifts[w] = known > 0 ? p.bits[w] - known : 0;
        const uint64_t word = state.words[w] >> prefix.shifts[w];
        if (w < MNP_NUMBER_WORDS)
            prefix.number[w] = (mnp_select_word)word;
        else
            prefix.index = word;
        passes -= (p.bits[w] + MNP_SELECT_BITS - 1) / MNP_SELECT_BITS;
    }
    return prefix;
}

/* Whether an element comes before (-1) or after (1) those that begin so, or begins so too (0). */
MNP_INLINE int mnp_select_compare(const mnp_bits &number, int64_t index, const mnp_select_prefix &prefix)
{
    if (prefix.count == 0)
        return 0;
#pragma unroll
    for (int w = 0; w < MNP_NUMBER_WORDS; w++) {
        const mnp_select_word a = mnp_select_word_of(number, w) >> prefix.shifts[w], b = prefix.number[w];
        if (w < prefix.count && a != b)
            return a < b ? -1 : 1;
    }
    if (MNP_NUMBERED && prefix.count == MNP_WORDS) {
        const uint64_t a = (uint64_t)index >> prefix.shifts[MNP_WORDS - 1];
        return a < prefix.index ? -1 : a > prefix.index ? 1 : 0;
    }
    return 0;
}

/* ---- numbers back to keys ---- */

template <typename Bits> MNP_INLINE Bits mnp_select_float_bits(Bits number, Bits infinity)
{
    const Bits sign = (Bits)((Bits)1 << (8 * sizeof(Bits) - 1));
    if (number == (Bits) ~(Bits)0)
        return (Bits)(infinity | (infinity >> 1)); /* NaN */
    return (Bits)(number & sign ? number ^ sign : ~number);
}
MNP_INLINE void mnp_select_key(uint8_t number, mnp_bool &key)
{
    key.value = number;
}
MNP_INLINE void mnp_select_key(uint16_t number, mnp_float16 &key)
{
    key.bits = mnp_select_float_bits(number, (uint16_t)0x7c00);
}
MNP_INLINE void mnp_select_key(uint16_t number, mnp_bfloat16 &key)
{
    key.bits = mnp_select_float_bits(number, (uint16_t)0x7f80);
}
MNP_INLINE void mnp_select_key(uint32_t number, float &key)
{
    key = mnp_bits_as<float>(mnp_select_float_bits(number, (uint32_t)0x7f800000));
}
MNP_INLINE void mnp_select_key(uint64_t number, double &key)
{
    key = mnp_bits_as<double>(mnp_select_float_bits(number, (uint64_t)0x7ff0000000000000));
}
template <typename Bits, typename T> MNP_INLINE void mnp_select_key(Bits number, T &key)
{
    const Bits sign = (Bits)((T)-1 < (T)0 ? (Bits)1 << (8 * sizeof(T) - 1) : 0);
    key = (T)(number ^ sign);
}

/* The parts of a complex number, whose order is told in sort_keys.h. */
template <typename Bits, typename R> MNP_INLINE void mnp_select_parts(Bits high, Bits low, mnp_complex<R> &key)
{
    const Bits nan = (Bits) ~(Bits)0;
    const bool imaginary = high == (Bits)(nan - 2); /* NaN is the imaginary part alone */
    mnp_select_key(imaginary ? low : high == (Bits)(nan - 1) ? nan : high, key.re);
    mnp_select_key(imaginary ? nan : low, key.im);
}
MNP_INLINE void mnp_select_key(uint64_t number, mnp_complex64 &key)
{
    mnp_select_parts((uint32_t)(number >> 32), (uint32_t)number, key);
}
MNP_INLINE void mnp_select_key(mnp_bits128 number, mnp_complex128 &key)
{
    mnp_select_parts(number.high, number.low, key);
}

/* The number that comes last. */
template <typename Bits> MNP_INLINE void mnp_select_most(Bits &number)
{
    number = (Bits) ~(Bits)0;
}
MNP_INLINE void mnp_select_most(mnp_bits128 &number)
{
    number = mnp_bits128{~(uint64_t)0, ~(uint64_t)0};
}

template <typename Word, typename Bits> MNP_INLINE void mnp_select_join(const Word *words, Bits &number)
{
    number = (Bits)words[0];
}
template <typename Word> MNP_INLINE void mnp_select_join(const Word *words, mnp_bits128 &number)
{
    number = mnp_bits128{words[0], words[1]};
}

/* ---- the tasks ---- */

/* Whether a pass writes a line's list; and whether it reads that and not all elements. */
MNP_INLINE bool mnp_select_writes_list(const mnp_select_state *states, int pass)
{
    return states[0].listed > 0 && pass == states[0].listed;
}
MNP_INLINE bool mnp_select_reads_list(const mnp_select_state *states, int pass)
{
    return states[0].listed > 0 && pass > states[0].listed;
}

/*
 * A sought element's digit, the first one of those from `digit` on whose counts sum up to more than `rank`: it has that
 * digit, and so many of those with the same digits come before it.
 */
MNP_INLINE void mnp_select_found(const mnp_select_params &p, int pass, const long long *counts, uint32_t digit,
                                 long long rank, mnp_select_state *state)
{
    while (rank >= *counts) {
        rank -= *counts++;
        digit++;
    }
    state->words[p.digits[pass].word] |= (unsigned long long)digit << p.digits[pass].shift;
    state->rank = (unsigned long long)rank;
    state->passes = pass + 1;
    state->done = MNP_NUMBERED && rank + 1 == *counts;
    state->alike = *counts;
}

MNP_INLINE bool mnp_select_same(const mnp_select_state &a, const mnp_select_state &b)
{
    bool same = true;
#pragma unroll
    for (int w = 0; w < MNP_NUMBER_WORDS; w++)
        same = same && a.words[w] == b.words[w];
    return same && a.done == b.done;
}

/* Find who counts for whom from now on. */
MNP_INLINE void mnp_select_group(int targets, mnp_select_state *states)
{
    for (int t = 0; t < targets; t++) {
        int leader = 0;
        while (!mnp_select_same(states[leader], states[t]))
            leader++;
        states[t].leader = leader;
    }
}

/* The same after a pass, and whether no more than `few` elements are left, for a list. */
MNP_INLINE void mnp_select_lead(int targets, int pass, long long few, mnp_select_state *states)
{
    long long left = 0;
    mnp_select_group(targets, states);
    for (int t = 0; t < targets; t++)
        left += states[t].leader == t && !states[t].done ? states[t].alike : 0;
    if (states[0].listed == 0 && left <= few)
        states[0].listed = pass + 1;
}

/* How many of those that share a sought element's known digits come before it; at first, of all. */
MNP_INLINE long long mnp_select_rank(const mnp_select_params &p, int pass, const mnp_select_state *states, int target)
{
    return pass == 0 ? p.ranks[target] : (long long)states[target].rank;
}

/* Write a sought element. */
MNP_INLINE void mnp_select_store(const mnp_select_params &p, int64_t line, int target, const mnp_bits &number)
{
    mnp_select_key(mnp_sort_key_turned(number, p.descending != 0), ((MNP_KEY *)p.values)[line * p.row + target]);
}
MNP_INLINE void mnp_select_store(const mnp_select_params &p, int64_t line, int target, const mnp_select_state &state)
{
    mnp_bits number;
    mnp_select_join(state.words, number);
    mnp_select_store(p, line, target, number);
}

#if MNP_CUDA
#include "kernels/prefix_sum.h"
#include "kernels/sort/select_cuda.h"
#if MNP_TASK == MNP_SELECT_SAMPLE || MNP_TASK == MNP_SELECT_TEAM
#include "kernels/sort/select_sort_cuda.h"
#endif
#if MNP_TASK == MNP_SELECT_SAMPLE || MNP_TASK == MNP_SELECT_SIEVE
#include "kernels/sort/select_sample_cuda.h"
#endif
#if MNP_TASK == MNP_SELECT_SIEVE
#include "kernels/sort/select_sieve_cuda.h"
#endif
#if MNP_TASK == MNP_SELECT_TEAM
#include "kernels/sort/select_team_cuda.h"
#endif
#else
#include "kernels/sort/select_host.h"
#endif

#if !MNP_CUDA || MNP_TASK == MNP_SELECT_VALUES
MNP_KERNEL(select_values, mnp_select_params)
{
    MNP_FOR (i, p.lines * p.targets)
        mnp_select_store(p, i / p.targets, (int)(i % p.targets), p.states[i]);
}
#endif
