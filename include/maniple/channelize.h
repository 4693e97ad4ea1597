/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polyphase filterbanks, which divide a signal into channels of frequency, and the samples of receivers, which are
 * packed in fewer bits than a type has.
 *
 * x may have any layout of blocks, be a view, and be cut along the axis; a rank fetches the elements that it needs from
 * others.  All functions are collective.  MNP_ERR_ARG for axes that are out of bounds, values that are out of range and
 * words that are not listed; MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM; in mnp_channelize()
 * MNP_ERR_UNSUPPORTED for arrays of eight dimensions, and where there is no library of transforms.
 */
#ifndef MANIPLE_CHANNELIZE_H
#define MANIPLE_CHANNELIZE_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Divide x along an axis into M = `channels` channels.  Channel k of frame t is
 *
 *   y[t, k] = sum over n of h[n] x[t step + n] exp(-2 pi i k (t step + n) / M),   n = 0 .. M ntaps - 1,
 *
 * which is x, moved by frequency -k / M, filtered by h and sampled at every element number `step`: phases count from
 * element 0 of x.  It is computed as a polyphase filterbank: the M ntaps products of a frame are added up to M numbers,
 * which are transformed (Bellanger, Bonnerot and Coudreuse, IEEE Transactions on Acoustics, Speech and Signal
 * Processing 24 (1976) 109).
 *
 *   ntaps      taps of each channel's branch, 1 or more
 *   taps       h, M ntaps numbers; NULL: scipy.signal.firwin(M ntaps, 1 / M), a Hamming window and a gain of 1
 *   step       elements from a frame to the next, 1 to M; 0: M, critically sampled; fewer: oversampled
 *   two_sided  all channels of real x, not only those from 0 to M / 2; complex x always has all
 *   y_p        receives the frames, (n - M ntaps) / step + 1 of n elements, or none of fewer, along the axis, and the
 *              channels in one more dimension, the last one; complex64 or complex128, as spectra in
 *              <maniple/spectral.h>.  If *y_p is not NULL, that array is reused
 */
MNP_API mnp_status mnp_channelize(const mnp_array *x, int64_t channels, int64_t ntaps, const double *taps, int64_t step,
                                  bool two_sided, int axis, mnp_array **y_p);

/*
 * Unpack samples of 1 to 16 bits along an axis of bytes.  The bytes of a line are one stream of bits, and sample i is
 * bits i * bits to (i + 1) * bits - 1 of it; samples have no other boundaries, so four of 10 bits lie in five bytes,
 * two of 12 bits in three.  What is left at the end of a line and makes no sample is dropped.
 *
 *   x         uint8
 *   encoding  "signed": two's complement, which NULL is; "offset": less 2^(bits - 1); "unsigned": as they are
 *   order     of bits, as numpy.unpackbits has it: "big", which NULL is: the highest bit of a byte, and of a sample, is
 *             the first; "little": the lowest
 *   y_p       receives the samples: int8 or uint8 of up to 8 bits, otherwise int16 or uint16.  If *y_p is not NULL,
 *             that array is reused
 */
MNP_API mnp_status mnp_unpack_samples(const mnp_array *x, int bits, const char *encoding, const char *order, int axis,
                                      mnp_array **y_p);

#ifdef __cplusplus
}
#endif

#endif
