/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over all workers of one launch, which are threads of the host or blocks of a GPU.  Each stores its partial sums;
 * the last one to arrive adds those of all, in the order of the workers' numbers, so that results are reproducible.
 * This saves a second launch.
 */

/* Convert a number to the wide type in which it is summed. */
template <typename W> MNP_INLINE W mnp_widen(double x)
{
    return mnp_number_of<W>::from(x);
}
template <typename W, typename R> MNP_INLINE W mnp_widen(mnp_complex<R> x)
{
    return W{x.re, x.im};
}

/* Convert a wide number to the type of the elements. */
template <typename T> MNP_INLINE T mnp_narrow(double x)
{
    return mnp_number_of<T>::from(x);
}
template <typename T> MNP_INLINE T mnp_narrow(mnp_complex<double> x)
{
    return T{(decltype(T::re))x.re, (decltype(T::re))x.im};
}

#if MNP_CUDA

struct mnp_worker {
    MNP_INLINE int64_t first_thread() const
    {
        return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    }
    MNP_INLINE int64_t all_threads() const
    {
        return (int64_t)gridDim.x * blockDim.x;
    }
};
#define MNP_WORKER(w) mnp_worker w

MNP_INLINE double mnp_shuffle_down(double x, int distance)
{
    return __shfl_down_sync(0xffffffffu, x, distance);
}
MNP_INLINE mnp_complex<double> mnp_shuffle_down(mnp_complex<double> x, int distance)
{
    return {mnp_shuffle_down(x.re, distance), mnp_shuffle_down(x.im, distance)};
}

/* The sum over a warp's threads, which all of them call and lane 0 gets. */
template <typename W> MNP_INLINE W mnp_warp_sum(W x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x = x + mnp_shuffle_down(x, distance);
    return x;
}

/* The sum over the block's threads, which all of them call and get. */
template <typename W> MNP_INLINE W mnp_block_sum(W x)
{
    __shared__ W warps[MNP_STEP_BLOCK / 32];
    x = mnp_warp_sum(x);
    __syncthreads(); /* the previous call's use of the shared memory has ended */
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = x;
    __syncthreads();
    W sum = warps[0];
    for (int i = 1; i < (int)blockDim.x / 32; i++)
        sum = sum + warps[i];
    return sum;
}

/* Whether this thread finishes the sum; then value[] holds the sums of all workers.  All threads call it. */
template <int Sums, typename W> MNP_INLINE bool mnp_join(mnp_worker, W *value, W *partials, unsigned *arrived)
{
    __shared__ bool last;
    for (int k = 0; k < Sums; k++) {
        const W sum = mnp_block_sum(value[k]);
        if (threadIdx.x == 0)
            partials[(int64_t)k * gridDim.x + blockIdx.x] = sum;
    }
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return false;
    __threadfence();
    for (int k = 0; k < Sums; k++) {
        W sum = mnp_number_of<W>::from(0);
        for (int i = threadIdx.x; i < (int)gridDim.x; i += blockDim.x)
            sum = sum + partials[(int64_t)k * gridDim.x + i];
        value[k] = mnp_block_sum(sum);
    }
    if (threadIdx.x == 0)
        *arrived = 0;
    return threadIdx.x == 0;
}

#else

struct mnp_worker {
    int64_t worker, workers;
};
#define MNP_WORKER(w) mnp_worker w = {worker, workers}

template <int Sums, typename W> MNP_INLINE bool mnp_join(mnp_worker w, W *value, W *partials, unsigned *arrived)
{
    if (w.workers == 1)
        return true;
    for (int k = 0; k < Sums; k++)
        partials[k * w.workers + w.worker] = value[k];
    if (__atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL) != w.workers - 1)
        return false;
    for (int k = 0; k < Sums; k++) {
        value[k] = mnp_number_of<W>::from(0);
        for (int64_t i = 0; i < w.workers; i++)
            value[k] = value[k] + partials[k * w.workers + i];
    }
    *arrived = 0;
    return true;
}

#endif
