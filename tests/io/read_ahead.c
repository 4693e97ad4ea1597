/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is read ahead comes from the disk to the page cache: mincore() tells which pages of a file are there.  And it
 * changes nothing: no array is made, mistakes are the usual ones, and what is read then is right.
 */
#include <config.h> /* first: it makes mincore() known */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <maniple.h>

#include "tests/tap.h"

enum { ROWS = 1024, COLUMNS = 2048 }; /* of float32, 8 MiB */

static mnp_ctx *ctx;
static int rank;
static char folder[64];

/* The part of the bytes [begin, end) of a file that the page cache has, 0 to 1; -1: it cannot be told. */
static double cached(const char *name, int64_t begin, int64_t end)
{
    const int64_t page = sysconf(_SC_PAGESIZE);
    const int file = open(name, O_RDONLY);
    struct stat status;
    double found = -1;
    if (file < 0 || fstat(file, &status) != 0)
        return -1;
    const size_t pages = (size_t)((status.st_size + page - 1) / page);
    void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
    unsigned char *resident = malloc(pages);
    if (memory != MAP_FAILED && mincore(memory, (size_t)status.st_size, resident) == 0) {
        int64_t count = 0;
        for (int64_t i = begin / page; i < (end + page - 1) / page; i++)
            count += resident[i] & 1;
        found = (double)count / (double)((end + page - 1) / page - begin / page);
    }
    if (memory != MAP_FAILED)
        munmap(memory, (size_t)status.st_size);
    free(resident);
    close(file);
    return found;
}

/* Let the page cache forget a file; false where it cannot, as for file systems that lie in memory. */
static bool forget(const char *name)
{
    int gone = 0;
    if (rank == 0) {
        const int file = open(name, O_RDWR);
        for (int i = 0; i < 50 && !gone; i++) {
            gone = fsync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0 &&
                   cached(name, 0, 1 << 20) == 0;
            usleep(20000);
        }
        close(file);
    }
    MPI_Bcast(&gone, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return gone;
}

typedef mnp_status reader(const mnp_selection *part, mnp_array **x_p);

static mnp_status read_npy(const mnp_selection *part, mnp_array **x_p)
{
    return mnp_npy_read(ctx, "x.npy", part, NULL, x_p);
}

static mnp_status read_contiguous(const mnp_selection *part, mnp_array **x_p)
{
    return mnp_h5_read_selection(ctx, "x.h5", "x", part, NULL, x_p);
}

static mnp_status read_chunked(const mnp_selection *part, mnp_array **x_p)
{
    return mnp_h5_read_selection(ctx, "chunked.h5", "x", part, NULL, x_p);
}

/* Rows of the middle come to the page cache, nearly all of them and few others, and are right when they are read. */
static void test(const char *name, reader *read, const mnp_array *x)
{
    const int64_t start[2] = {ROWS / 2, 0}, shape[2] = {ROWS / 4, COLUMNS};
    const int64_t row = (int64_t)COLUMNS * 4, begin = start[0] * row + (64 << 10), end = begin + shape[0] * row;
    mnp_array *none = NULL, *got = NULL, *want = NULL;
    bool equal = false;
    double found = 0;
    if (!forget(name)) {
        ok(true, "%s # SKIP this file system does not forget what was written", name);
        return;
    }
    ok(read(&(mnp_selection){.start = start, .shape = shape, .ahead = true}, &none) == MNP_OK && !none,
       "%s is read ahead, which makes no array", name);
    for (int i = 0; i < 500 && (found = cached(name, begin, end - (128 << 10))) < 1; i++)
        usleep(20000);
    ok(found == 1, "%s: the page cache has %.0f %% of what will be read", name, 100 * found);
    ok(cached(name, ROWS / 8 * row, ROWS / 4 * row) < 0.5, "%s: and not what comes long before it", name);
    mnp_status st = read(&(mnp_selection){.start = start, .shape = shape}, &got);
    if (st == MNP_OK)
        st = mnp_slice(x, 1, (mnp_subscript[]){MNP_RANGE(start[0], start[0] + shape[0])}, &want);
    if (st == MNP_OK)
        st = mnp_array_equal(got, want, false, &equal);
    ok(st == MNP_OK && equal, "%s: what is read then is right", name);
    ok(read(&(mnp_selection){.start = shape, .shape = (int64_t[]){ROWS, 1}, .ahead = true}, &none) != MNP_OK,
       "%s: what is not there cannot be read ahead", name);
    mnp_free_all(want, got);
}

/* Four arrays of rows, appended, lie in chunks one after the other. */
static mnp_status write_chunked(const mnp_array *x)
{
    mnp_h5_file *file = NULL;
    mnp_status st = mnp_h5_file_open(ctx, "chunked.h5", true, &file);
    for (int64_t i = 0; i < 4 && st == MNP_OK; i++) {
        mnp_array *rows = NULL;
        st = mnp_slice(x, 1, (mnp_subscript[]){MNP_RANGE(i * ROWS / 4, (i + 1) * ROWS / 4)}, &rows);
        if (st == MNP_OK)
            st = mnp_h5_file_append(file, 0, 1, &(mnp_h5_item){.dataset = "x", .array = rows}, 0, NULL);
        mnp_array_free(rows);
    }
    mnp_h5_file_close(file);
    return st;
}

int main(void)
{
    static float numbers[ROWS * COLUMNS];
    mnp_array *x = NULL;
    const int64_t shape[2] = {ROWS, COLUMNS};
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    rank = mnp_ctx_rank(ctx);
    if (rank == 0) {
        strcpy(folder, "read-ahead-XXXXXX"); /* here and not in /tmp, which may lie in memory */
        if (!mkdtemp(folder))
            MPI_Abort(MPI_COMM_WORLD, 99);
    }
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (chdir(folder) != 0)
        MPI_Abort(MPI_COMM_WORLD, 99);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        numbers[i] = (float)i;
    mnp_status st = mnp_array_from_host(ctx, MNP_FLOAT32, 2, shape, numbers, &x);
    if (st == MNP_OK)
        st = mnp_npy_write(x, "x.npy");
    if (st == MNP_OK)
        st = mnp_h5_write(x, "x.h5", "x", NULL);
    if (st == MNP_OK)
        st = write_chunked(x);
    ok(st == MNP_OK, "the files are there");
    test("x.npy", read_npy, x);
    test("x.h5", read_contiguous, x);
    test("chunked.h5", read_chunked, x);
    mnp_array_free(x);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && chdir("..") == 0) {
        static const char *const names[] = {"x.npy", "x.h5", "chunked.h5"};
        char path[128];
        for (int i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, names[i]);
            unlink(path);
        }
        rmdir(folder);
    }
    const int failed = done_testing();
    mnp_finalize(ctx);
    return failed;
}
