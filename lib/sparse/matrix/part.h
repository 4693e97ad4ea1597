/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts: entries of a rank's rows in a range of columns, in one of the formats.
 *
 * Products read a part in device memory.  In CSR it is made there as a rule (rows.h); formats are converted in
 * memory of the CPU.
 */
#ifndef MNP__SPARSE_MATRIX_PART_H
#define MNP__SPARSE_MATRIX_PART_H

#include <maniple/sparse.h>

#include "array/array.h"
#include "kernels/sparse/product/spmv_params.h"
#include "sparse/matrix/csr.h"

#define MNP__SELL_SLICE MNP_SPMV_SLICE /* rows of a slice: a warp */

/*
 * Entries of this rank's rows; indices are 32 bits wide, and offsets 64 on the CPU.  Which arrays are there is the
 * format's:
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
    int64_t count;         /* values that are stored, with what fills blocks, diagonals and slices */
    int offset_size;       /* bytes: 8, or 4 on the device where those of all ranks fit */
    int block;             /* side of BSR's blocks */
    void *offsets;
    int32_t *rows_of, *indices;
    void *values;
} mnp__part;

/* Of a part in memory of the CPU.  Not collective, none of these. */
void mnp__part_free(mnp__part *part);

/*
 * A part in CSR in another format, with blocks of that side in BSR; and back.  Zeros are dropped on the way back
 * from DIA and BSR, where they cannot be told from what fills the format.  MNP_ERR_MEMORY.
 */
mnp_status mnp__part_count_blocks(const mnp__part *csr, int block, int64_t *count_p); /* that BSR would have */
mnp_status mnp__part_convert(const mnp__part *csr, mnp_dtype dtype, mnp_sparse_format format, int block,
                             mnp__part *part);
mnp_status mnp__part_to_csr(const mnp__part *part, mnp_dtype dtype, mnp__part *csr);

/*
 * A copy in device memory, with offsets of so many bytes, 4 or 8; and a copy of that in memory of the CPU.  Both wait.
 * MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__part_upload(mnp_ctx *ctx, mnp_dtype dtype, int offset_size, const mnp__part *part,
                            mnp__part *device_part);
mnp_status mnp__part_download(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *device_part, mnp__part *part);
void mnp__part_release(mnp_ctx *ctx, mnp__part *device_part); /* one in device memory */

/*
 * In device memory: the same part in CSR, converted by the CPU; and one in CSR without entries.  Both wait.  As above.
 */
mnp_status mnp__part_as_csr(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *device_part, mnp__part *csr);
mnp_status mnp__part_empty(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, mnp__part *csr);

/* How many elements its arrays have; 0 of those that are not there. */
int64_t mnp__part_offsets(const mnp__part *part);
int64_t mnp__part_rows_of(const mnp__part *part);
int64_t mnp__part_indices(const mnp__part *part);

#endif
