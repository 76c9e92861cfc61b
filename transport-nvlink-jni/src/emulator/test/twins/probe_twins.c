/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Host twins of the kernels that the rules launch, in place of the project's own. */

#include <sched.h>

#include "../rules.h"

static void run_probe(const void *arguments, unsigned blocks, unsigned threads, struct tl_memory *memory)
{
    const struct probe *probe = arguments;
    (void)blocks;
    (void)threads;
    __atomic_store_n((uint64_t *)tl_at(memory, probe->address, 8, 8), probe->value, __ATOMIC_RELEASE);
}

static void run_hold(const void *arguments, unsigned blocks, unsigned threads, struct tl_memory *memory)
{
    const uint64_t *word = tl_at(memory, *(const uint64_t *)arguments, 8, 8);
    (void)blocks;
    (void)threads;
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
    {
        sched_yield();
    }
}

const struct tl_twin tl_twins[] = {
    {"tl_probe", sizeof(struct probe), run_probe},
    {"tl_hold", sizeof(uint64_t), run_hold},
    {NULL, 0, NULL}
};
