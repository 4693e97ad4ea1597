/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constants of machines.
 *
 * h200: docs/performance.md.  Memory is a copy; the link is what a GPU sends to three others over NVLink; a message is
 * an all-to-all of 1 MiB without its bytes; an all-reduce is that of 8 bytes, outside a graph; a launch is an addition
 * of 1000 elements.  Operations: matmul of 8192 float64 and float32; solve of 8192 float64; eigh of 4096, of 9 n^3;
 * svd of 4194304 x 64 float64, of 4 m n^2; direct sums of convolutions in float32, half of it in float64.  Transforms
 * of three axes are bound by memory, which they pass once an axis, at 88 and 92 per cent of its rate; their operations
 * are estimates.
 *
 * host: a core of a virtual machine, 28 November 2026, commands of bench/predictions with MANIPLE_THREADS=1 and, as
 * that OpenBLAS does not know the processor, OPENBLAS_CORETYPE=SKYLAKEX.  Memory is the conjugate gradient method with
 * poisson:96x96x96; new memory is what eval takes beyond it on one rank and on two; products and decompositions are
 * linalg with matrices of 1500 rows, and svd of 200000 x 32; transforms are fft of 128 x 128 x 128 complex64 and of
 * 2048 x 2048 float32, half of it in double; windows are conv by 31 x 31 taps of float32, half of it in float64.  The
 * link is a redistribution of rows to columns, the all-reduce one of 8 bytes, both of docs/performance.md.
 */
#include "plan/machine.h"

#include <string.h>

const machine machines[] = {
    {.name = "h200",
     .what = "NVIDIA H200, a rank each, NVLink inside a host",
     .source = "measured on one and four H200 of one host, docs/performance.md",
     .gpu = true,
     .memory = 4.25e12,
     .link = 3.55e11,
     .link_latency = 4e-6,
     .network = 5e10,
     .network_latency = 1e-5,
     .network_source = "not measured: 400 Gbit/s a GPU, and 10 us a message, are assumed",
     .join = 4.7e-6,
     .launch = 4.1e-6,
     .rates = {[WORK_PRODUCTS] = {6.3e13, 5.1e13},
               [WORK_FACTORS] = {9.75e12, 0},
               [WORK_SPECTRUM] = {5.7e12, 6.9e12},
               [WORK_TALL] = {1.9e12, 0},
               [WORK_WINDOWS] = {1.2e13, 2.4e13},
               [WORK_TRANSFORMS] = {1e13, 2e13},
               [WORK_REAL] = {1e13, 2e13}},
     .setup = {2.5e-8, 2.4e-8, 1.05e-8}},
    {.name = "host",
     .what = "a core of an Intel Xeon with AVX-512, a rank each, one thread",
     .source = "measured on two cores of a virtual machine, 28 November 2026",
     .memory = 2.6e10,
     .fresh = 4.6e9,
     .fresh_shared = 1.6e9,
     .link = 7.8e9,
     .link_latency = 5e-7,
     .network = 1.25e9,
     .network_latency = 3e-5,
     .network_source = "not measured: 10 Gbit/s a rank, and 30 us a message, are assumed",
     .join = 5e-7,
     .launch = 2e-6,
     .rates = {[WORK_PRODUCTS] = {6.8e10, 1.25e11},
               [WORK_FACTORS] = {2.9e10, 0},
               [WORK_SPECTRUM] = {4.7e10, 0},
               [WORK_TALL] = {2.3e9, 0},
               [WORK_WINDOWS] = {2.9e10, 5.8e10},
               [WORK_TRANSFORMS] = {1.25e10, 2.5e10},
               [WORK_REAL] = {5e9, 1e10}},
     .setup = {4e-8, 7.5e-8, 1.2e-8}},
    {0},
};

const machine *machine_of(const mnp_ctx *ctx)
{
    const bool gpu = strcmp(mnp_ctx_device_kind(ctx), "host") != 0;
    const machine *m = machines;
    while (m->gpu != gpu)
        m++;
    return m;
}

double machine_rate(const machine *m, machine_work work, mnp_dtype dtype)
{
    const bool single = dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64;
    return m->rates[work][single];
}
