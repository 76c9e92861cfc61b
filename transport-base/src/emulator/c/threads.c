/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The lock, threads of an emulator, and delays of random length before what they do. */

#define _GNU_SOURCE

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "emulation.h"

pthread_mutex_t tl_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t tl_changed = PTHREAD_COND_INITIALIZER;

void tl_wait_for_change(void)
{
    pthread_cond_wait(&tl_changed, &tl_lock);
}

bool tl_thread_start(void *(*work)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int failed = pthread_create(&thread, &attributes, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed == 0;
}

uint64_t tl_random_seed(uint64_t number)
{
    return (tl_setting("SEED", 1, 0, UINT32_MAX) + number) * 0x9e3779b97f4a7c15 | 1;
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

void tl_delay(uint64_t *random, uint64_t most_us)
{
    static _Thread_local bool is_exact;
    if (!is_exact)
    {
        /* Without it the system adds 50 us to every delay, which makes it no more random. */
        prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
        is_exact = true;
    }
    if (most_us > 0)
    {
        const uint64_t us = next_random(random) % (most_us + 1);
        const struct timespec time = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000};
        nanosleep(&time, NULL);
    }
}
