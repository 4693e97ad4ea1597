/*
 * Products of a set of vectors with one, as orthogonalisation needs them: with MNP_DOTS the coefficients
 * c[k] = <v[k], x>, conjugated in v; else x = (x or 0) + sign * sum of c[k] v[k].  All vectors are read once.
 *
 * Elements go by pieces that stay in the nearest cache while all vectors of the set pass over them.  Sums are added as
 * in workers.h; they are MNP_W, the elements MNP_T.
 */
#include "prelude.h"
#include "numbers.h"
#include "step.h"
#include "workers.h"

typedef MNP_T mnp_t;
typedef MNP_W mnp_w;

enum { MNP_PIECE = 2048, MNP_LANES = 32, MNP_AT_ONCE = 8 };

MNP_INLINE bool mnp_is_over(const mnp_basis_params &p)
{
    return ((const mnp_step_control *)p.state)->done != MNP_GOING && !p.always;
}

MNP_INLINE int64_t mnp_vectors_used(const mnp_basis_params &p)
{
    const int64_t limit = p.limit ? (int64_t) * (const double *)p.limit : p.vectors;
    return limit < p.vectors ? limit : p.vectors;
}

MNP_INLINE const mnp_t *mnp_vector(const mnp_basis_params &p, int64_t k)
{
    return ((const mnp_t *const *)p.basis)[k];
}

#if MNP_DOTS

/* The coefficients k .. k + MNP_AT_ONCE, of which there are `many`, of this worker's elements. */
#if MNP_CUDA
MNP_INLINE void mnp_dots(const mnp_basis_params &p, mnp_worker w, int64_t k, int many, mnp_w *sums)
{
    const mnp_t *const x = (const mnp_t *)p.vector;
    for (int64_t i = w.first_thread(); i < p.count; i += w.all_threads()) {
        const mnp_w right = mnp_widen<mnp_w>(x[i]);
#pragma unroll
        for (int j = 0; j < MNP_AT_ONCE; j++)
            if (j < many)
                sums[j] += conjugate(mnp_widen<mnp_w>(mnp_vector(p, k + j)[i])) * right;
    }
}
#else
static mnp_w mnp_piece(const mnp_t *v, const mnp_t *x, int64_t count)
{
    mnp_w lane[MNP_LANES], sum = mnp_number_of<mnp_w>::from(0);
    int64_t from = 0;
    memset(lane, 0, sizeof lane);
    for (; from + MNP_LANES <= count; from += MNP_LANES)
        for (int j = 0; j < MNP_LANES; j++)
            lane[j] += conjugate(mnp_widen<mnp_w>(v[from + j])) * mnp_widen<mnp_w>(x[from + j]);
    for (int j = 0; from + j < count; j++)
        lane[j] += conjugate(mnp_widen<mnp_w>(v[from + j])) * mnp_widen<mnp_w>(x[from + j]);
    for (int j = 0; j < MNP_LANES; j++)
        sum += lane[j];
    return sum;
}

MNP_INLINE void mnp_dots(const mnp_basis_params &p, mnp_worker w, int64_t k, int many, mnp_w *sums)
{
    const mnp_t *const x = (const mnp_t *)p.vector;
    const int64_t begin = mnp_share_begin(p.count, w.worker, w.workers);
    const int64_t end = mnp_share_begin(p.count, w.worker + 1, w.workers);
    for (int64_t from = begin; from < end; from += MNP_PIECE) {
        const int64_t count = end - from < MNP_PIECE ? end - from : MNP_PIECE;
        for (int j = 0; j < many; j++)
            sums[j] += mnp_piece(mnp_vector(p, k + j) + from, x + from, count);
    }
}
#endif

/*
 * Groups of vectors one after the other, each with a count of arrivals of its own, as nobody waits for the others.
 */
MNP_KERNEL(mnp_basis, mnp_basis_params)
{
    if (mnp_is_over(p))
        return;
    MNP_WORKER(w);
    const int64_t used = mnp_vectors_used(p);
    for (int64_t k = 0, group = 0; k < used; k += MNP_AT_ONCE, group++) {
        const int many = used - k < MNP_AT_ONCE ? (int)(used - k) : (int)MNP_AT_ONCE;
        mnp_w sums[MNP_AT_ONCE];
        for (int j = 0; j < MNP_AT_ONCE; j++)
            sums[j] = mnp_number_of<mnp_w>::from(0);
        mnp_dots(p, w, k, many, sums);
        mnp_w *const partials = (mnp_w *)p.partials + group * MNP_AT_ONCE * MNP_STEP_WORKERS;
        if (mnp_join<MNP_AT_ONCE>(w, sums, partials, (unsigned *)p.arrived + group))
            for (int j = 0; j < many; j++)
                ((mnp_w *)p.coefficients)[k + j] = sums[j];
    }
}

#else

#if MNP_CUDA
MNP_KERNEL(mnp_basis, mnp_basis_params)
{
    if (mnp_is_over(p))
        return;
    const int64_t used = mnp_vectors_used(p);
    mnp_t *const x = (mnp_t *)p.vector;
    for MNP_RANGE (i, p.count) {
        mnp_t sum = p.add ? x[i] : mnp_number_of<mnp_t>::from(0);
        for (int64_t k = 0; k < used; k++) {
            const mnp_t c = mnp_narrow<mnp_t>(((const mnp_w *)p.coefficients)[k]);
            sum += mnp_number_of<mnp_t>::from(p.sign) * c * mnp_vector(p, k)[i];
        }
        x[i] = sum;
    }
}
#else
static void mnp_add_piece(mnp_t c, const mnp_t *v, mnp_t *x, int64_t count)
{
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; i++) x[i] = x[i] + c * v[i];
}

MNP_KERNEL(mnp_basis, mnp_basis_params)
{
    if (mnp_is_over(p))
        return;
    const int64_t used = mnp_vectors_used(p), end = mnp_share_begin(p.count, worker + 1, workers);
    for (int64_t from = mnp_share_begin(p.count, worker, workers); from < end; from += MNP_PIECE) {
        const int64_t count = end - from < MNP_PIECE ? end - from : MNP_PIECE;
        mnp_t *const x = (mnp_t *)p.vector + from;
        if (!p.add)
            memset(x, 0, count * sizeof *x);
        for (int64_t k = 0; k < used; k++) {
            const mnp_t c = mnp_narrow<mnp_t>(((const mnp_w *)p.coefficients)[k]);
            mnp_add_piece(mnp_number_of<mnp_t>::from(p.sign) * c, mnp_vector(p, k) + from, x, count);
        }
    }
}
#endif

#endif
