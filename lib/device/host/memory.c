/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the host device: pools, and memory that processes share.
 *
 * A pool is a range of reserved address space of which a part, from its beginning, is backed by memory: as much as was
 * ever needed, on huge pages where the system has them.  An arena (base/arena.h) finds the offsets of blocks.  So freed
 * memory is reused together with its pages: getting new pages from the system takes longer than most kernels that then
 * fill them.
 *
 * Shared memory is an anonymous file (memfd_create) that is mapped over reserved address space.  If huge pages are
 * available, its pages are allocated when it is made; otherwise when they are first touched.  A lack of memory would
 * thus show too late for an error, so sizes are compared with what there is before (base/memory.h).
 */
#define _GNU_SOURCE /* memfd_create, MAP_ANONYMOUS */

#include "device/host/host.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

#include "base/integer.h"
#include "base/memory.h"
#include "base/status.h"

static const size_t huge_page = (size_t)2 << 20;
static const size_t least_growth = (size_t)8 << 20, least_space = (size_t)64 << 20;

static mnp__host_pool *pool_of(mnp__device *device, mnp_memory_pool pool)
{
    mnp__host_device *host = (mnp__host_device *)device;
    return pool == MNP_MEMORY_PINNED ? &host->pinned : &host->scratch;
}

/* ---- mapping ---- */

/* mmap() over reserved address space, or anywhere if the address is NULL.  NULL on failure, with errno set. */
static void *map(void *address, size_t size, int protection, int flags, int fd)
{
    void *mapped = mmap(address, size, protection, flags | (address ? MAP_FIXED : 0), fd, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static mnp_status mapping_failed(const char *what, size_t size)
{
    char text[MNP__BYTES_TEXT];
    return MNP_FAIL(MNP_ERR_MEMORY, "%s of %s: %s", what, mnp__bytes_text(size, text), strerror(errno));
}

/* Reserve address space, aligned to huge pages. */
static mnp_status reserve(size_t size, void **address_p)
{
    char *address = map(NULL, size + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (!address)
        return mapping_failed("no address space", size);
    size_t before = (huge_page - (uintptr_t)address % huge_page) % huge_page;
    if (before > 0)
        munmap(address, before);
    munmap(address + before + size, huge_page - before);
    *address_p = address + before;
    return MNP_OK;
}

/* Shared memory is subject to the limit of file sizes (ulimit -f): exceeding it would end the process by a signal. */
mnp_status mnp__host_share_reserve(mnp__device *device, size_t size, void **address_p)
{
    struct rlimit files;
    char text[MNP__BYTES_TEXT];
    (void)device;
    if (getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_cur != RLIM_INFINITY)
        return MNP_FAIL(MNP_ERR_MEMORY, "the size of files is limited to %s (ulimit -f)",
                        mnp__bytes_text(files.rlim_cur, text));
    return reserve(size, address_p);
}

void mnp__host_share_unreserve(mnp__device *device, void *address, size_t size)
{
    (void)device;
    munmap(address, size);
}

/*
 * Try to back a file with huge pages now, also on systems that give files huge pages only on request (MADV_COLLAPSE,
 * since Linux 6.1).  That takes a tenth of the time of touching small pages one by one later; failures are ignored.
 */
static void fill_with_huge_pages(int fd, size_t size)
{
#ifdef MADV_COLLAPSE
    void *address;
    if (reserve(size, &address) != MNP_OK)
        return;
    char *bytes = map(address, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    for (size_t at = 0; bytes && at < size; at += huge_page)
        bytes[at] = 0; /* a range without any page does not collapse */
    if (bytes)
        (void)madvise(bytes, size, MADV_COLLAPSE);
    munmap(address, size);
#else
    (void)fd;
    (void)size;
#endif
}

static mnp_status new_file(size_t size, int *fd_p)
{
    int fd = memfd_create("maniple-heap", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0) {
        mnp_status st = mapping_failed("no memory that ranks can share", size);
        if (fd >= 0)
            close(fd);
        return st;
    }
    fill_with_huge_pages(fd, size);
    *fd_p = fd;
    return MNP_OK;
}

/* Map memory over reserved address space: that of a file, or private memory if fd is -1. */
static mnp_status put_memory(void *address, size_t size, int fd)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    if (!map(address, size, PROT_READ | PROT_WRITE, flags, fd))
        return mapping_failed("cannot map memory", size);
#ifdef MADV_HUGEPAGE
    (void)madvise(address, size, MADV_HUGEPAGE); /* a hint; failure is harmless */
#endif
    return MNP_OK;
}

mnp_status mnp__host_share_new(mnp__device *device, void *address, size_t size, int *fd_p)
{
    int fd = -1;
    (void)mnp__host_memory_trim(
        device, MNP_MEMORY_SCRATCH); /* free memory first: a shortage would show only when pages are touched */
    MNP_TRY(mnp__memory_check(size, true));
    if (fd_p)
        MNP_TRY(new_file(size, &fd));
    mnp_status st = put_memory(address, size, fd);
    if (st == MNP_OK && fd_p)
        *fd_p = fd;
    else if (fd >= 0)
        close(fd);
    return st;
}

mnp_status mnp__host_share_map(mnp__device *device, void *address, size_t size, int fd)
{
    (void)device;
    return put_memory(address, size, fd);
}

/* The address space stays reserved. */
void mnp__host_share_unmap(mnp__device *device, void *address, size_t size)
{
    (void)device;
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    (void)map(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

size_t mnp__host_share_granularity(mnp__device *device)
{
    (void)device;
    return huge_page;
}

/* ---- pools ---- */

/* Reserve address space for twice the rank's share of the memory, or for a part of what this process may have. */
static mnp_status open_pool(mnp__host_pool *pool)
{
    mnp_status st;
    void *base;
    MNP_TRY(mnp__arena_new(&pool->arena));
    const uint64_t most = mnp__memory_read("").address_space / 2;
    for (pool->space = least_space; pool->space < 2 * pool->bound && 2 * pool->space <= most;)
        pool->space *= 2;
    while ((st = reserve(pool->space, &base)) != MNP_OK && pool->space > least_space)
        pool->space /= 2;
    if (st == MNP_OK) {
        pool->base = base;
        return MNP_OK;
    }
    mnp__arena_free(pool->arena);
    pool->arena = NULL;
    return st;
}

void mnp__host_pool_close(mnp__host_pool *pool)
{
    if (!pool->arena)
        return;
    ASAN_UNPOISON_MEMORY_REGION(pool->base, pool->top);
    if (mnp__arena_read(pool->arena).blocks == 0) { /* MPI may still write to blocks that are in use */
        munmap(pool->base, pool->space);
        mnp__memory_hold(-(int64_t)pool->top);
    }
    mnp__arena_free(pool->arena);
    *pool = (mnp__host_pool){.bound = 0};
}

/* Back so many bytes more. */
static mnp_status extend(mnp__host_pool *pool, size_t more)
{
    MNP_TRY(mnp__memory_check(more, true));
    MNP_TRY(put_memory(pool->base + pool->top, more, -1));
    mnp_status st = mnp__arena_add(pool->arena, pool->top, more);
    if (st == MNP_OK) {
        pool->top += more;
        mnp__memory_hold((int64_t)more);
    } else {
        mnp__host_share_unmap(NULL, pool->base + pool->top, more);
    }
    return st;
}

/* The most that may be backed. */
static size_t ceiling(const mnp__host_pool *pool)
{
    return mnp__min_bytes(pool->limit > 0 ? pool->limit : SIZE_MAX, mnp__min_bytes(pool->bound, pool->space));
}

static mnp_status is_full(const mnp__host_pool *pool, size_t size)
{
    char text[MNP__BYTES_TEXT], what[MNP__BYTES_TEXT + 16];
    const size_t most = ceiling(pool);
    snprintf(what, sizeof what, "a block of %s", mnp__bytes_text(size, text));
    return mnp__memory_full(what, size, mnp__arena_read(pool->arena).used, most,
                            most == pool->limit   ? "the limit of mnp_memory_set_limit()"
                            : most == pool->bound ? "this rank's share of the host"
                                                  : "this rank's part of the address space (ulimit -v)");
}

/* Back more of the range with memory, so that a block of that size fits. */
static mnp_status grow(mnp__host_pool *pool, size_t size)
{
    size_t before = mnp__arena_free_before(pool->arena, pool->top);
    size_t most = ceiling(pool) / huge_page * huge_page;
    size_t left = most > pool->top ? most - pool->top : 0, lacks = size > before ? size - before : 1;
    if (lacks > left)
        return is_full(pool, size);
    size_t least = mnp__round_up_bytes(lacks, huge_page), wished = pool->top / 4 / huge_page * huge_page;
    wished = wished > least_growth ? wished : least_growth;
    wished = wished <= left ? wished : left;
    if (wished > least && extend(pool, wished) == MNP_OK)
        return MNP_OK;
    return extend(pool, least);
}

static mnp_status take(mnp__host_pool *pool, size_t size, void **pointer_p)
{
    bool found;
    uintptr_t place = 0;
    if (size == 0) {
        *pointer_p = NULL;
        return MNP_OK;
    }
    if (!pool->arena)
        MNP_TRY(open_pool(pool));
    MNP_TRY(mnp__arena_take(pool->arena, size, &found, &place));
    if (!found) {
        MNP_TRY(grow(pool, size));
        MNP_TRY(mnp__arena_take(pool->arena, size, &found, &place));
    }
    ASAN_POISON_MEMORY_REGION(pool->base + place, mnp__arena_size(pool->arena, place));
    ASAN_UNPOISON_MEMORY_REGION(pool->base + place, size);
    *pointer_p = pool->base + place;
    return MNP_OK;
}

static void give(const mnp__device *device, mnp__host_pool *pool, void *pointer)
{
    if (!pointer || device->retains)
        return;
    uintptr_t place = (uintptr_t)((char *)pointer - pool->base);
    ASAN_POISON_MEMORY_REGION(pointer, mnp__arena_size(pool->arena, place));
    mnp__arena_give(pool->arena, place);
}

mnp_status mnp__host_alloc(mnp__device *device, size_t size, void **pointer_p)
{
    return take(pool_of(device, MNP_MEMORY_SCRATCH), size, pointer_p);
}

void mnp__host_free(mnp__device *device, void *pointer)
{
    give(device, pool_of(device, MNP_MEMORY_SCRATCH), pointer);
}

mnp_status mnp__host_alloc_pinned(mnp__device *device, size_t size, void **pointer_p)
{
    return take(pool_of(device, MNP_MEMORY_PINNED), size, pointer_p);
}

void mnp__host_free_pinned(mnp__device *device, void *pointer)
{
    give(device, pool_of(device, MNP_MEMORY_PINNED), pointer);
}

mnp_status mnp__host_memory_info(mnp__device *device, mnp_memory_pool which, mnp_memory_pool_info *info)
{
    mnp__host_pool *pool = pool_of(device, which);
    mnp__arena_figures figures = {.used = 0};
    if (pool->arena)
        figures = mnp__arena_read(pool->arena);
    *info = (mnp_memory_pool_info){.used = (int64_t)figures.used,
                                   .reserved = (int64_t)figures.reserved,
                                   .peak = (int64_t)figures.peak,
                                   .largest_free = (int64_t)figures.largest_free,
                                   .limit = (int64_t)pool->limit,
                                   .blocks = figures.blocks};
    return MNP_OK;
}

/* Return the free memory at the end of the backed part of the range. */
mnp_status mnp__host_memory_trim(mnp__device *device, mnp_memory_pool which)
{
    mnp__host_pool *pool = pool_of(device, which);
    if (!pool->arena)
        return MNP_OK;
    size_t spare = mnp__arena_free_before(pool->arena, pool->top) / huge_page * huge_page;
    if (spare == 0)
        return MNP_OK;
    MNP_TRY(mnp__arena_remove(pool->arena, pool->top - spare, spare));
    pool->top -= spare;
    mnp__memory_hold(-(int64_t)spare);
    mnp__host_share_unmap(NULL, pool->base + pool->top, spare);
    return MNP_OK;
}

void mnp__host_memory_limit(mnp__device *device, mnp_memory_pool which, size_t bytes)
{
    pool_of(device, which)->limit = bytes;
}
