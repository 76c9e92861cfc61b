/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * What a kernel's host twin sees of the emulator. A device address is not one that a CPU may look into: a twin turns
 * each address that it reads or writes into a pointer with tl_at, which checks it as the GPU would.
 */

#ifndef TRANSLOAD_EMULATOR_TWINS_H
#define TRANSLOAD_EMULATOR_TWINS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum
{
    TL_WINDOWS = 16
};

/* A range that this launch has already touched: host pointer = device address + delta. */
struct tl_window
{
    uint64_t base;
    uint64_t length;
    uint64_t delta;
};

/* The memory as one launch sees it. */
struct tl_memory
{
    struct tl_window windows[TL_WINDOWS];
    unsigned count;
};

/*
 * A kernel's twin: `run` does the work of all blocks and threads of a launch. It runs on a thread of the stream, and
 * must own nothing when it calls tl_at, which does not return from an address that the kernel may not touch.
 */
struct tl_twin
{
    const char *name;
    size_t argument_bytes;
    void (*run)(const void *arguments, unsigned blocks, unsigned threads, struct tl_memory *memory);
};

/* All twins; the last one's name is NULL. */
extern const struct tl_twin tl_twins[];

/* Does not return while tests have stopped the kernels of the device that this thread runs one of. */
void tl_stop_point(void);

/* As tl_at, for an address outside of the windows. Ends the kernel if the address is illegal or misaligned. */
void *tl_at_slow(struct tl_memory *memory, uint64_t address, size_t length, size_t alignment);

/*
 * The host pointer to `length` bytes at a device address. An address that the kernel's context may not touch ends the
 * kernel with CUDA_ERROR_ILLEGAL_ADDRESS, one that is no multiple of `alignment` (a power of two: the bytes of one
 * access) with CUDA_ERROR_MISALIGNED_ADDRESS. The pointer is good until the twin returns.
 */
static inline void *tl_at(struct tl_memory *memory, uint64_t address, size_t length, size_t alignment)
{
    if ((address & (alignment - 1)) == 0)
    {
        for (unsigned i = 0; i < memory->count; i++)
        {
            const struct tl_window *window = &memory->windows[i];
            const uint64_t offset = address - window->base;
            if (offset <= window->length && length <= window->length - offset)
            {
                return (void *)(uintptr_t)(address + window->delta);
            }
        }
    }
    return tl_at_slow(memory, address, length, alignment);
}

#ifdef __cplusplus
}
#endif

#endif
