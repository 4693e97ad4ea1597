/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays to HDF5 files and back, on any number of ranks: types, shapes, layouts, staging as on a GPU, and failures,
 * which all ranks must report, which leave files as they were, and after which the context works on.  h5_files.t
 * compares with h5py.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <maniple.h>

#include "array/array.h"
#include "tests/tap.h"

static mnp_ctx *ctx;
static int rank, size;
static char folder[64];

/* What every rank says when it fails: its own sentence or that of the rank that found it. */
static bool failed_with(mnp_status st, mnp_status expected, const char *words)
{
    return (st == expected || st == MNP_ERR_PEER) && strstr(mnp_error_message(), words) != NULL;
}

/* Files in the test's folder: what it has written, and temporary files if they were left. */
static int files(void)
{
    int count = 0;
    DIR *entries = opendir(".");
    for (struct dirent *entry; (entry = readdir(entries));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    MPI_Barrier(MPI_COMM_WORLD);
    return count;
}

/* Bytes of the element with that number in C order: exact in every type. */
static void element(mnp_dtype dtype, int64_t number, void *bytes)
{
    int64_t value = number * 7 % 100 + 1;
    double parts[2] = {(double)value, (double)(number % 50) - 20};
    float halves[2] = {(float)parts[0], (float)parts[1]};
    unsigned char yes = value % 3 == 0;
    switch (dtype) {
    case MNP_BOOL:
        memcpy(bytes, &yes, 1);
        break;
    case MNP_FLOAT32:
    case MNP_COMPLEX64:
        memcpy(bytes, halves, mnp_dtype_size(dtype));
        break;
    case MNP_FLOAT64:
    case MNP_COMPLEX128:
        memcpy(bytes, parts, mnp_dtype_size(dtype));
        break;
    default:
        memcpy(bytes, &value, mnp_dtype_size(dtype));
        break; /* little endian */
    }
}

/* This rank's block with every element in its place. */
static void *block_of(const mnp_array *array)
{
    size_t item = mnp_dtype_size(array->dtype);
    char *block = malloc((size_t)array->local_size * item + 1);
    for (int64_t i = 0; i < array->local_size; i++) {
        int64_t number = 0, rest = i, stride = array->local_size;
        for (int d = 0; d < mnp_array_ndim(array); d++) {
            stride /= array->local_shape[d];
            number = number * mnp_array_shape(array)[d] + array->local_lo[d] + rest / stride;
            rest %= stride;
        }
        element(array->dtype, number, block + i * (int64_t)item);
    }
    return block;
}

static mnp_array *new_array(mnp_dtype dtype, const mnp_layout *layout)
{
    mnp_array *array = NULL;
    MNP_OR_EXIT(mnp_array_new(ctx, dtype, layout, &array));
    void *block = block_of(array);
    MNP_OR_EXIT(mnp_array_set_local(array, block));
    free(block);
    return array;
}

static bool is_right(const mnp_array *array)
{
    size_t bytes = (size_t)array->local_size * mnp_dtype_size(array->dtype);
    void *wanted = block_of(array), *block = malloc(bytes + 1);
    MNP_OR_EXIT(mnp_array_get_local(array, block));
    bool same = memcmp(block, wanted, bytes) == 0;
    free(wanted);
    free(block);
    return same;
}

/* Write an array in one layout and read it in the other; NULL: what the library chooses. */
static void check_trip(const char *what, mnp_dtype dtype, const mnp_layout *from, const mnp_layout *to, int deflate)
{
    mnp_array *array = new_array(dtype, from), *back = NULL;
    mnp_h5_info info = {MNP_DTYPE_AUTO, -1, {0}};
    bool good = mnp_h5_write(array, "trip.h5", "/group/values", &(mnp_h5_write_options){deflate}) == MNP_OK &&
                mnp_h5_inspect(ctx, "trip.h5", "group/values", &info) == MNP_OK && info.dtype == dtype &&
                info.ndim == mnp_layout_ndim(from) &&
                memcmp(info.shape, mnp_layout_shape(from), (size_t)info.ndim * sizeof *info.shape) == 0 &&
                mnp_h5_read(ctx, "trip.h5", "/group/values", to, &back) == MNP_OK && is_right(back);
    ok(good, "%s: %s, %d dimensions, gzip %d%s%s", what, mnp_dtype_name(dtype), mnp_layout_ndim(from), deflate,
       good ? "" : ": ", good ? "" : mnp_error_message());
    mnp_free_all(array, back);
}

static void check_types_and_shapes(void)
{
    static const int64_t shapes[][MNP_MAX_DIMS] = {{0},
                                                   {17},
                                                   {13, 9},
                                                   {4, 5, 6},
                                                   {3, 1, 4, 5},
                                                   {2, 3, 2, 3, 2},
                                                   {2, 1, 3, 1, 2, 4},
                                                   {2, 2, 2, 2, 2, 2, 2},
                                                   {2, 2, 1, 3, 2, 1, 2, 2}};
    static const int64_t empty[][2] = {{0, 5}, {4, 0}, {0, 0}};
    mnp_layout *layout;
    for (int ndim = 0; ndim <= MNP_MAX_DIMS; ndim++)
        for (int deflate = 0; deflate <= 4; deflate += 4) {
            MNP_OR_EXIT(mnp_layout_block(size, ndim, shapes[ndim], &layout));
            check_trip("blocks", MNP_FLOAT64, layout, NULL, deflate);
            mnp_layout_free(layout);
        }
    for (int i = 0; i < 3; i++) {
        MNP_OR_EXIT(mnp_layout_block(size, 2, empty[i], &layout));
        check_trip("empty", MNP_INT16, layout, NULL, 4 * (i % 2));
        mnp_layout_free(layout);
    }
    MNP_OR_EXIT(mnp_layout_block(size, 2, shapes[2], &layout));
    for (int dtype = MNP_BOOL; dtype < MNP_NUM_DTYPES; dtype++)
        check_trip("types", (mnp_dtype)dtype, layout, layout, dtype % 2 ? 0 : 9);
    mnp_layout_free(layout);
}

static void check_layouts(void)
{
    static const int64_t shape[] = {23, 10};
    static const int rows[] = {0, MNP_NO_AXIS}, columns[] = {MNP_NO_AXIS, 0};
    mnp_layout *layouts[5];
    int64_t *cuts = calloc((size_t)size + 1, sizeof *cuts); /* the first rank has 3 rows, the last the others */
    for (int i = 1; i <= size; i++)
        cuts[i] = i == size ? shape[0] : 3;
    MNP_OR_EXIT(mnp_layout_new(1, &size, 2, shape, rows, (const int64_t *[]){cuts, NULL}, &layouts[0]));
    MNP_OR_EXIT(mnp_layout_new(1, &size, 2, shape, columns, NULL, &layouts[1]));
    MNP_OR_EXIT(mnp_layout_replicated(size, 2, shape, &layouts[2]));
    MNP_OR_EXIT(mnp_layout_on_root(size, size - 1, 2, shape, &layouts[3]));
    MNP_OR_EXIT(mnp_layout_block(size, 2, shape, &layouts[4]));
    for (int from = 0; from < 5; from++)
        for (int to = 0; to < 5; to++)
            check_trip("layouts", MNP_INT32, layouts[from], layouts[to], from == to ? 1 : 0);
    for (int i = 0; i < 5; i++)
        mnp_layout_free(layouts[i]);
    free(cuts);
}

static void check_arguments(void)
{
    const int64_t shape[] = {6, 5}, other[] = {5, 6};
    mnp_layout *layout, *wrong;
    MNP_OR_EXIT(mnp_layout_block(size, 2, shape, &layout));
    MNP_OR_EXIT(mnp_layout_block(size, 2, other, &wrong));
    mnp_array *array = new_array(MNP_FLOAT32, layout), *same = array, *none = NULL;
    MNP_OR_EXIT(mnp_h5_write(array, "arguments.h5", "//a/./x/", NULL));
    void *zeros = calloc((size_t)array->local_size + 1, mnp_dtype_size(MNP_FLOAT32));
    MNP_OR_EXIT(mnp_array_set_local(array, zeros));
    free(zeros);
    ok(mnp_h5_read(ctx, "arguments.h5", "a//x", NULL, &same) == MNP_OK && same == array && is_right(array),
       "an array is reused, a name is what HDF5 makes of it");
    ok(mnp_h5_read(ctx, "arguments.h5", "a/x", wrong, &none) == MNP_ERR_ARG && !none, "refused: %s",
       mnp_error_message());
    mnp_array *integers = new_array(MNP_INT32, layout);
    same = integers;
    ok(mnp_h5_read(ctx, "arguments.h5", "a/x", NULL, &same) == MNP_ERR_ARG && same == integers && is_right(integers),
       "refused: %s", mnp_error_message());
    ok(mnp_h5_write(array, "arguments.h5", "/", NULL) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_h5_write(array, NULL, "/x", NULL) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    ok(mnp_h5_write(array, "arguments.h5", "/x", &(mnp_h5_write_options){10}) == MNP_ERR_ARG, "refused: %s",
       mnp_error_message());
    ok(failed_with(mnp_h5_write(array, "arguments.h5", "/a", NULL), MNP_ERR_IO, "group"), "refused: %s",
       mnp_error_message());
    ok(failed_with(mnp_h5_write(array, "arguments.h5", "/a/x/y", NULL), MNP_ERR_IO, "'/a/x' is not a group"),
       "refused: %s", mnp_error_message());
    ok(failed_with(mnp_h5_check_write(ctx, "arguments.h5", "/a/x/y"), MNP_ERR_IO, "'/a/x' is not a group"),
       "known before: %s", mnp_error_message());
    ok(failed_with(mnp_h5_check_write(ctx, "missing/x.h5", "/x"), MNP_ERR_IO, "'missing/'"), "known before: %s",
       mnp_error_message());
    ok(mnp_h5_check_write(ctx, "arguments.h5", "/a/x") == MNP_OK && mnp_h5_check_write(ctx, "new.h5", "x") == MNP_OK &&
           access("new.h5", F_OK) != 0,
       "what can be written is not refused, nor written");
    ok(failed_with(mnp_h5_read(ctx, "missing.h5", "x", NULL, &none), MNP_ERR_IO, "'missing.h5'"), "refused: %s",
       mnp_error_message());
    ok(failed_with(mnp_h5_read(ctx, "arguments.h5", "y", NULL, &none), MNP_ERR_IO, "the file has /a/x"), "refused: %s",
       mnp_error_message());
    ok(failed_with(mnp_h5_read(ctx, "arguments.h5", "a", NULL, &none), MNP_ERR_IO, "is a group"), "refused: %s",
       mnp_error_message());
    ok(!none, "no array came of it");
    mnp_free_all(array, integers);
    mnp_layout_free(layout);
    mnp_layout_free(wrong);
}

/*
 * A device whose memory is said not to be the CPU's, so that files are staged as for a GPU; it counts its copies, and a
 * test may choose one of them at which something happens.
 */
static struct {
    const mnp__device_ops *real;
    mnp__device_ops ops;
    bool cpu_memory;
    int copies, when;
    enum { COPY_WELL, COPY_BADLY, LOSE_DISK } what;
} pretended;

/* From now on every write to the temporary file fails: its descriptors are replaced by ones for reading only. */
static void lose_disk(void)
{
    char link[300], path[4096];
    DIR *descriptors = opendir("/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(descriptors));) {
        snprintf(link, sizeof link, "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length < 4 || memcmp(path + length - 4, ".tmp", 4) != 0)
            continue;
        path[length] = '\0';
        int readable = open(path, O_RDONLY);
        dup2(readable, atoi(entry->d_name));
        close(readable);
    }
    closedir(descriptors);
}

static mnp_status pretended_copy(mnp__device *device, void *dst, const void *src, size_t bytes, mnp__stream *stream)
{
    if (++pretended.copies == pretended.when && pretended.what == COPY_BADLY)
        return MNP_FAIL(MNP_ERR_DEVICE, "the device fell over");
    if (pretended.copies == pretended.when && pretended.what == LOSE_DISK)
        lose_disk();
    return pretended.real->copy(device, dst, src, bytes, stream);
}

static void pretend(int when, int what)
{
    pretended.real = ctx->device->ops;
    pretended.ops = *pretended.real;
    pretended.cpu_memory = ctx->device->cpu_memory;
    ctx->device->cpu_memory = false;
    pretended.ops.copy = pretended_copy;
    pretended.copies = 0;
    pretended.when = when;
    pretended.what = what;
    ctx->device->ops = &pretended.ops;
}

static void pretend_no_more(void)
{
    ctx->device->ops = pretended.real;
    ctx->device->cpu_memory = pretended.cpu_memory;
}

/* Blocks of several slabs, in memory and staged. */
static void check_slabs(void)
{
    const int64_t shape[] = {1100, 8000};
    mnp_layout *layout;
    MNP_OR_EXIT(mnp_layout_block(size, 2, shape, &layout));
    check_trip("slabs", MNP_COMPLEX128, layout, NULL, 0);
    pretend(0, COPY_WELL);
    check_trip("staged slabs", MNP_COMPLEX128, layout, NULL, 0);
    ok(pretended.copies >= 4, "every slab was copied (%d copies)", pretended.copies);
    check_trip("staged, compressed", MNP_UINT8, layout, NULL, 1);
    pretend_no_more();
    mnp_layout_free(layout);
}

/* A file with one dataset is to get another, and something fails on the way. */
static void check_failures(void)
{
    const int64_t small[] = {5}, shape[] = {size, 300000};
    mnp_layout *layout, *few;
    MNP_OR_EXIT(mnp_layout_block(size, 2, shape, &layout));
    MNP_OR_EXIT(mnp_layout_block(size, 1, small, &few));
    mnp_array *old = new_array(MNP_INT8, few), *array = new_array(MNP_FLOAT32, layout), *back = NULL;
    MNP_OR_EXIT(mnp_h5_write(old, "old.h5", "old", NULL));
    int before = files();

    for (int deflate = 0; deflate <= 1; deflate++) {
        mnp_h5_write_options options = {deflate};
        pretend(rank == size - 1, COPY_BADLY);
        ok(failed_with(mnp_h5_write(array, "old.h5", "new", &options), MNP_ERR_DEVICE, "fell over"),
           "a device that fails on one rank: %s", mnp_error_message());
        pretend_no_more();
        ok(files() == before, "no temporary file is left");

        for (int who = 0; who < size + 1; who++) {
            bool everybody = who == size;
            pretend(rank == who || everybody, LOSE_DISK);
            mnp_status st = mnp_h5_write(array, "old.h5", "new", &options);
            pretend_no_more();
            ok(failed_with(st, MNP_ERR_IO, "cannot write '/new' in 'old.h5'"), "a disk that fails %s %d: %s",
               everybody ? "every rank of" : "rank", who, mnp_error_message());
            ok(files() == before, "no temporary file is left");
        }
    }

    struct rlimit limit, low;
    getrlimit(RLIMIT_FSIZE, &limit);
    low = limit;
    low.rlim_cur = 1 << 20;
    if (rank == size - 1)
        setrlimit(RLIMIT_FSIZE, &low); /* for our output too: nothing is printed meanwhile */
    mnp_status st = mnp_h5_write(array, "old.h5", "new", NULL);
    setrlimit(RLIMIT_FSIZE, &limit);
    ok(failed_with(st, MNP_ERR_IO, "ulimit"), "known before: %s", mnp_error_message());
    ok(files() == before, "no temporary file is left");

    ok(failed_with(mnp_h5_read(ctx, "old.h5", "new", NULL, &back), MNP_ERR_IO, "the file has /old"),
       "the new dataset is not there");
    ok(mnp_h5_read(ctx, "old.h5", "old", NULL, &back) == MNP_OK && is_right(back), "the old one is");
    ok(mnp_h5_write(array, "old.h5", "new", NULL) == MNP_OK, "the same can be written afterwards");
    pretend(rank == 0, COPY_BADLY);
    mnp_array *none = NULL;
    ok(failed_with(mnp_h5_read(ctx, "old.h5", "new", NULL, &none), MNP_ERR_DEVICE, "fell over") && !none,
       "a device that fails on one rank when reading: %s", mnp_error_message());
    pretend_no_more();
    mnp_free_all(old, array, back);
    mnp_layout_free(layout);
    mnp_layout_free(few);
}

static void remove_folder(void)
{
    DIR *entries = opendir(".");
    for (struct dirent *entry; (entry = readdir(entries));)
        unlink(entry->d_name);
    closedir(entries);
    if (chdir("/") != 0 || rmdir(folder) != 0)
        perror(folder);
}

int main(void)
{
    const char *parent = getenv("TMPDIR");
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    rank = mnp_ctx_rank(ctx);
    size = mnp_ctx_size(ctx);
    snprintf(folder, sizeof folder, "%.40s/maniple-h5-XXXXXX", parent ? parent : "/tmp");
    if (rank == 0 && !mkdtemp(folder))
        MPI_Abort(MPI_COMM_WORLD, 99);
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (chdir(folder) != 0)
        MPI_Abort(MPI_COMM_WORLD, 99);

    ok(mnp_h5_version()[0] >= '1', "HDF5 %s", mnp_h5_version());
    check_types_and_shapes();
    check_layouts();
    check_arguments();
    check_slabs();
    check_failures();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove_folder();
    int failed = done_testing();
    mnp_finalize(ctx);
    return failed;
}
