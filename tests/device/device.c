/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of device operations, on every device that is there.
 */
#include <config.h>

#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "device/device.h"

/*
 * A kernel of our own, without a file: it is what comes before the source, which is but a header.  out[i] = i * factor,
 * after `spin` cycles on a GPU; there the value passes through the far end of the block's shared memory.
 */
static const char multiply_source[] =
    "struct multiply_params { int *out; int n, factor; long long spin; };\n"
    "#ifdef __CUDACC_RTC__\n"
    "extern \"C\" __global__ void multiply(const multiply_params p)\n"
    "{\n"
    "    extern __shared__ int kept[];\n"
    "    int *mine = kept + SHARED_BYTES / sizeof(int) - blockDim.x + threadIdx.x;\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    long long start = clock64();\n"
    "    while (clock64() - start < p.spin)\n"
    "        ;\n"
    "    *mine = i * p.factor;\n"
    "    __syncthreads();\n"
    "    if (i < p.n)\n"
    "        p.out[i] = *mine;\n"
    "}\n"
    "#else\n"
    "extern \"C\" void multiply(const void *params, long long worker, long long workers)\n"
    "{\n"
    "    const multiply_params &p = *(const multiply_params *)params;\n"
    "    for (long long i = worker; i < p.n; i += workers)\n"
    "        p.out[i] = (int)i * p.factor;\n"
    "}\n"
    "#endif\n";

typedef struct multiply_params {
    int *out;
    int n, factor;
    long long spin;
} multiply_params;

enum { COUNT = 1000, BLOCK = 128 };

/* What the tests of one device share. */
typedef struct bench {
    mnp__device *device;
    const mnp__device_ops *ops;
    bool cuda;
    mnp__stream *first, *second;
} bench;

/* A point that names the device, and on failure the last error. */
static bool point(const bench *b, bool good, const char *what)
{
    ok(good, "%s: %s", b->ops->kind, what);
    if (!good)
        printf("# last error: %s\n", mnp_error_message());
    return good;
}

static bool wait_for(const bench *b, mnp__device_event *event)
{
    bool done = false;
    for (time_t end = time(NULL) + 60; !done && time(NULL) < end; sched_yield())
        if (b->ops->event_query(b->device, event, &done) != MNP_OK)
            return false;
    return done;
}

static bool drain(const bench *b, mnp__stream *stream)
{
    mnp__device_event *event = NULL;
    if (b->ops->event_new(b->device, &event) != MNP_OK)
        return false;
    bool good = b->ops->event_record(b->device, event, stream) == MNP_OK && wait_for(b, event);
    b->ops->event_free(b->device, event);
    return good;
}

static void test_description(const bench *b)
{
    mnp_rank_info info = {.rank = -7};
    mnp_link_info link;
    uint64_t identity = 99, again = 98;
    point(b, b->ops->info(b->device, &info) == MNP_OK && info.rank == -7, "info");
    point(b,
          *info.device && info.multiprocessors > 0 && info.memory_total > 0 && info.memory_free > 0 &&
              info.memory_free <= info.memory_total,
          "model, width and memory make sense");
    printf("# %s: %d wide, %.1f of %.1f GiB free\n", info.device, info.multiprocessors,
           (double)info.memory_free / (1 << 30), (double)info.memory_total / (1 << 30));
    point(b,
          b->cuda ? info.device_index >= 0 && info.capability_major >= 5
                  : info.device_index == -1 && info.capability_major == 0,
          "index and compute capability");
    point(b,
          b->ops->identity(b->device, &identity) == MNP_OK && b->ops->identity(b->device, &again) == MNP_OK &&
              identity == again && (identity != 0) == b->cuda,
          "identity, 0 only on the host device");
    point(b, b->ops->link(b->device, identity, &link) == MNP_OK && strcmp(link.name, b->cuda ? "same" : "-") == 0,
          "link to itself");
}

static void test_alloc(const bench *b)
{
    void *none = &none, *pinned_none = &none, *one = NULL, *two = NULL, *pinned = NULL;
    point(b,
          b->ops->alloc(b->device, 0, &none) == MNP_OK && !none &&
              b->ops->alloc_pinned(b->device, 0, &pinned_none) == MNP_OK && !pinned_none,
          "size 0 gives NULL");
    point(b,
          b->ops->alloc(b->device, 1, &one) == MNP_OK && b->ops->alloc(b->device, 100001, &two) == MNP_OK && one &&
              two && one != two && (uintptr_t)one % 256 == 0 && (uintptr_t)two % 256 == 0,
          "device memory is aligned to 256 bytes");
    point(b, b->ops->alloc_pinned(b->device, 4097, &pinned) == MNP_OK && pinned, "pinned memory");
    if (pinned)
        memset(pinned, 1, 4097);
    b->ops->free(b->device, one);
    b->ops->free(b->device, two);
    b->ops->free(b->device, none);
    b->ops->free_pinned(b->device, pinned);
    b->ops->free_pinned(b->device, pinned_none);
}

/* Memory mapped at reserved addresses: private to this process, and exported as a file descriptor. */
static void test_sharing(const bench *b)
{
    const mnp__device_ops *ops = b->ops;
    const size_t unit = ops->share_granularity(b->device), far_too_much = (size_t)4 << 40;
    unsigned char from[2] = {17, 4}, back[2] = {0, 0};
    char *space = NULL;
    void *large = NULL;
    int fd = -1;
    if (unit == 0) {
        point(b, b->cuda, "only a GPU may have nothing that can be shared");
        return;
    }
    if (!point(b,
               ops->share_reserve(b->device, 4 * unit, (void **)&space) == MNP_OK && (uintptr_t)space % unit == 0 &&
                   ops->share_new(b->device, space, unit, NULL) == MNP_OK &&
                   ops->share_new(b->device, space + unit, unit, &fd) == MNP_OK && fd >= 0,
               "memory at places of reserved space"))
        return;
    point(b,
          ops->copy(b->device, space + unit - 1, from, 2, b->first) == MNP_OK &&
              ops->copy(b->device, back, space + unit - 1, 2, b->first) == MNP_OK && drain(b, b->first) &&
              memcmp(from, back, 2) == 0,
          "which is one, though it was made in two");
    if (!b->cuda) { /* between processes: tests/comm/heap.c */
        point(b, ops->share_map(b->device, space + 2 * unit, unit, fd) == MNP_OK && space[2 * unit] == from[1],
              "and is seen where it is mapped again");
        ops->share_unmap(b->device, space + 2 * unit, unit);
    } else {
        point(b,
              ops->share_reserve(b->device, far_too_much, &large) == MNP_OK &&
                  ops->share_new(b->device, large, far_too_much, NULL) == MNP_ERR_MEMORY,
              "more than there is is refused");
        printf("# %s\n", mnp_error_message());
        ops->share_unreserve(b->device, large, far_too_much);
    }
    close(fd);
    ops->share_unmap(b->device, space, unit);
    ops->share_unmap(b->device, space + unit, unit);
    point(b, ops->share_new(b->device, space, 2 * unit, NULL) == MNP_OK, "and its place can be used again");
    ops->share_unmap(b->device, space, 2 * unit);
    ops->share_unreserve(b->device, space, 4 * unit);
}

/* Ordinary -> device -> device -> pinned -> device -> ordinary, at odd offsets and sizes; threads share the copies. */
static void test_copies(const bench *b)
{
    enum { SIZE = 3200003, SKEW = 5 };
    const mnp__device_ops *ops = b->ops;
    unsigned char *from = malloc(SIZE), *back = calloc(SIZE, 1);
    char *one = NULL, *two = NULL, *pinned = NULL;
    bool good = from && back && ops->alloc(b->device, SIZE + SKEW, (void **)&one) == MNP_OK &&
                ops->alloc(b->device, SIZE + SKEW, (void **)&two) == MNP_OK &&
                ops->alloc_pinned(b->device, SIZE, (void **)&pinned) == MNP_OK;
    for (int i = 0; good && i < SIZE; i++)
        from[i] = (unsigned char)(i * 7 + i / 251);
    good = good && ops->copy(b->device, one + SKEW, from, SIZE, b->first) == MNP_OK &&
           ops->copy(b->device, two, one + SKEW, SIZE, b->first) == MNP_OK &&
           ops->fill(b->device, one, 0, SIZE + SKEW, b->first) == MNP_OK &&
           ops->copy(b->device, pinned, two, SIZE, b->first) == MNP_OK &&
           ops->copy(b->device, one + SKEW, pinned, SIZE, b->first) == MNP_OK &&
           ops->copy(b->device, back, one + SKEW, SIZE, b->first) == MNP_OK && drain(b, b->first);
    point(b, good && memcmp(from, back, SIZE) == 0, "copies between ordinary, pinned and device memory");
    good = good && ops->copy(b->device, NULL, NULL, 0, b->first) == MNP_OK &&
           ops->fill(b->device, NULL, 0, 0, b->first) == MNP_OK;
    point(b, good, "copies and fills of nothing");
    good = good && ops->fill(b->device, one + 1, 0xa5, 1000, b->first) == MNP_OK &&
           ops->copy(b->device, back, one, 1002, b->first) == MNP_OK && drain(b, b->first);
    for (int i = 1; good && i <= 1000; i++)
        good = back[i] == 0xa5;
    point(b, good && back[0] == 0 && back[1001] == from[1001 - SKEW], "fill sets these bytes and no others");
    ops->free(b->device, one);
    ops->free(b->device, two);
    ops->free_pinned(b->device, pinned);
    free(from);
    free(back);
}

static mnp_status load_multiply(const bench *b, size_t shared_bytes, mnp__kernel **kernel_p)
{
    char defines[sizeof multiply_source + 64];
    snprintf(defines, sizeof defines, "#define SHARED_BYTES %zu\n%s", shared_bytes, multiply_source);
    mnp__kernel_spec spec = {
        .file = "prelude.h", .function = "multiply", .defines = defines, .shared_bytes = shared_bytes};
    return b->ops->kernel_load(b->device, &spec, kernel_p);
}

static mnp_status launch_multiply(const bench *b, mnp__kernel *kernel, int *out, int factor, long long spin)
{
    multiply_params params = {out, COUNT, factor, spin};
    mnp__launch launch = {.grid = {(COUNT + BLOCK - 1) / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}};
    return b->ops->launch(b->device, kernel, &launch, &params, sizeof params, b->first);
}

static bool all_multiplied(const int *values, int factor)
{
    for (int i = 0; i < COUNT; i++)
        if (values[i] != i * factor)
            return false;
    return true;
}

static void test_kernel(const bench *b, size_t shared_bytes)
{
    int *out = NULL, values[COUNT];
    mnp__kernel *kernel = NULL;
    char what[64];
    bool good = b->ops->alloc(b->device, sizeof values, (void **)&out) == MNP_OK &&
                load_multiply(b, shared_bytes, &kernel) == MNP_OK && launch_multiply(b, kernel, out, 3, 0) == MNP_OK &&
                b->ops->copy(b->device, values, out, sizeof values, b->first) == MNP_OK && drain(b, b->first);
    snprintf(what, sizeof what, "a kernel, %zu bytes of shared memory", shared_bytes);
    point(b, good && all_multiplied(values, 3), what);
    b->ops->kernel_free(b->device, kernel);
    b->ops->free(b->device, out);
}

static void test_empty_launch(const bench *b)
{
    mnp__kernel *kernel = NULL;
    multiply_params params = {NULL, 0, 1, 0};
    mnp__launch launch = {.grid = {0, 1, 1}, .block = {BLOCK, 1, 1}};
    point(b,
          load_multiply(b, 1024, &kernel) == MNP_OK &&
              b->ops->launch(b->device, kernel, &launch, &params, sizeof params, b->first) == MNP_OK &&
              drain(b, b->first),
          "a launch of no blocks does nothing");
    b->ops->kernel_free(b->device, kernel);
}

/* A slow kernel on one stream; the other waits for it by an event, and events tell how long it took. */
static void test_order(const bench *b)
{
    const mnp__device_ops *ops = b->ops;
    mnp__device_event *begin = NULL, *middle = NULL, *end = NULL;
    mnp__kernel *kernel = NULL;
    int *out = NULL, *pinned = NULL;
    size_t size = COUNT * sizeof(int);
    bool done = true;
    double seconds = -1;
    bool good = ops->event_new(b->device, &begin) == MNP_OK && ops->event_new(b->device, &middle) == MNP_OK &&
                ops->event_new(b->device, &end) == MNP_OK && load_multiply(b, 1024, &kernel) == MNP_OK &&
                ops->alloc(b->device, size, (void **)&out) == MNP_OK &&
                ops->alloc_pinned(b->device, size, (void **)&pinned) == MNP_OK;
    point(b, good && ops->event_seconds(b->device, begin, end, &seconds) == MNP_ERR_ARG,
          "the time of events that were not recorded is MNP_ERR_ARG");
    /* The first launch loads the code, so that the second is as quick as it can be */
    good = good && launch_multiply(b, kernel, out, 2, 0) == MNP_OK && drain(b, b->first);
    good = good && ops->event_record(b->device, begin, b->first) == MNP_OK &&
           launch_multiply(b, kernel, out, 5, 200 * 1000 * 1000) == MNP_OK &&
           ops->event_record(b->device, middle, b->first) == MNP_OK &&
           ops->stream_wait(b->device, b->second, middle) == MNP_OK &&
           ops->copy(b->device, pinned, out, size, b->second) == MNP_OK &&
           ops->event_record(b->device, end, b->second) == MNP_OK && ops->event_query(b->device, end, &done) == MNP_OK;
    point(b, good && done == !b->cuda, b->cuda ? "nothing here waits for a kernel" : "all is done at once");
    good = good && wait_for(b, end);
    point(b, good && all_multiplied(pinned, 5), "a stream waits for an event of another stream");
    good = good && ops->event_seconds(b->device, begin, middle, &seconds) == MNP_OK;
    point(b, good && seconds >= (b->cuda ? 0.02 : 0) && seconds < 30, "events tell the time");
    printf("# the kernel took %.3f ms\n", seconds * 1e3);
    ops->kernel_free(b->device, kernel);
    ops->event_free(b->device, begin);
    ops->event_free(b->device, middle);
    ops->event_free(b->device, end);
    ops->free(b->device, out);
    ops->free_pinned(b->device, pinned);
}

static void test_out_of_memory(const bench *b)
{
    void *pointer = NULL;
#ifdef MNP_SANITIZERS
    if (!b->cuda) {
        skip("host: out of memory", "AddressSanitizer ends the program");
        return;
    }
#endif
    point(b,
          b->ops->alloc(b->device, (size_t)1 << 50, &pointer) == MNP_ERR_MEMORY && !pointer &&
              strstr(mnp_error_message(), "GiB"),
          "out of memory is MNP_ERR_MEMORY, in GiB");
    printf("# %s\n", mnp_error_message());
    test_kernel(b, 1024);
}

static void test_wrong_kernel(const bench *b)
{
    mnp__kernel *kernel = NULL;
    mnp__kernel_spec spec = {
        .file = "prelude.h", .function = "wrong", .defines = "#define FINE\nthis does not compile;\n"};
    point(b,
          b->ops->kernel_load(b->device, &spec, &kernel) == MNP_ERR_COMPILE && !kernel &&
              strstr(mnp_error_message(), "2 | this does not compile;"),
          "a kernel that does not compile is MNP_ERR_COMPILE and shows the line");
    spec = (mnp__kernel_spec){.file = "prelude.h", .function = "missing", .defines = "extern \"C\" { }\n"};
    point(b,
          b->ops->kernel_load(b->device, &spec, &kernel) != MNP_OK && !kernel && strstr(mnp_error_message(), "missing"),
          "a kernel without its entry point is an error that names it");
    test_kernel(b, 1024);
}

static void test_device(mnp__device *device)
{
    bench b = {.device = device, .ops = device->ops, .cuda = strcmp(device->ops->kind, "cuda") == 0};
    test_description(&b);
    test_alloc(&b);
    if (point(&b,
              b.ops->stream_new(device, false, &b.first) == MNP_OK &&
                  b.ops->stream_new(device, true, &b.second) == MNP_OK && b.first && b.second,
              "streams")) {
        test_sharing(&b);
        test_copies(&b);
        test_kernel(&b, 1024);
        test_kernel(&b, 60 * 1024);
        test_empty_launch(&b);
        test_order(&b);
        test_out_of_memory(&b);
        test_wrong_kernel(&b);
    }
    b.ops->stream_free(device, b.first);
    b.ops->stream_free(device, b.second);
    b.ops->close(device);
}

int main(void)
{
    mnp__config config;
    mnp__device *device = NULL;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    if (ok(mnp__host_device_open(&config, 1, &device) == MNP_OK, "host: opens"))
        test_device(device);
    device = NULL;
    mnp_status st = mnp__cuda_device_open(&config, 0, &device);
    if (st == MNP_ERR_UNSUPPORTED) {
        skip("cuda", mnp_error_message());
    } else if (ok(st == MNP_OK, "cuda: opens")) {
        test_device(device);
    } else {
        printf("# %s\n", mnp_error_message());
    }
    mnp__config_free(&config);
    return done_testing();
}
