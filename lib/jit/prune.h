/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaving out of a kernel's text the functions and structures that it does not need; see prune.c. */
#ifndef MNP__JIT_PRUNE_H
#define MNP__JIT_PRUNE_H

#include <stddef.h>

#include <maniple/base.h>

#include "base/text.h"

/*
 * Shorten a text that is whole.  What stands from `generated_begin` to `generated_end`, both the beginnings of lines,
 * is kept as it is.  MNP_ERR_MEMORY.
 */
mnp_status mnp__jit_prune(mnp__text *text, size_t generated_begin, size_t generated_end);

#endif
