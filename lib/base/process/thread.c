/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starting a thread.
 */
#include "base/process/thread.h"

#include <limits.h>
#include <signal.h>

bool mnp__thread_start(pthread_t *thread, size_t stack, void *(*run)(void *argument), void *argument)
{
    const size_t least = (size_t)PTHREAD_STACK_MIN;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_attr_setstacksize(&attributes, stack > least ? stack : least) == 0 &&
                         pthread_create(thread, &attributes, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
