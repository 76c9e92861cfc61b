/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What kernels need that wait for something: words that others write meanwhile, and the time. */

#ifndef TL_WAIT_CUH
#define TL_WAIT_CUH

#include "tl_device.cuh"

#ifdef __CUDA_ARCH__

TL_FN uint64_t tl_poll8(const struct tl_place *, const uint64_t address)
{
    uint64_t value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
}

/* For the other blocks of the launch; what this thread has polled before is theirs, too. */
TL_FN void tl_release8(const struct tl_place *, const uint64_t address, const uint64_t value)
{
    asm volatile("st.release.gpu.global.u64 [%0], %1;" :: "l"(address), "l"(value) : "memory");
}

/* What another block of the launch has released. */
TL_FN uint64_t tl_acquire8(const struct tl_place *, const uint64_t address)
{
    uint64_t value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
}

/* A word that another processor or device stores whole; it says nothing of other memory without a fence behind. */
TL_FN uint64_t tl_look8(const struct tl_place *, const uint64_t address)
{
    uint64_t value;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
}

/* For another processor or device; whole, but behind nothing without a fence ahead. */
TL_FN void tl_tell8(const struct tl_place *, const uint64_t address, const uint64_t value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" :: "l"(address), "l"(value) : "memory");
}

/* Between what this block has stored, or looked at, and what this thread tells, or reads. */
TL_FN void tl_fence_system(void)
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* Whether this thread is the one that changes a word of this device. */
TL_FN int tl_claim4(const struct tl_place *, const uint64_t address, const uint32_t from, const uint32_t to)
{
    return from == atomicCAS((unsigned int *)address, from, to);
}

TL_FN int tl_claim8(const struct tl_place *, const uint64_t address, const uint64_t from, const uint64_t to)
{
    return from == atomicCAS((unsigned long long *)address, (unsigned long long)from, (unsigned long long)to);
}

TL_FN void tl_count4(const struct tl_place *, const uint64_t address, const uint32_t count)
{
    atomicAdd((unsigned int *)address, count);
}

/* In shared memory. */
TL_FN void tl_add_shared(uint32_t *word, const uint32_t count)
{
    atomicAdd(word, count);
}

TL_FN uint64_t tl_now_ns(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now) :: "memory");
    return now;
}

/* Between two looks: a device has nothing else to do. */
TL_FN void tl_rest(void)
{
}

#else

#include <time.h>

TL_FN uint64_t tl_poll8(const struct tl_place *place, const uint64_t address)
{
    return __atomic_load_n((uint64_t *)tl_at(place->memory, address, 8, 8), __ATOMIC_ACQUIRE);
}

/* Blocks of a twin run in turn, on one thread. */
TL_FN void tl_release8(const struct tl_place *place, const uint64_t address, const uint64_t value)
{
    *(uint64_t *)tl_at(place->memory, address, 8, 8) = value;
}

TL_FN uint64_t tl_acquire8(const struct tl_place *place, const uint64_t address)
{
    return *(const uint64_t *)tl_at(place->memory, address, 8, 8);
}

TL_FN uint64_t tl_look8(const struct tl_place *place, const uint64_t address)
{
    return __atomic_load_n((uint64_t *)tl_at(place->memory, address, 8, 8), __ATOMIC_ACQUIRE);
}

TL_FN void tl_tell8(const struct tl_place *place, const uint64_t address, const uint64_t value)
{
    __atomic_store_n((uint64_t *)tl_at(place->memory, address, 8, 8), value, __ATOMIC_RELEASE);
}

TL_FN void tl_fence_system(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

TL_FN int tl_claim4(const struct tl_place *place, const uint64_t address, const uint32_t from, const uint32_t to)
{
    uint32_t expected = from;
    return __atomic_compare_exchange_n((uint32_t *)tl_at(place->memory, address, 4, 4), &expected, to, 0,
        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

TL_FN int tl_claim8(const struct tl_place *place, const uint64_t address, const uint64_t from, const uint64_t to)
{
    uint64_t expected = from;
    return __atomic_compare_exchange_n((uint64_t *)tl_at(place->memory, address, 8, 8), &expected, to, 0,
        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

TL_FN void tl_count4(const struct tl_place *place, const uint64_t address, const uint32_t count)
{
    __atomic_fetch_add((uint32_t *)tl_at(place->memory, address, 4, 4), count, __ATOMIC_RELAXED);
}

TL_FN void tl_add_shared(uint32_t *word, const uint32_t count)
{
    *word += count;
}

TL_FN uint64_t tl_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Others need the processor to bring about what is waited for. */
TL_FN void tl_rest(void)
{
    const struct timespec time = {0, 20000};
    nanosleep(&time, NULL);
}

#endif

#endif
