/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A step of an iterative method, fused into one kernel: scalars, then one pass over vectors, then sums over them.
 *
 * Every worker computes the new scalars redundantly from the state in device memory, which costs less than a launch of
 * their own.  It then takes its share of the elements.  The last worker to arrive adds up the sums of all workers, in
 * the order of their numbers, and writes the state back: by then every worker has read it.  Without sums, the last
 * worker to read the state writes it, and none waits.  When the method has ended, steps do nothing, so the CPU may
 * enqueue iterations ahead.  In a loop on the device, steps end the loop when the method ends or is to pause.
 *
 * The library generates what `#include "generated"` stands for (lib/sparse/step/step.c):
 *   mnp_scalars            a struct: the state, with a method mnp_before(extra) that computes the scalars
 *   MNP_CONSTANTS(s)       declares the scalars as numbers of the vectors' type
 *   MNP_ELEMENTS           declares references to element i of every vector
 *   MNP_BODY               statements on the elements
 *   MNP_SUM_0 ...          expressions that are summed
 * It defines MNP_T, the vectors' type; MNP_W, the scalars'; MNP_SUMS, how many sums; MNP_ALWAYS, 1: also when the
 * method is over; MNP_LOOPS.
 */
#include "kernels/prelude.h"
#include "kernels/early_launch.h"
#include "kernels/numbers.h"
#include "kernels/sparse/step/device_loop_cuda.h"
#include "kernels/sparse/step/step_params.h"
#include "kernels/workers.h"

typedef MNP_T mnp_t;
typedef MNP_W mnp_w;

/* conj(a) b, and the square of a magnitude, in the type of the sums. */
template <typename T> MNP_INLINE mnp_w dot(T a, T b)
{
    return conjugate(mnp_widen<mnp_w>(a)) * mnp_widen<mnp_w>(b);
}
template <typename T> MNP_INLINE mnp_w norm(T a)
{
    return mnp_number_of<mnp_w>::from(square(mnp_widen<mnp_w>(a)));
}

MNP_INLINE mnp_w number(double x)
{
    return mnp_number_of<mnp_w>::from(x);
}

MNP_INLINE mnp_t element(double x)
{
    return mnp_number_of<mnp_t>::from(x);
}

/* The beginning of every method's state; generated code adds the method's scalars. */
struct mnp_state : mnp_step_control {
    mnp_w sum[MNP_STEP_SUMS]; /* sums of the last step that had any, over all ranks */

    /* Count an iteration, after which the residual has this norm, and end the method if it has converged. */
    MNP_INLINE void test(double norm)
    {
        iterations += 1;
        residual = norm;
        if (!(norm <= 1e10 * first) || !is_finite(norm))
            done = MNP_DONE_DIVERGED;
        else if (norm <= tolerance)
            done = MNP_DONE_CONVERGED;
        else if (iterations >= maxiter)
            done = MNP_DONE_MAXITER;
    }
    /* End the method with a breakdown unless a divisor is good: not 0 and not NaN. */
    MNP_INLINE void need(bool good)
    {
        if (!good && done == MNP_GOING)
            done = MNP_DONE_BREAKDOWN;
    }
    template <typename N> MNP_INLINE void need_divisor(N x)
    {
        need(is_finite(x) && magnitude(x) > 0);
    }
};

#include "kernels/sparse/step/step_gmres.h"
#include "kernels/sparse/step/step_idr.h"
#include "kernels/sparse/step/step_least_squares.h"
#include "generated"

static_assert(sizeof(mnp_scalars) <= MNP_STEP_STATE, "the state has room for the scalars");

struct mnp_sums {
    mnp_w value[MNP_SUMS > 0 ? MNP_SUMS : 1];
};

#define MNP_ADD(k, into) into = into + mnp_w(MNP_SUM_##k);

MNP_INLINE void mnp_do_elements(const mnp_step_params &p, const mnp_scalars &s, mnp_worker &w, mnp_sums &sums)
{
    MNP_CONSTANTS(s)
#if MNP_CUDA
    for (int64_t i = w.first_thread(); i < p.count; i += w.all_threads()) {
        MNP_ELEMENTS
        MNP_BODY
#if MNP_SUMS > 0
        MNP_ADD(0, sums.value[0])
#endif
#if MNP_SUMS > 1
        MNP_ADD(1, sums.value[1])
#endif
#if MNP_SUMS > 2
        MNP_ADD(2, sums.value[2])
#endif
    }
#else
    const int64_t begin = mnp_share_begin(p.count, w.worker, w.workers);
    const int64_t end = mnp_share_begin(p.count, w.worker + 1, w.workers);
    constexpr int lanes = MNP_SUMS > 0 ? 32 : 1024;
    mnp_w lane[MNP_SUMS > 0 ? MNP_SUMS : 1][MNP_SUMS > 0 ? lanes : 1];
    memset(lane, 0, sizeof lane);
    for (int64_t from = begin; from < end; from += lanes) {
        const int many = end - from < lanes ? (int)(end - from) : lanes;
#define MNP_LANES(bound)                                                                                               \
    _Pragma("GCC ivdep") for (int j = 0; j < bound; j++)                                                               \
    {                                                                                                                  \
        const int64_t i = from + j;                                                                                    \
        MNP_ELEMENTS                                                                                                   \
        MNP_BODY                                                                                                       \
        MNP_ADD_ALL                                                                                                    \
    }
#if MNP_SUMS > 2
#define MNP_ADD_ALL MNP_ADD(0, lane[0][j]) MNP_ADD(1, lane[1][j]) MNP_ADD(2, lane[2][j])
#elif MNP_SUMS > 1
#define MNP_ADD_ALL MNP_ADD(0, lane[0][j]) MNP_ADD(1, lane[1][j])
#elif MNP_SUMS > 0
#define MNP_ADD_ALL MNP_ADD(0, lane[0][j])
#else
#define MNP_ADD_ALL
#endif
        if (many == lanes) {
            MNP_LANES(lanes)
        } else {
            MNP_LANES(many)
        }
    }
    for (int k = 0; k < MNP_SUMS; k++)
        for (int j = 0; j < lanes; j++)
            sums.value[k] = sums.value[k] + lane[k][j];
#endif
}

/*
 * A worker's copy of the state, with the new scalars.  On a GPU one thread of the block computes them in shared memory,
 * so that they take no registers from the loop over elements.
 */
#if MNP_CUDA
#define MNP_OF_WORKER __shared__
#else
#define MNP_OF_WORKER
#endif

MNP_INLINE bool mnp_is_leader()
{
#if MNP_CUDA
    return threadIdx.x == 0;
#else
    return true;
#endif
}

MNP_INLINE void mnp_meet()
{
#if MNP_CUDA
    __syncthreads();
#endif
}

/* Called by one thread of a worker: whether all other workers have read the state too. */
MNP_INLINE bool mnp_all_have_read(mnp_worker w, unsigned *arrived)
{
#if MNP_CUDA
    if (gridDim.x == 1)
        return true;
    __threadfence(); /* its reads are complete */
    const bool last = atomicAdd(arrived, 1u) == gridDim.x - 1;
#else
    if (w.workers == 1)
        return true;
    const bool last = __atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL) == w.workers - 1;
#endif
    if (last)
        *arrived = 0;
    return last;
}

MNP_KERNEL(mnp_step, mnp_step_params)
{
    MNP_OF_WORKER mnp_scalars s;
    MNP_OF_WORKER bool was_over;
    double iterations = 0;
    MNP_WORKER(w);
    mnp_await_previous_launch();
    if (mnp_is_leader()) {
        s = *(const mnp_scalars *)p.state;
        was_over = s.done != MNP_GOING && !MNP_ALWAYS;
        iterations = s.iterations;
        s.skip = 0;
        if (!was_over)
            s.mnp_before((mnp_w *)p.extra);
    }
    mnp_meet();
    if (was_over) {
#if MNP_LOOPS
        if (w.first_thread() == 0)
            mnp_leave_loop(p);
#endif
        return;
    }
    mnp_sums sums;
    for (int k = 0; k < MNP_SUMS; k++)
        sums.value[k] = number(0);
    bool writes = MNP_SUMS == 0 && mnp_is_leader() && mnp_all_have_read(w, (unsigned *)p.arrived);
    if ((s.done == MNP_GOING || MNP_ALWAYS) && s.skip == 0)
        mnp_do_elements(p, s, w, sums);
    if (MNP_SUMS > 0)
        writes = mnp_join<MNP_SUMS>(w, sums.value, (mnp_w *)p.partials, (unsigned *)p.arrived);
    if (!writes)
        return;
    for (int k = 0; k < MNP_SUMS; k++)
        s.sum[k] = sums.value[k];
    if (s.iterations != iterations)
        ((double *)p.history)[(int64_t)s.iterations % MNP_STEP_HISTORY] = s.residual;
    *(mnp_scalars *)p.state = s;
#if MNP_LOOPS
    if (s.done != MNP_GOING || s.iterations >= s.pause)
        mnp_leave_loop(p);
#endif
}
