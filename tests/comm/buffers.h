/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tests of collectives share: two buffers in device memory, elements of all dtypes, and the expected results of
 * reductions.
 */
#ifndef TESTS_COMM_BUFFERS_H
#define TESTS_COMM_BUFFERS_H

#include <maniple.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { ROOM = 12 << 20, MOST_RANKS = 16 }; /* bytes of each buffer */

/* A buffer in device memory, and what the CPU writes to it or reads from it. */
struct buffer {
    mnp_array *array;
    char *data, *image;
};

static mnp_ctx *ctx;
static struct buffer a, b;
static char *expected; /* as large as the buffers, on the CPU */

static inline void make(struct buffer *buffer)
{
    const int64_t shape[] = {ROOM};
    mnp_layout *layout;
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), 1, shape, &layout));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_UINT8, layout, &buffer->array));
    mnp_layout_free(layout);
    buffer->data = mnp_array_local_data(buffer->array);
    buffer->image = calloc(ROOM, 1);
    if (!buffer->image)
        exit(1);
}

static inline void release(struct buffer *buffer)
{
    mnp_array_free(buffer->array);
    free(buffer->image);
    *buffer = (struct buffer){0};
}

/* The first bytes of a buffer, from and to its image. */
static inline void move(struct buffer *buffer, int64_t bytes, bool put)
{
    mnp_array *part = NULL;
    char key[32];
    snprintf(key, sizeof key, ":%lld", (long long)bytes);
    MNP_OR_EXIT(mnp_index(buffer->array, key, &part));
    MNP_OR_EXIT(put ? mnp_array_set_local(part, buffer->image) : mnp_array_get_local(part, buffer->image));
    mnp_array_free(part);
}

static inline void put(struct buffer *buffer, int64_t bytes)
{
    move(buffer, bytes, true);
}

static inline void get(struct buffer *buffer, int64_t bytes)
{
    move(buffer, bytes, false);
}

/* ---- elements of all dtypes ---- */

static inline void store(mnp_dtype dtype, void *memory, int64_t i, double re, double im)
{
    const long long whole = (long long)re;
    switch (dtype) {
    case MNP_BOOL:
        ((uint8_t *)memory)[i] = re != 0;
        break;
    case MNP_INT8:
    case MNP_UINT8:
        ((uint8_t *)memory)[i] = (uint8_t)whole;
        break;
    case MNP_INT16:
    case MNP_UINT16:
        ((uint16_t *)memory)[i] = (uint16_t)whole;
        break;
    case MNP_INT32:
    case MNP_UINT32:
        ((uint32_t *)memory)[i] = (uint32_t)whole;
        break;
    case MNP_INT64:
    case MNP_UINT64:
        ((uint64_t *)memory)[i] = (uint64_t)whole;
        break;
    case MNP_FLOAT16:
        ((uint16_t *)memory)[i] = mnp_float16_from_double(re);
        break;
    case MNP_BFLOAT16:
        ((uint16_t *)memory)[i] = mnp_bfloat16_from_double(re);
        break;
    case MNP_FLOAT32:
        ((float *)memory)[i] = (float)re;
        break;
    case MNP_FLOAT64:
        ((double *)memory)[i] = re;
        break;
    case MNP_COMPLEX64:
        ((float *)memory)[2 * i] = (float)re;
        ((float *)memory)[2 * i + 1] = (float)im;
        break;
    default:
        ((double *)memory)[2 * i] = re;
        ((double *)memory)[2 * i + 1] = im;
    }
}

enum { PERIOD = 2 * 3 * 5 * 11 };

/*
 * Element i of a rank: small whole numbers, so that results are exact; of unsigned types none below 0.  They repeat
 * with PERIOD.
 */
static inline double value(mnp_dtype dtype, mnp_op op, int rank, int64_t i)
{
    static const double factors[] = {1, 2, 1, -1, 1, 1, 2, -2, 1, 1};
    char kind = mnp_dtype_kind(dtype);
    double x = op == MNP_PROD ? factors[(7 * rank + 3 * i) % 10] : (double)((5 * rank + 3 * i) % 11) - 4;
    if (kind == 'b')
        return (rank + i) % 3 == 0;
    return kind == 'u' ? fabs(x) : x;
}

/* `count` elements of that size, of which those of the first PERIOD are there. */
static inline void repeat(char *memory, size_t size, int64_t count)
{
    const size_t all = (size_t)count * size;
    for (size_t done = PERIOD * size; done < all; done *= 2)
        memcpy(memory + done, memory, done < all - done ? done : all - done);
}

static inline bool allowed(mnp_dtype dtype, mnp_op op)
{
    char kind = mnp_dtype_kind(dtype);
    return op == MNP_AVG ? kind == 'f' || kind == 'c' : kind != 'c' || op == MNP_SUM || op == MNP_PROD;
}

/* What `count` elements, from number `first` of every rank on, are reduced to. */
static inline void expect(mnp_dtype dtype, mnp_op op, int ranks, int64_t first, int64_t count, void *memory)
{
    for (int64_t i = first; i < first + (count < PERIOD ? count : PERIOD); i++) {
        double re = value(dtype, op, 0, i), im = value(dtype, op, 0, i + 1);
        for (int r = 1; r < ranks; r++) {
            double x = value(dtype, op, r, i), y = value(dtype, op, r, i + 1), old = re;
            if (mnp_dtype_kind(dtype) == 'b') {
                re = op == MNP_SUM || op == MNP_MAX ? re != 0 || x != 0 : re != 0 && x != 0;
            } else if (op == MNP_PROD) {
                bool complex = mnp_dtype_kind(dtype) == 'c';
                re = complex ? old * x - im * y : old * x;
                im = old * y + im * x;
            } else {
                re = op == MNP_MIN ? fmin(re, x) : op == MNP_MAX ? fmax(re, x) : re + x;
                im += y;
            }
        }
        if (op == MNP_AVG) {
            re /= ranks;
            im /= ranks;
        }
        store(dtype, memory, i - first, re, im);
    }
    repeat(memory, mnp_dtype_size(dtype), count);
}

static inline void fill(mnp_dtype dtype, mnp_op op, int rank, int64_t count, void *memory)
{
    for (int64_t i = 0; i < count && i < PERIOD; i++)
        store(dtype, memory, i, value(dtype, op, rank, i), value(dtype, op, rank, i + 1));
    repeat(memory, mnp_dtype_size(dtype), count);
}

/* ---- reductions ---- */

/* Whether `count` elements at the beginning of a buffer are the result from element `first` on. */
static inline bool is_reduced(struct buffer *buffer, mnp_comm *comm, mnp_dtype dtype, mnp_op op, int64_t first,
                              int64_t count)
{
    int64_t bytes = count * (int64_t)mnp_dtype_size(dtype);
    get(buffer, bytes);
    expect(dtype, op, mnp_comm_size(comm), first, count, expected);
    return memcmp(buffer->image, expected, (size_t)bytes) == 0;
}

static inline bool reduce_once(mnp_comm *comm, mnp_dtype dtype, mnp_op op, int64_t count)
{
    int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    int64_t size = (int64_t)mnp_dtype_size(dtype);
    bool right = true;
    fill(dtype, op, rank, count * ranks, a.image);
    put(&a, count * ranks * size);
    right = right && mnp_comm_all_reduce(comm, a.data, b.data, count, dtype, op) == MNP_OK;
    right = right && is_reduced(&b, comm, dtype, op, 0, count);
    right = right && mnp_comm_reduce_scatter(comm, a.data, b.data, count, dtype, op) == MNP_OK;
    right = right && is_reduced(&b, comm, dtype, op, rank * count, count);
    for (int root = 0; root < ranks && count < 100; root++) {
        right = right && mnp_comm_reduce(comm, a.data, rank == root ? b.data : NULL, count, dtype, op, root) == MNP_OK;
        right = right && (rank != root || is_reduced(&b, comm, dtype, op, 0, count));
    }
    right = right && mnp_comm_all_reduce(comm, a.data, a.data, count, dtype, op) == MNP_OK;
    return right && is_reduced(&a, comm, dtype, op, 0, count);
}

/* ---- bytes ---- */

/* Byte `i` of what one rank has for another. */
static inline char byte_of(int from, int to, int64_t i)
{
    return (char)(from * 37 + to * 11 + i * 5 + i / 256);
}

static inline void write_bytes(char *image, int from, int to, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++)
        image[i] = byte_of(from, to, i);
}

static inline bool has_bytes(const char *image, int from, int to, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++) {
        if (image[i] != byte_of(from, to, i))
            return false;
    }
    return true;
}

/* ---- contexts ---- */

static inline void open_context(const char *options)
{
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, options, &ctx));
    make(&a);
    make(&b);
    expected = malloc(ROOM);
    if (!expected)
        exit(1);
}

static inline void close_context(void)
{
    release(&a);
    release(&b);
    free(expected);
    mnp_finalize(ctx);
}

#endif
