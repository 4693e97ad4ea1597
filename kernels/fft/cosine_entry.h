/* SPDX-License-Identifier: BSD-3-Clause */
/* An entry of the tables of cosine and sine transforms. */

/* Indices along the line, negative: none; and a factor. */
struct mnp_cosine_entry {
    long long p, q;
    MNP_REAL re, im;
};
