/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of matrices with more than 2^31 entries: what is counted of them, and the kernels of the host device, which
 * read entries beyond number 2^31.
 *
 * The memory is only reserved: of some 35 GB of addresses the test touches only the last pages, where the entries of a
 * small matrix lie.  The kernels run as one worker, the last of many where they would look at all that is before.
 * Skipped where so many addresses are refused.
 */
#include <maniple.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/tap.h"
#include "device/host/host.h"
#include "kernels/sparse/precond/level_sweep_params.h"
#include "kernels/sparse/product/spmv_params.h"
#include "sparse/matrix/part.h"
#include "sparse/rows/turn_part.h"

#define FAR ((INT64_C(1) << 31) + 8) /* entries that are skipped; a multiple of a block's */

enum { ROWS = 200, BLOCK = 2, MOST_ENTRIES = 4 * 3 * ROWS }; /* entries: with what fills formats */

typedef void (*kernel)(const void *params, long long worker, long long workers);

/* ---- memory ---- */

/* Addresses for `count` elements of that size behind those that are skipped. */
static void *reserve(int64_t count, size_t size)
{
    void *memory = mmap(NULL, (size_t)(FAR + count) * size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static double *far_values;
static int32_t *far_indices, *far_rows;
static int64_t far_offsets[ROWS + 1];

/* ---- a small matrix, of integers, so that sums are exact ---- */

static double value_at(int64_t i, int64_t j)
{
    return (double)(1 + (31 * i + 17 * j) % 8);
}

static bool is_stored(int64_t i, int64_t j)
{
    return i > 0 && i < ROWS && j >= 0 && j < ROWS && (j == i - 3 || j == i || j == i + 2); /* row 0 has none */
}

static void fill_vector(double *x)
{
    for (int64_t j = 0; j < ROWS; j++)
        x[j] = (double)(j % 13 - 6);
}

static bool is_product(const double *y)
{
    double x[ROWS];
    fill_vector(x);
    for (int64_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int64_t j = 0; j < ROWS; j++)
            sum += is_stored(i, j) ? value_at(i, j) * x[j] : 0;
        if (y[i] != sum)
            return false;
    }
    return true;
}

/* As a part in CSR in these arrays. */
static mnp__part make_csr(int64_t offsets[ROWS + 1], int32_t *columns, double *values)
{
    int64_t count = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < ROWS; j++) {
            if (is_stored(i, j)) {
                columns[count] = (int32_t)j;
                values[count++] = value_at(i, j);
            }
        }
        offsets[i + 1] = count;
    }
    return (mnp__part){.format = MNP_CSR,
                       .rows = ROWS,
                       .columns = ROWS,
                       .lines = ROWS,
                       .count = count,
                       .offset_size = 8,
                       .offsets = offsets,
                       .indices = columns,
                       .values = values};
}

/* ---- kernels ---- */

static mnp_status load(mnp_ctx *ctx, const char *file, const char *function, const char *defines, kernel *kernel_p)
{
    const mnp__kernel_spec spec = {.file = file, .function = function, .defines = defines};
    mnp__host_object object; /* stays until the program ends */
    mnp__binary names;
    MNP_TRY(mnp__host_object_load(ctx->device, &spec, &object, &names));
    mnp__binary_free(&names);
    void *symbol = dlsym(object.object, function);
    memcpy(kernel_p, &symbol, sizeof symbol);
    return symbol ? MNP_OK : MNP_FAIL(MNP_ERR_COMPILE, "there is no function %s", function);
}

static mnp_status load_product(mnp_ctx *ctx, const char *format, bool adds, kernel *kernel_p)
{
    char defines[512];
    snprintf(defines, sizeof defines,
             "#define MNP_VALUE double\n#define MNP_VECTOR double\n#define MNP_W double\n#define MNP_OFFSET int64_t\n"
             "#define MNP_FORMAT_%s 1\n#define MNP_ADDS %d\n#define MNP_WIDE 0\n#define MNP_CONJUGATE 0\n#define "
             "MNP_DOT 0\n#define MNP_LANES 1\n#define MNP_BLOCK %d\n",
             format, adds, BLOCK);
    return load(ctx, "sparse/product/spmv.cu", "spmv", defines, kernel_p);
}

/* ---- products ---- */

/* The part's entries as if FAR others came before them. */
static void move_away(const mnp__part *part)
{
    const int64_t values = part->count, indices = mnp__part_indices(part), rows_of = mnp__part_rows_of(part);
    const int64_t skipped = part->format == MNP_BSR ? FAR / (BLOCK * BLOCK) : FAR;
    for (int64_t i = 0; i < mnp__part_offsets(part); i++)
        far_offsets[i] =
            skipped + (part->offset_size == 8 ? ((int64_t *)part->offsets)[i] : ((int32_t *)part->offsets)[i]);
    memcpy(far_values + FAR, part->values, (size_t)values * sizeof *far_values);
    memcpy(far_indices + skipped, part->indices, (size_t)indices * sizeof *far_indices);
    if (part->format == MNP_COO)
        memcpy(far_rows + FAR, part->rows_of, (size_t)rows_of * sizeof *far_rows);
}

/* From CSR, on the CPU, which is the host device's memory too. */
static mnp_status convert(mnp_ctx *ctx, const mnp__part *csr, mnp_sparse_format format, mnp__part *part)
{
    return mnp__part_is_listed(format) ? mnp__part_relist(ctx, MNP_FLOAT64, csr, format, part)
                                       : mnp__part_convert(csr, MNP_FLOAT64, format, BLOCK, part);
}

/* What that made. */
static void drop(mnp_ctx *ctx, mnp__part *part)
{
    if (mnp__part_is_listed(part->format))
        mnp__part_release(ctx, part);
    else
        mnp__part_free(part);
}

/* Formats whose rows are found by offsets, and COO, of which a worker that comes late takes the last entries. */
static void test_format(mnp_ctx *ctx, const mnp__part *csr, mnp_sparse_format format, const char *name)
{
    double x[ROWS], y[ROWS] = {0};
    mnp__part part;
    kernel spmv;
    mnp_status st = convert(ctx, csr, format, &part);
    if (st == MNP_OK)
        st = load_product(ctx, name, format == MNP_CSC || format == MNP_COO, &spmv);
    if (!ok(st == MNP_OK && part.count <= MOST_ENTRIES, "%s: %" PRId64 " values, a kernel%s%s", name, part.count,
            st == MNP_OK ? "" : ": ", st == MNP_OK ? "" : mnp_error_message()))
        return;
    fill_vector(x);
    move_away(&part);
    const mnp_spmv_params params = {.offsets = far_offsets,
                                    .rows_of = format == MNP_COO ? far_rows : part.rows_of,
                                    .indices = far_indices,
                                    .values = far_values,
                                    .x = x,
                                    .y = y,
                                    .lines = part.lines,
                                    .rows = ROWS,
                                    .columns = ROWS,
                                    .count = FAR + part.count,
                                    .width = 1};
    const long long workers = format == MNP_COO ? (FAR + part.count) / (part.count + 100) : 1;
    spmv(&params, workers - 1, workers);
    ok(is_product(y), "%s: a product of entries beyond number 2^31", name);
    drop(ctx, &part);
}

/* DIA has no offsets: the matrix's rows are the last of so many that the second of two diagonals ends beyond 2^31. */
static void test_diagonals(mnp_ctx *ctx)
{
    static const int diagonals[] = {0, 2};
    const int64_t first = INT64_C(1) << 30, rows = first + ROWS;
    double x[ROWS], sums[ROWS] = {0}, *y = (double *)far_indices; /* which is as large */
    int32_t indices[2];
    kernel spmv;
    if (!ok(load_product(ctx, "DIA", false, &spmv) == MNP_OK, "DIA: a kernel"))
        return;
    fill_vector(x);
    for (int d = 0; d < 2; d++) {
        indices[d] = (int32_t)(diagonals[d] - first);
        for (int64_t i = 0; i < ROWS; i++) {
            const int64_t j = i + diagonals[d];
            far_values[d * rows + first + i] = is_stored(i, j) ? value_at(i, j) : 0;
            sums[i] += is_stored(i, j) ? value_at(i, j) * x[j] : 0;
        }
    }
    const mnp_spmv_params params = {.indices = indices,
                                    .values = far_values,
                                    .x = x,
                                    .y = y,
                                    .lines = 2,
                                    .rows = rows,
                                    .columns = ROWS,
                                    .width = 1};
    const long long workers = rows / (ROWS + 50);
    spmv(&params, workers - 1, workers);
    ok(memcmp(y + first, sums, sizeof sums) == 0, "DIA: a product of rows from 2^30 on, whose second diagonal is "
                                                  "beyond number 2^31");
}

/* ---- relaxations ---- */

static void test_relaxation(mnp_ctx *ctx, const mnp__part *csr)
{
    double x[ROWS], from[ROWS], b[ROWS] = {0};
    int64_t offsets[ROWS + 1], groups[] = {0, ROWS};
    int32_t rows[ROWS];
    kernel relax;
    const char *defines = "#define MNP_T double\n#define MNP_SLICE 1\n#define MNP_WIDE 0\n";
    if (!ok(load(ctx, "sparse/precond/level_sweep.cu", "mnp_level_sweep", defines, &relax) == MNP_OK,
            "a relaxation's kernel"))
        return;
    fill_vector(from);
    for (int i = 0; i <= ROWS; i++) {
        offsets[i] = ((const int64_t *)csr->offsets)[i] + FAR;
        if (i < ROWS)
            rows[i] = i;
    }
    memcpy(far_values + FAR, csr->values, (size_t)csr->count * sizeof *far_values);
    memcpy(far_indices + FAR, csr->indices, (size_t)csr->count * sizeof *far_indices);
    const struct mnp_level_sweep_params params = {.step = 1,
                                                  .count = 1,
                                                  .groups = (uintptr_t)groups,
                                                  .rows = (uintptr_t)rows,
                                                  .offsets = (uintptr_t)offsets,
                                                  .columns = (uintptr_t)far_indices,
                                                  .values = (uintptr_t)far_values,
                                                  .b = (uintptr_t)b,
                                                  .from = (uintptr_t)from,
                                                  .x = (uintptr_t)x,
                                                  .width = 1};
    relax(&params, 0, 1);
    for (int i = 0; i < ROWS; i++)
        x[i] = -x[i];
    ok(is_product(x), "a relaxation of entries beyond number 2^31");
}

/* ---- counts ---- */

static void test_counts(void)
{
    const int64_t many = INT64_C(3) << 31;
    mnp__part part = {.format = MNP_CSR, .rows = INT32_MAX, .columns = INT32_MAX, .lines = INT32_MAX, .count = many};
    ok(mnp__part_offsets(&part) == INT64_C(1) << 31 && mnp__part_indices(&part) == many &&
           mnp__part_rows_of(&part) == 0,
       "CSR: 2^31 offsets, %" PRId64 " indices", many);
    part.format = MNP_CSC;
    ok(mnp__part_offsets(&part) == INT64_C(1) << 31 && mnp__part_indices(&part) == many, "CSC: as many");
    part.format = MNP_COO;
    ok(mnp__part_offsets(&part) == 0 && mnp__part_rows_of(&part) == many && mnp__part_indices(&part) == many,
       "COO: two indices an entry");
    part.format = MNP_BSR;
    part.block = 64;
    part.count = many * 64 * 64;
    ok(mnp__part_indices(&part) == many, "BSR: %" PRId64 " blocks of 64 x 64", many);
    part.format = MNP_SELL;
    ok(mnp__part_indices(&part) == many * 64 * 64 && mnp__part_rows_of(&part) == INT32_MAX, "SELL: an index a value");
    int64_t offsets[] = {0, many};
    const mnp__csr csr = {.dtype = MNP_FLOAT64, .rows = 1, .columns = many, .offsets = offsets};
    ok(mnp__csr_count(&csr) == many, "rows of %" PRId64 " entries", many);
}

int main(void)
{
    static const struct {
        mnp_sparse_format format;
        const char *name;
    } formats[] = {{MNP_CSR, "CSR"}, {MNP_CSC, "CSC"}, {MNP_COO, "COO"}, {MNP_BSR, "BSR"}, {MNP_SELL, "SELL"}};
    int64_t offsets[ROWS + 1];
    int32_t columns[3 * ROWS];
    double values[3 * ROWS];
    mnp_ctx *ctx;
#ifdef __SANITIZE_ADDRESS__
    return skip_all("LeakSanitizer fails where MPI was started without mpirun");
#endif
    far_values = reserve(MOST_ENTRIES, sizeof *far_values);
    far_indices = reserve(MOST_ENTRIES, sizeof *far_indices);
    far_rows = reserve(MOST_ENTRIES, sizeof *far_rows);
    if (!far_values || !far_indices || !far_rows)
        return skip_all("35 GB of addresses are refused");
    setenv("MANIPLE_DEVICE", "host", 1);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    const mnp__part csr = make_csr(offsets, columns, values);
    test_counts();
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        test_format(ctx, &csr, formats[f].format, formats[f].name);
    test_diagonals(ctx);
    test_relaxation(ctx, &csr);
    mnp_finalize(ctx);
    return done_testing();
}
