/*
 * Travel: entries and rows that lie in memory of the CPU go to other ranks, by a shuffle.
 *
 * What travels is copied to device memory and back, also where that is the CPU's: if a rank is lost, MPI may still
 * speak of it later, and the device retains what is freed.
 */
#ifndef MNP__SPARSE_TRAVEL_H
#define MNP__SPARSE_TRAVEL_H

#include "array/shuffle.h"
#include "sparse/csr.h"

/* mnp__shuffle_send() and mnp__shuffle_back() from and to memory of the CPU.  Waits.  Collective, and agreed upon. */
mnp_status mnp__travel_send(mnp_ctx *ctx, mnp__shuffle *shuffle, int64_t count, size_t size, const void *from,
                            void *to);
mnp_status mnp__travel_back(mnp_ctx *ctx, mnp__shuffle *shuffle, int64_t count, size_t size, const void *from,
                            void *to);

/*
 * Send rows of a CSR to ranks: counts[r] rows, one after the other, to rank r.  *arrived has the rows that come, those
 * of rank 0 first.  Collective, and agreed upon.
 */
mnp_status mnp__travel_rows(mnp_ctx *ctx, const mnp__csr *csr, const int64_t *counts, mnp__csr *arrived);

/*
 * Send entries, in any order, to the owners of their rows, and make CSR of what comes.  `layout` is that of the rows.
 * Indices are inside.  Collective, and agreed upon.
 */
mnp_status mnp__travel_entries(mnp_ctx *ctx, const mnp_layout *layout, mnp_dtype dtype, int64_t ncolumns, int64_t count,
                               const int64_t *rows, const int64_t *columns, const void *values, mnp__csr *csr);

#endif
