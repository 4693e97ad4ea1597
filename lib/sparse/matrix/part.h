/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts: entries of a rank's rows in a range of columns, in one of the formats.
 *
 * Products read parts in device memory.  Parts in CSR, CSC and COO are made there (rows/rows.h, rows/turn_part.h); DIA,
 * BSR and SELL are converted on the CPU.
 */
#ifndef MNP__SPARSE_MATRIX_PART_H
#define MNP__SPARSE_MATRIX_PART_H

#include <maniple/sparse.h>

#include "array/array.h"
#include "kernels/sparse/product/spmv_params.h"
#include "sparse/matrix/csr.h"

#define MNP__SELL_SLICE MNP_SPMV_SLICE /* rows of a slice: a warp */

/*
 * Indices have 32 bits; offsets have 64 on the CPU.  Which arrays there are depends on the format:
 *
 *   CSR   offsets (lines + 1), indices: columns, values; line i is row rows_of[i], or, where that is NULL, row i
 *   CSC   offsets (columns + 1), indices: rows, values
 *   COO   rows_of, indices: columns, values
 *   DIA   indices: diagonals (column - row, rising); values: `rows` of each, 0 where a diagonal has no entry
 *   BSR   offsets (block rows + 1), indices: block columns; values: block x block in C order each
 *   SELL  offsets (slices + 1), rows_of: lengths of the rows, indices: columns; values: entry j of row r of a slice is
 *         at its offset + j * MNP__SELL_SLICE + r
 */
typedef struct mnp__part {
    mnp_sparse_format format;
    int64_t rows, columns; /* of this rank */
    int64_t lines;         /* rows in CSR, columns in CSC, entries in COO, diagonals in DIA, block rows, slices */
    int64_t count;         /* stored values, with the padding of blocks, diagonals and slices */
    int offset_size;       /* bytes: 8, or on the device 4 where the offsets of all ranks fit */
    int block;             /* side of BSR's blocks */
    void *offsets;
    int32_t *rows_of, *indices;
    void *values;
} mnp__part;

/* Free a part on the CPU.  Nothing in this header is collective. */
void mnp__part_free(mnp__part *part);

/*
 * Convert a part in CSR to DIA, BSR or SELL, with blocks of that side in BSR; and from any format back.  The way back
 * from DIA and BSR drops zeros, which cannot be told from padding.  MNP_ERR_MEMORY.
 */
mnp_status mnp__part_count_blocks(const mnp__part *csr, int block, int64_t *count_p); /* of BSR */
mnp_status mnp__part_convert(const mnp__part *csr, mnp_dtype dtype, mnp_sparse_format format, int block,
                             mnp__part *part);
mnp_status mnp__part_to_csr(const mnp__part *part, mnp_dtype dtype, mnp__part *csr);

/*
 * Copy a part to device memory, with offsets of 4 or 8 bytes, and from there to the CPU.  Both wait.  MNP_ERR_MEMORY,
 * MNP_ERR_DEVICE.
 */
mnp_status mnp__part_upload(mnp_ctx *ctx, mnp_dtype dtype, int offset_size, const mnp__part *part,
                            mnp__part *device_part);
mnp_status mnp__part_download(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *device_part, mnp__part *part);
void mnp__part_release(mnp_ctx *ctx, mnp__part *device_part); /* free a part in device memory */

/* In device memory: the part converted to CSR by the CPU, which waits; an empty part in CSR.  Errors as above. */
mnp_status mnp__part_as_csr(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *device_part, mnp__part *csr);
mnp_status mnp__part_empty(mnp_ctx *ctx, int64_t rows, mnp__part *csr);

/* How many elements each array has; 0 where the format has none. */
int64_t mnp__part_offsets(const mnp__part *part);
int64_t mnp__part_rows_of(const mnp__part *part);
int64_t mnp__part_indices(const mnp__part *part);

#endif
