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
