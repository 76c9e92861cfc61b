/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * What the kernels are written in: the subset of C11 and CUDA C++ that both compilers take. A block is a sequence of
 * phases, each done by all its threads before the next one begins. The device runs a phase once a thread and meets at a
 * barrier; a host compiler turns it into a loop over the threads, which makes the kernel's host twin. All memory but
 * the arguments and the shared memory is read and written by the functions below.
 */

#ifndef TL_DEVICE_CUH
#define TL_DEVICE_CUH

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define TL_FN __host__ __device__ __forceinline__
#else
#define TL_FN static inline __attribute__((unused, always_inline))
#endif

#ifdef __CUDA_ARCH__
#define TL_EACH_THREAD(place)
#define TL_MEET() __syncthreads()
#define TL_UNROLL _Pragma("unroll")
#define TL_NO_UNROLL _Pragma("unroll 1")
#else
#define TL_EACH_THREAD(place) for ((place)->thread = 0; (place)->thread < (place)->threads; (place)->thread++)
#define TL_MEET()
#define TL_UNROLL
#define TL_NO_UNROLL
#endif

/* Keeps what hardly ever happens out of the way: a kernel that runs for microseconds waits for its own code. */
#define TL_RARELY(condition) (0 != __builtin_expect(0 != (condition), 0))

#define TL_WARP 32

/*
 * Of the host alone. Whoever includes this there has defined
 *     void *tl_at(struct tl_memory *memory, uint64_t address, size_t length, size_t alignment)
 * before: the pointer to memory of a device. It does not return from an address that the device would refuse.
 */
struct tl_memory;

/* Where in a launch the code runs; thread is set anew in each phase by the host. */
struct tl_place
{
    struct tl_memory *memory;
    uint32_t block;
    uint32_t blocks;
    uint32_t thread;
    uint32_t threads;
};

/* 16 bytes, the most that one instruction moves. */
struct tl_vector
{
    uint32_t word[4];
};

TL_FN uint64_t tl_low8(const struct tl_vector v)
{
    return (uint64_t)v.word[1] << 32 | v.word[0];
}

TL_FN uint64_t tl_high8(const struct tl_vector v)
{
    return (uint64_t)v.word[3] << 32 | v.word[2];
}

TL_FN uint32_t tl_lane(const struct tl_place *place)
{
    return place->thread % TL_WARP;
}

TL_FN uint32_t tl_warp(const struct tl_place *place)
{
    return place->thread / TL_WARP;
}

TL_FN uint32_t tl_warps(const struct tl_place *place)
{
    return place->threads / TL_WARP;
}

TL_FN uint64_t tl_least(const uint64_t a, const uint64_t b)
{
    return a < b ? a : b;
}

/* First of this block's units, where all blocks share them in order; that of the next block is behind its last. */
TL_FN uint64_t tl_first_unit(const uint64_t units, const uint32_t block, const uint32_t blocks)
{
    return units / blocks * block + units % blocks * block / blocks;
}

/* The same of units whose number times that of the blocks has 32 bits: without the long divisions. */
TL_FN uint32_t tl_first_of_few(const uint32_t units, const uint32_t block, const uint32_t blocks)
{
    return units * block / blocks;
}

#ifdef __CUDA_ARCH__

/* Rows pass once: they stay out of the first-level cache. */
TL_FN struct tl_vector tl_load16(const struct tl_place *, const uint64_t address)
{
    struct tl_vector v;
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) : "l"(address) : "memory");
    return v;
}

/* For memory that nobody writes while the kernel runs; the compiler may move these loads ahead of stores. */
TL_FN struct tl_vector tl_load16_constant(const struct tl_place *, const uint64_t address)
{
    struct tl_vector v;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) : "l"(address));
    return v;
}

TL_FN void tl_store16(const struct tl_place *, const uint64_t address, const struct tl_vector v)
{
    asm volatile("st.global.L1::no_allocate.v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(address), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]) : "memory");
}

TL_FN uint64_t tl_load8(const struct tl_place *, const uint64_t address)
{
    return *(const volatile uint64_t *)address;
}

TL_FN void tl_store8(const struct tl_place *, const uint64_t address, const uint64_t value)
{
    *(volatile uint64_t *)address = value;
}

TL_FN uint32_t tl_load4(const struct tl_place *, const uint64_t address)
{
    return *(const volatile uint32_t *)address;
}

TL_FN void tl_store4(const struct tl_place *, const uint64_t address, const uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

TL_FN uint8_t tl_load1(const struct tl_place *, const uint64_t address)
{
    return *(const volatile uint8_t *)address;
}

TL_FN void tl_store1(const struct tl_place *, const uint64_t address, const uint8_t value)
{
    *(volatile uint8_t *)address = value;
}

/* Atomic among all processors and devices that add to this word of device memory. */
TL_FN void tl_add8(const struct tl_place *, const uint64_t address, const uint64_t delta)
{
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" :: "l"(address), "l"(delta) : "memory");
}

#else

#define TL_POINTER(type, place, address) \
    ((type *)tl_at((place)->memory, (address), sizeof(type), sizeof(type)))

#define TL_LOAD(type, name) \
    TL_FN type name(const struct tl_place *place, const uint64_t address) \
    { \
        return *TL_POINTER(type, place, address); \
    }

#define TL_STORE(type, name) \
    TL_FN void name(const struct tl_place *place, const uint64_t address, const type value) \
    { \
        *TL_POINTER(type, place, address) = value; \
    }

TL_LOAD(struct tl_vector, tl_load16)
TL_LOAD(struct tl_vector, tl_load16_constant)
TL_LOAD(uint32_t, tl_load4)
TL_LOAD(uint8_t, tl_load1)
TL_STORE(struct tl_vector, tl_store16)
TL_STORE(uint32_t, tl_store4)
TL_STORE(uint8_t, tl_store1)

/* Words that a peer may poll or add to while they are copied. */
TL_FN uint64_t tl_load8(const struct tl_place *place, const uint64_t address)
{
    return __atomic_load_n(TL_POINTER(uint64_t, place, address), __ATOMIC_RELAXED);
}

TL_FN void tl_store8(const struct tl_place *place, const uint64_t address, const uint64_t value)
{
    __atomic_store_n(TL_POINTER(uint64_t, place, address), value, __ATOMIC_RELAXED);
}

TL_FN void tl_add8(const struct tl_place *place, const uint64_t address, const uint64_t delta)
{
    __atomic_fetch_add(TL_POINTER(uint64_t, place, address), delta, __ATOMIC_RELAXED);
}

#undef TL_LOAD
#undef TL_STORE
#undef TL_POINTER

#endif

/* At most 8 bytes at any address; loops, since hardly any row is unaligned and their code would be most of a kernel. */
TL_FN uint64_t tl_load_bytes(const struct tl_place *place, const uint64_t address, const uint32_t bytes)
{
    uint64_t value = 0;
    TL_NO_UNROLL
    for (uint32_t i = 0; i < bytes; i++)
    {
        value |= (uint64_t)tl_load1(place, address + i) << (8 * i);
    }

    return value;
}

TL_FN void tl_store_bytes(
    const struct tl_place *place, const uint64_t address, const uint64_t value, const uint32_t bytes)
{
    TL_NO_UNROLL
    for (uint32_t i = 0; i < bytes; i++)
    {
        tl_store1(place, address + i, (uint8_t)(value >> (8 * i)));
    }
}

TL_FN uint64_t tl_load8_anywhere(const struct tl_place *place, const uint64_t address)
{
    return 0 == address % 8 ? tl_load8(place, address) : tl_load_bytes(place, address, 8);
}

TL_FN void tl_store8_anywhere(const struct tl_place *place, const uint64_t address, const uint64_t value)
{
    if (0 == address % 8)
    {
        tl_store8(place, address, value);
    }
    else
    {
        tl_store_bytes(place, address, value, 8);
    }
}

TL_FN uint32_t tl_load4_anywhere(const struct tl_place *place, const uint64_t address)
{
    return 0 == address % 4 ? tl_load4(place, address) : (uint32_t)tl_load_bytes(place, address, 4);
}

TL_FN void tl_store4_anywhere(const struct tl_place *place, const uint64_t address, const uint32_t value)
{
    if (0 == address % 4)
    {
        tl_store4(place, address, value);
    }
    else
    {
        tl_store_bytes(place, address, value, 4);
    }
}

TL_FN struct tl_vector tl_load16_anywhere(const struct tl_place *place, const uint64_t address)
{
    if (0 == address % 16)
    {
        return tl_load16(place, address);
    }

    const uint64_t low = tl_load8_anywhere(place, address);
    const uint64_t high = tl_load8_anywhere(place, address + 8);
    const struct tl_vector v =
        {{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
    return v;
}

TL_FN void tl_store16_anywhere(const struct tl_place *place, const uint64_t address, const struct tl_vector v)
{
    if (0 == address % 16)
    {
        tl_store16(place, address, v);
    }
    else
    {
        tl_store8_anywhere(place, address, tl_low8(v));
        tl_store8_anywhere(place, address + 8, tl_high8(v));
    }
}

#endif
