/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maniple: n-dimensional arrays that are distributed in blocks over MPI ranks, one GPU a rank.
 *
 * This header includes the whole public interface; docs/architecture.md explains the concepts.
 */
#ifndef MANIPLE_H
#define MANIPLE_H

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/channelize.h>
#include <maniple/clear.h>
#include <maniple/comm.h>
#include <maniple/context.h>
#include <maniple/create.h>
#include <maniple/deconvolution.h>
#include <maniple/decompositions.h>
#include <maniple/dtype.h>
#include <maniple/eigen.h>
#include <maniple/eval.h>
#include <maniple/fft.h>
#include <maniple/filter_design.h>
#include <maniple/filters.h>
#include <maniple/fits.h>
#include <maniple/graph.h>
#include <maniple/h5.h>
#include <maniple/h5_file.h>
#include <maniple/halo.h>
#include <maniple/histogram.h>
#include <maniple/interop.h>
#include <maniple/item.h>
#include <maniple/join.h>
#include <maniple/kernel.h>
#include <maniple/layout.h>
#include <maniple/linalg.h>
#include <maniple/lists.h>
#include <maniple/matrix_market.h>
#include <maniple/memory.h>
#include <maniple/mesh.h>
#include <maniple/ndimage.h>
#include <maniple/npy.h>
#include <maniple/peaks.h>
#include <maniple/random.h>
#include <maniple/redistribute.h>
#include <maniple/reduce.h>
#include <maniple/scan.h>
#include <maniple/select.h>
#include <maniple/sets.h>
#include <maniple/signal.h>
#include <maniple/solve.h>
#include <maniple/sort.h>
#include <maniple/sparse.h>
#include <maniple/spectral.h>
#include <maniple/statistics.h>
#include <maniple/tiff.h>
#include <maniple/ufunc.h>
#include <maniple/ufunc_methods.h>
#include <maniple/view.h>
#include <maniple/windows.h>

#endif
