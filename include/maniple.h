/*
 * Maniple: n-dimensional arrays spread in blocks over MPI ranks, one GPU a rank.
 *
 * This header is the whole public interface; docs/architecture.md has the ideas.
 */
#ifndef MANIPLE_H
#define MANIPLE_H

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/context.h>
#include <maniple/dtype.h>
#include <maniple/h5.h>
#include <maniple/layout.h>
#include <maniple/signal.h>

#endif
