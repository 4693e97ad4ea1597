/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries that are loaded when they are first needed.
 *
 * A large library costs every process that is linked with it time and memory, also one that never calls it: NVRTC and
 * cuFFT take longer to load than a small command to run.  A file lists the functions that it needs,
 *
 *   #define FUNCTIONS(X) X(nvrtcVersion) X(nvrtcCompileProgram)
 *   static struct {
 *       FUNCTIONS(MNP__LIBRARY_FIELD)
 *   } nvrtc;
 *   static const char *const names[] = {FUNCTIONS(MNP__LIBRARY_NAME)};
 *
 * and calls them as nvrtc.nvrtcVersion(...) once they are loaded; the headers of the library give their types.
 */
#ifndef MNP__BASE_PROCESS_LIBRARY_H
#define MNP__BASE_PROCESS_LIBRARY_H

#include <maniple/base.h>

#define MNP__LIBRARY_FIELD(name) __typeof__(name) *name;
#define MNP__LIBRARY_NAME(name) #name,

/*
 * Load a library and find its functions, whose pointers are the struct `functions` in the order of their names; once
 * *library_p is set, that has been done.  Any threads may do so at the same time.  MNP_ERR_UNSUPPORTED: the library or
 * a function is missing.
 */
mnp_status mnp__library_load(void **library_p, const char *file, const char *const *names, int count, void *functions);

#endif
