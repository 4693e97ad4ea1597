/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the library, which get no signals: those are the program's.
 */
#ifndef MNP__THREAD_H
#define MNP__THREAD_H

#include <stdbool.h>
#include <stddef.h>

#include <pthread.h>

/* Start a thread with a stack of at least so many bytes; false where there can be none. */
bool mnp__thread_start(pthread_t *thread, size_t stack, void *(*run)(void *argument), void *argument);

#endif
