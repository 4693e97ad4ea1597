/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The head of .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 * A file begins with "\x93NUMPY", two bytes of the format's version, the length of the text that follows, in 2 bytes or
 * from version 2 on in 4, and the text: a dictionary of Python with the keys descr, fortran_order and shape.  Then come
 * the elements.  The functions here work in memory alone.
 */
#ifndef MNP__IO_NPY_H
#define MNP__IO_NPY_H

#include <stddef.h>
#include <stdint.h>

#include <maniple/npy.h>

enum {
    MNP__NPY_FIRST = 12,          /* bytes that tell how long the head is */
    MNP__NPY_MOST_TEXT = 1 << 20, /* of the text; NumPy's own limit is 10000 */
    MNP__NPY_MOST_HEAD = 512      /* of the heads that are written */
};

/*
 * Find where the text of the head begins and ends, from the first bytes of a file, of which there are `count`.
 * MNP_ERR_FORMAT, MNP_ERR_UNSUPPORTED, in messages about `file`.
 */
mnp_status mnp__npy_find_text(const char *file, const unsigned char *bytes, size_t count, size_t *begin_p,
                              size_t *end_p);

/* Parse the text of the head. */
mnp_status mnp__npy_parse(const char *file, const char *text, size_t length, mnp_npy_info *info);

/* Write a head of version 1 to `head`, of MNP__NPY_MOST_HEAD bytes; its length is divisible by 64. */
size_t mnp__npy_make_head(mnp_dtype dtype, int ndim, const int64_t *shape, char *head);

#endif
