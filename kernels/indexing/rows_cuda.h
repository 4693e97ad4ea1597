/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering rows of bytes, of at least 16 bytes each, to dense memory, where neither their length nor their place is a
 * multiple of 16: the innermost dimension of mnp_indexed_params is a row's bytes, and strides are in bytes.
 *
 * A thread makes aligned words of 16 bytes of the result.  A word has bytes of one row or of two, each of which are
 * shifted out of the two words that they lie in.
 */
#include "kernels/words_cuda.h"

typedef mnp_word<16>::type word16;

/* Shift 16 bytes out of 32: those from number `shift`, 0 .. 15, on. */
MNP_INLINE word16 shift_out(const word16 &low, const word16 &high, unsigned shift)
{
    const uint32_t all[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    uint32_t part[6], five[5];
#pragma unroll
    for (int k = 0; k < 6; k++)
        part[k] = shift & 8 ? all[k + 2] : all[k];
#pragma unroll
    for (int k = 0; k < 5; k++)
        five[k] = shift & 4 ? part[k + 1] : part[k];
    const unsigned bits = shift % 4 * 8;
    return {__funnelshift_r(five[0], five[1], bits), __funnelshift_r(five[1], five[2], bits),
            __funnelshift_r(five[2], five[3], bits), __funnelshift_r(five[3], five[4], bits)};
}

/* Load 16 bytes, of which those numbered first .. end - 1 are wanted: words without one of them are not read. */
MNP_INLINE word16 load_bytes(const char *from, int first, int end)
{
    const unsigned shift = (unsigned)(uint64_t)from % 16;
    const word16 *words = (const word16 *)(from - shift);
    word16 low = {0, 0, 0, 0}, high = {0, 0, 0, 0};
    if (first < 16 - (int)shift)
        low = words[0];
    if (end > 16 - (int)shift)
        high = words[1];
    return shift_out(low, high, shift);
}

/* The first bytes of one word and the others of another; `first`: how many. */
MNP_INLINE uint32_t join_bytes(uint32_t a, uint32_t b, int first)
{
    const uint32_t mask = first <= 0 ? 0 : first >= 4 ? ~0u : (1u << first * 8) - 1;
    return (a & mask) | (b & ~mask);
}

/* Where a row begins, by its number in C order. */
template <typename number> MNP_INLINE const char *find_row(const mnp_indexed_params &p, number row)
{
    number from = 0, at = 0;
#pragma unroll 1
    for (int d = p.ndim - 2; d >= 0; d--) {
        const number outer = d > 0 ? quotient_by(p, row, d) : 0, i = row - outer * (number)p.extent[d];
        at += i * (number)p.index_stride[d];
        from += i * (number)p.src_stride[d];
        row = outer;
    }
    bool outside = false;
    const int64_t element = element_of(p, ((const MNP_INDEX *)p.index)[at], outside);
    report(p, outside);
    return (const char *)p.src + from + element * p.jump;
}

/* Bytes first .. end - 1 of a word of the result, the first of which is number `begin` of all. */
template <typename number> MNP_INLINE word16 make_word(const mnp_indexed_params &p, number begin, int first, int end)
{
    const number width = (number)p.extent[p.ndim - 1], row = quotient_by(p, begin, p.ndim - 1);
    const number column = begin - row * width;
    const int next = (int)mnp_least(first + (int64_t)(width - column), end); /* where the row ends */
    word16 word = load_bytes(find_row(p, row) + column - first, first, next);
    if (next < end) {
        const word16 other = load_bytes(find_row<number>(p, row + 1) - next, next, end);
        word = {join_bytes(word.x, other.x, next), join_bytes(word.y, other.y, next - 4),
                join_bytes(word.z, other.z, next - 8), join_bytes(word.w, other.w, next - 12)};
    }
    return word;
}

template <typename number> MNP_INLINE void move_words(const mnp_indexed_params &p, int64_t first_word)
{
    enum { WORDS = MNP_INDEXED_WORDS, THREADS = MNP_INDEXED_THREADS };
    const int head = (int)((uint64_t)p.dst % 16); /* bytes of the first word that are not of the result */
    char *dst = (char *)p.dst - head;
    word16 word[WORDS];
#pragma unroll
    for (int u = 0; u < WORDS; u++) {
        const int64_t begin = (first_word + u * THREADS) * 16 - head;
        const int first = begin < 0 ? (int)-begin : 0, end = (int)mnp_least(16, p.total - begin);
        if (begin < p.total)
            word[u] = make_word(p, (number)(begin + first), first, end);
    }
#pragma unroll
    for (int u = 0; u < WORDS; u++) {
        const int64_t number_of_word = first_word + u * THREADS, begin = number_of_word * 16 - head;
        if (begin >= 0 && begin + 16 <= p.total) {
            ((word16 *)dst)[number_of_word] = word[u];
        } else if (begin < p.total) {
            const uint32_t part[4] = {word[u].x, word[u].y, word[u].z, word[u].w};
#pragma unroll
            for (int k = 0; k < 16; k++)
                if (begin + k >= 0 && begin + k < p.total)
                    dst[number_of_word * 16 + k] = (char)(part[k / 4] >> k % 4 * 8);
        }
    }
}

extern "C" __global__ void __launch_bounds__(MNP_INDEXED_THREADS)
    move_indexed(const __grid_constant__ mnp_indexed_params p)
{
    const int64_t tile = MNP_INDEXED_THREADS * MNP_INDEXED_WORDS;
    const int64_t words = (p.total + (int64_t)((uint64_t)p.dst % 16) + 15) / 16;
    for (int64_t begin = blockIdx.x * tile; begin < words; begin += gridDim.x * tile) {
        if (p.wide)
            move_words<int64_t>(p, begin + threadIdx.x);
        else
            move_words<int32_t>(p, begin + threadIdx.x);
    }
}
