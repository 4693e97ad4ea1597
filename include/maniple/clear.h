/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One word for the end of any object.
 */
#ifndef MANIPLE_CLEAR_H
#define MANIPLE_CLEAR_H

#include <maniple/array.h>
#include <maniple/comm.h>
#include <maniple/context.h>
#include <maniple/fft.h>
#include <maniple/graph.h>
#include <maniple/h5_file.h>
#include <maniple/halo.h>
#include <maniple/kernel.h>
#include <maniple/layout.h>
#include <maniple/mesh.h>
#include <maniple/random.h>
#include <maniple/redistribute.h>
#include <maniple/reduce.h>
#include <maniple/signal.h>
#include <maniple/solve.h>
#include <maniple/sparse.h>

/* All types of objects: X(name, the function that releases an mnp_name) */
#define MNP_OBJECTS(X)                                                                                                 \
    X(array, mnp_array_free)                                                                                           \
    X(comm, mnp_comm_free)                                                                                             \
    X(conv_plan, mnp_conv_plan_free)                                                                                   \
    X(ctx, mnp_finalize)                                                                                               \
    X(elementwise, mnp_elementwise_free)                                                                               \
    X(event, mnp_event_free)                                                                                           \
    X(fft_plan, mnp_fft_plan_free)                                                                                     \
    X(graph, mnp_graph_free)                                                                                           \
    X(h5_file, mnp_h5_file_close)                                                                                      \
    X(halo, mnp_halo_free)                                                                                             \
    X(layout, mnp_layout_free)                                                                                         \
    X(mesh, mnp_mesh_free)                                                                                             \
    X(operator, mnp_operator_free)                                                                                     \
    X(plan, mnp_plan_free)                                                                                             \
    X(precond, mnp_precond_free)                                                                                       \
    X(raw_module, mnp_raw_module_free)                                                                                 \
    X(reduction, mnp_reduction_free)                                                                                   \
    X(rng, mnp_rng_free)                                                                                               \
    X(sparse, mnp_sparse_free)                                                                                         \
    X(triangular, mnp_triangular_free)

/*
 * mnp_clear(&x): release an object of any of these types, and set the variable to NULL; nothing happens if it is NULL
 * already.  Collective if that function is.  Where ranks release arrays at different times, there is mnp_array_drop().
 */
#ifdef __cplusplus
#define MNP_CLEAR_(name, release)                                                                                      \
    inline void mnp_clear(mnp_##name **object_p)                                                                       \
    {                                                                                                                  \
        release(*object_p);                                                                                            \
        *object_p = nullptr;                                                                                           \
    }
MNP_OBJECTS(MNP_CLEAR_)
#undef MNP_CLEAR_
#else
#define MNP_CLEAR_(name, release)                                                                                      \
    static inline void mnp_clear_##name(mnp_##name **object_p)                                                         \
    {                                                                                                                  \
        release(*object_p);                                                                                            \
        *object_p = 0;                                                                                                 \
    }
MNP_OBJECTS(MNP_CLEAR_)
#undef MNP_CLEAR_
#define MNP_CLEAR_CASE_(name, release) , mnp_##name ** : mnp_clear_##name
#define mnp_clear(object_p) _Generic((object_p)MNP_OBJECTS(MNP_CLEAR_CASE_))(object_p)
#endif

#endif
