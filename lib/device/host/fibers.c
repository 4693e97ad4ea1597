/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fiber is entered the first time by setcontext(), which gives it its stack, and from then on by siglongjmp() without
 * the mask of signals, so that a switch is no call of the system.  glibc's check that a jump goes up the same stack is
 * off in this file.
 *
 * Fibers stay inside live() between blocks and between launches, and may be continued by another thread of the team.
 */
#undef _FORTIFY_SOURCE
#include <config.h>

#include "device/host/fibers.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/status.h"

#ifdef MNP_SANITIZERS
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifndef MADV_GUARD_INSTALL /* since Linux 6.13 */
#define MADV_GUARD_INSTALL 102
#endif

enum { LANES = MNP_RAW_LANES, MOST_WARPS = 1024 / LANES };

typedef struct fiber {
    sigjmp_buf at; /* where it goes on, once it has begun */
    bool has_begun;
    char *stack;
    size_t stack_size;
    struct fiber *next_idle;
} fiber;

/* Bits are threads of the warp.  Those that live and are neither ready nor in `meet` wait for the block. */
typedef struct warp {
    uint32_t lives, ready, meets; /* has not ended; may go on; waits for threads of the warp */
    uint32_t whom[LANES];         /* those that a thread waits for, where it is in `meets` */
    fiber *fiber[LANES];          /* NULL: the thread has not begun */
} warp;

typedef struct block {
    mnp_raw_block base; /* first, as kernels see only this */
    fiber worker;       /* the team's thread itself, which waits for the block to end */
    fiber *running, *idle;
    fiber *fibers; /* as many as threads of a block */
    unsigned begun;
    ucontext_t entry; /* of a fiber that begins */

    void (*function)(const mnp_raw_call *call, unsigned thread);
    const mnp_raw_call *call;
    unsigned nwarps, at_warp;
    warp warps[MOST_WARPS];
} block;

struct mnp__fibers {
    int workers;
    unsigned threads;
    size_t stack_size;
    char *stacks;
    size_t stacks_size;
    fiber *fibers;
    block *blocks;
    mnp_raw_block **bases; /* of the blocks */
};

/* ---- switching ---- */

static void live(unsigned low, unsigned high);

/* Enter a fiber for the first time.  On systems older than Linux 6.13 nothing guards the page below its stack. */
static void begin(block *b, fiber *to)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t address = (uintptr_t)b;
    to->has_begun = true;
    (void)madvise(to->stack - page, page, MADV_GUARD_INSTALL);
    getcontext(&b->entry);
    b->entry.uc_stack.ss_sp = to->stack;
    b->entry.uc_stack.ss_size = to->stack_size;
    b->entry.uc_link = NULL;
    makecontext(&b->entry, (void (*)(void))live, 2, (unsigned)address, (unsigned)((uint64_t)address >> 32));
    setcontext(&b->entry);
}

/* Continue `to`, and return when this fiber is continued. */
static void switch_to(block *b, fiber *to)
{
    fiber *const from = b->running;
    if (from == to)
        return;
    b->running = to;
#ifdef MNP_SANITIZERS
    void *volatile mine = NULL;
    __sanitizer_start_switch_fiber((void **)&mine, to->stack, to->stack_size);
#endif
    if (sigsetjmp(from->at, 0) == 0) {
        if (to->has_begun)
            siglongjmp(to->at, 1);
        begin(b, to);
    }
#ifdef MNP_SANITIZERS
    __sanitizer_finish_switch_fiber(mine, NULL, NULL);
#endif
}

/* The address sanitizer wants to know every stack, also that of the team's thread. */
static void describe_worker(fiber *worker)
{
#ifdef MNP_SANITIZERS
    pthread_attr_t attributes;
    void *stack;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &stack, &worker->stack_size);
        worker->stack = stack;
        pthread_attr_destroy(&attributes);
    }
#endif
    worker->has_begun = true;
}

/* ---- who is next ---- */

/* Let threads of a warp go on, each of which sees what the others have given; those that have ended give 0. */
static void release(block *b, warp *w, uint32_t lanes)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (lanes >> lane & 1)
            b->base.seen[lane] = b->base.given[lane];
        else if (!(w->lives >> lane & 1))
            b->base.seen[lane] = 0;
    }
    w->meets &= ~lanes;
    w->ready |= lanes;
}

/* Let those threads of a warp go on that all wait for the same; if there are none, all that wait in the warp. */
static void complete_warp(block *b, warp *w)
{
    for (uint32_t left = w->meets; left;) {
        const uint32_t whom = w->whom[__builtin_ctz(left)];
        uint32_t group = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            if (w->whom[__builtin_ctz(rest)] == whom)
                group |= rest & -rest;
        }
        left &= ~group;
        if ((whom & w->lives & ~group) == 0)
            release(b, w, group);
    }
    if (!w->ready)
        release(b, w, w->meets);
}

/* All threads have reached the barrier, or have ended. */
static void complete_block(block *b)
{
    b->base.arrived = b->base.arriving;
    b->base.arriving = 0;
    b->at_warp = 0;
    for (unsigned i = 0; i < b->nwarps; i++)
        b->warps[i].ready = b->warps[i].lives;
}

static bool has_ended(const block *b)
{
    for (unsigned i = 0; i < b->nwarps; i++) {
        if (b->warps[i].lives)
            return false;
    }
    return true;
}

/* Find a thread that can go on, and return where its fiber is kept; NULL at the end of the block. */
static fiber **choose(block *b)
{
    for (;;) {
        warp *w = &b->warps[b->at_warp];
        if (!w->ready && w->meets)
            complete_warp(b, w);
        if (w->ready) {
            const unsigned lane = (unsigned)__builtin_ctz(w->ready);
            b->base.thread = b->at_warp * LANES + lane;
            return &w->fiber[lane];
        }
        if (++b->at_warp < b->nwarps)
            continue;
        if (has_ended(b))
            return NULL;
        complete_block(b);
    }
}

static fiber *take_idle(block *b)
{
    fiber *f = b->idle;
    if (!f)
        return &b->fibers[b->begun++];
    b->idle = f->next_idle;
    return f;
}

/* The thread that runs waits for threads of its warp, or for the block, if `lanes` is 0. */
static void meet(mnp_raw_block *base, unsigned lanes)
{
    block *b = (block *)base;
    warp *w = &b->warps[base->thread / LANES];
    const uint32_t me = (uint32_t)1 << base->thread % LANES;
    w->ready &= ~me;
    if (lanes) {
        w->meets |= me;
        w->whom[base->thread % LANES] = lanes | me;
    }
    fiber **next = choose(b);
    if (!*next)
        *next = take_idle(b);
    switch_to(b, *next);
}

/* A fiber: it runs a thread from its beginning to its end, then the next that has not begun. */
static void live(unsigned low, unsigned high)
{
    block *const b = (block *)(uintptr_t)((uint64_t)high << 32 | low);
    fiber *const me = b->running;
#ifdef MNP_SANITIZERS
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    for (;;) {
        b->function(b->call, b->base.thread);
        warp *w = &b->warps[b->base.thread / LANES];
        const uint32_t ended = (uint32_t)1 << b->base.thread % LANES;
        w->lives &= ~ended;
        w->ready &= ~ended;
        fiber **next = choose(b);
        if (next && !*next) {
            *next = me;
            continue;
        }
        me->next_idle = b->idle;
        b->idle = me;
        switch_to(b, next ? *next : &b->worker);
    }
}

/* Run the threads of a block; blocks come one after the other. */
static void run(mnp_raw_block *base, unsigned threads, void (*function)(const mnp_raw_call *call, unsigned thread),
                const mnp_raw_call *call)
{
    block *b = (block *)base;
    b->function = function;
    b->call = call;
    b->nwarps = (threads + LANES - 1) / LANES;
    b->at_warp = 0;
    b->base.arriving = 0;
    for (unsigned i = 0; i < b->nwarps; i++) {
        const unsigned left = threads - i * LANES;
        b->warps[i] = (warp){.lives = left < LANES ? ((uint32_t)1 << left) - 1 : UINT32_MAX};
        b->warps[i].ready = b->warps[i].lives;
    }
    b->running = &b->worker;
    describe_worker(&b->worker);
    fiber **first = choose(b);
    *first = take_idle(b);
    switch_to(b, *first);
}

/* ---- memory ---- */

/* Stacks do not begin at equal places of pages, so that they do not push each other out of caches. */
enum { STAGGER = 64 * 5, STAGGERS = 13 };

static void give_stack(fiber *f, char *stack, size_t size, unsigned number)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    f->stack = stack + page;
    f->stack_size = size - page - (size_t)STAGGER * (number % STAGGERS);
}

static void give_stacks(mnp__fibers *all)
{
    for (int i = 0; i < all->workers; i++) {
        block *b = &all->blocks[i];
        all->bases[i] = &b->base;
        b->base.run = run;
        b->base.meet = meet;
        b->fibers = all->fibers + (size_t)i * all->threads;
        for (unsigned t = 0; t < all->threads; t++)
            give_stack(&b->fibers[t], all->stacks + ((size_t)i * all->threads + t) * all->stack_size, all->stack_size,
                       t);
    }
}

mnp_status mnp__fibers_new(int workers, unsigned threads, mnp__fibers **fibers_p)
{
    mnp__fibers *made;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *made, &made));
    made->workers = workers;
    made->threads = threads;
    made->stack_size = MNP__FIBER_STACK + 2 * (size_t)sysconf(_SC_PAGESIZE);
    made->stacks_size = (size_t)workers * threads * made->stack_size;
    MNP_TRY_OR(mnp__calloc((size_t)workers, sizeof *made->blocks, &made->blocks), st, fail);
    MNP_TRY_OR(mnp__calloc((size_t)workers, sizeof *made->bases, &made->bases), st, fail);
    MNP_TRY_OR(mnp__calloc((size_t)workers * threads, sizeof *made->fibers, &made->fibers), st, fail);
    made->stacks = mmap(NULL, made->stacks_size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (made->stacks == MAP_FAILED) {
        made->stacks = NULL;
        st = MNP_FAIL(MNP_ERR_MEMORY, "no address space for the stacks of %d blocks of %u threads, %zu bytes", workers,
                      threads, made->stacks_size);
        goto fail;
    }
    (void)madvise(made->stacks, made->stacks_size, MADV_NOHUGEPAGE);
    give_stacks(made);
    *fibers_p = made;
    return MNP_OK;
fail:
    mnp__fibers_free(made);
    return st;
}

void mnp__fibers_free(mnp__fibers *fibers)
{
    if (!fibers)
        return;
    if (fibers->stacks)
        munmap(fibers->stacks, fibers->stacks_size);
    free(fibers->fibers);
    free(fibers->blocks);
    free(fibers->bases);
    free(fibers);
}

unsigned mnp__fibers_threads(const mnp__fibers *fibers)
{
    return fibers ? fibers->threads : 0;
}

mnp_raw_block **mnp__fibers_blocks(mnp__fibers *fibers)
{
    return fibers->bases;
}
