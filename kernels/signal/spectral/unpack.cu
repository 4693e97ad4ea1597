/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of 1 to 16 bits from the bytes that they are packed in: sample i of a line is bits i * bits to
 * (i + 1) * bits - 1 of the line's stream of bits, which has those of a byte from the highest on, or with `little` from
 * the lowest.  A sample's own first bit is its highest, or with `little` its lowest.
 *
 *   MNP_OUT   the type of samples
 */
#include "kernels/prelude.h"
#include "kernels/signal/spectral/unpack_params.h"
#include "kernels/nest.h"

/* Byte number `at`, of those that are here; a sample may end before the last of the three that are asked for. */
MNP_INLINE uint32_t mnp_packed_byte(const mnp_unpack_params &p, const uint8_t *in, int64_t at)
{
    return at < p.length ? in[at * p.in_along] : 0;
}

MNP_KERNEL(unpack, mnp_unpack_params)
{
    MNP_FOR (number, p.lines * p.count) {
        int64_t index[MNP_SEGMENTS_DIMS];
        const int64_t i = number % p.count, bit = (p.first + i) * p.bits, at = bit / 8 - p.first_byte;
        const int shift = (int)(bit % 8);
        mnp_unravel<MNP_SEGMENTS_DIMS>(p.kept, number / p.count, index);
        const uint8_t *in = (const uint8_t *)p.in + mnp_offset<MNP_SEGMENTS_DIMS>(p.in_kept, index);
        const uint32_t a = mnp_packed_byte(p, in, at), b = mnp_packed_byte(p, in, at + 1),
                       c = mnp_packed_byte(p, in, at + 2);
        const uint32_t raw =
            p.little ? (a | b << 8 | c << 16) >> shift : (a << 16 | b << 8 | c) >> (24 - shift - p.bits);
        const int value = (int)((raw & ((1u << p.bits) - 1)) ^ (uint32_t)p.flip) - p.subtract;
        MNP_OUT *out = (MNP_OUT *)p.out + mnp_offset<MNP_SEGMENTS_DIMS>(p.out_kept, index);
        out[i * p.out_along] = (MNP_OUT)value;
    }
}
