/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts that the steps of a transform go through, made of others.  Nothing here communicates.
 */
#ifndef MNP__FFT_LAYOUTS_H
#define MNP__FFT_LAYOUTS_H

#include "layout/layout.h"

/* Whether dimension d is not cut. */
bool mnp__fft_is_whole(const mnp_layout *layout, int d);

/* Whether the busiest rank has at least twice its share. */
bool mnp__fft_is_lopsided(const mnp_layout *layout);

/* Two factors of n for a transform in two parts over so many ranks; false, and untouched, if there are none. */
bool mnp__fft_split(int64_t n, int nranks, int64_t parts[2]);

/* Whether an axis that is cut would be on few ranks if it were whole, and can be transformed in two parts instead. */
mnp_status mnp__fft_is_long(const mnp_layout *layout, int d, int64_t n, bool *long_p);

/* A layout like another one, but with dimension d, which is not cut, of that extent. */
mnp_status mnp__fft_layout_with_extent(const mnp_layout *layout, int d, int64_t extent, mnp_layout **layout_p);

/* A layout cut as another one is, of a shape that may differ; a dimension that differs is divided equally. */
mnp_status mnp__fft_layout_like(const mnp_layout *layout, const int64_t *shape, mnp_layout **layout_p);

#endif
