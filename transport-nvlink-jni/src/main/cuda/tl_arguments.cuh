/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * The one argument of each kernel, by value: plain fields of natural alignment. Java writes them by the offsets in
 * dev.transload.transport.nvlink.internal.kernels.KernelArguments, which states the same layouts. Addresses are those of the
 * device; lists and tables have the layouts of RowList and RowTable.
 */

#ifndef TL_ARGUMENTS_CUH
#define TL_ARGUMENTS_CUH

#include "tl_device.cuh"

#ifdef __cplusplus
#define TL_ASSERT_BYTES(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#else
#define TL_ASSERT_BYTES(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#endif

/* The last block that is done writes value to word, unless that is 0; counter is 0 before and after each launch. */
struct tl_completion
{
    uint64_t word;
    uint64_t value;
    uint64_t counter;
};

/* tl_put_rows: count rows of rowLength bytes, from source + entry.source to target + entry.target. */
struct tl_put_rows_arguments
{
    struct tl_completion completion;
    uint64_t entries;
    uint64_t count;
    uint64_t row_length;
    uint64_t source;
    uint64_t target;
};

TL_ASSERT_BYTES(struct tl_put_rows_arguments, 64);

enum
{
    TL_MOST_PARTS = 16
};

/* A part of tl_put_rows_parts: rows as those of tl_put_rows; neither count nor length is 0. */
struct tl_part
{
    uint64_t entries;
    uint64_t count;
    uint64_t row_length;
    uint64_t source;
    uint64_t target;
};

/* tl_put_rows_parts: parts that neither read nor write what another one writes. */
struct tl_put_rows_parts_arguments
{
    struct tl_completion completion;
    uint64_t parts;
    struct tl_part part[TL_MOST_PARTS];
};

TL_ASSERT_BYTES(struct tl_put_rows_parts_arguments, 672);

/* tl_zero_rows: the target rows of the entries become zero bytes. */
struct tl_zero_rows_arguments
{
    struct tl_completion completion;
    uint64_t entries;
    uint64_t count;
    uint64_t row_length;
    uint64_t target;
};

TL_ASSERT_BYTES(struct tl_zero_rows_arguments, 56);

/* tl_put: bytes from one range to another, which do not overlap. */
struct tl_put_arguments
{
    struct tl_completion completion;
    uint64_t source;
    uint64_t target;
    uint64_t bytes;
};

TL_ASSERT_BYTES(struct tl_put_arguments, 48);

/* tl_add64: one addition to an aligned word of device memory. */
struct tl_add64_arguments
{
    struct tl_completion completion;
    uint64_t word;
    uint64_t delta;
};

TL_ASSERT_BYTES(struct tl_add64_arguments, 40);

enum
{
    TL_INLINE_REGIONS = 16,
    TL_TARGET_F32 = 1,
    TL_PART_F32 = 2,
    TL_WEIGHTED = 4,
    TL_UNALIGNED = 8
};

/* Of the stride of a source region: its rows are F32. */
#define TL_STRIDE_F32 (1ull << 63)

/* Row r of a region begins at base + r * stride, without the mark. */
struct tl_region
{
    uint64_t base;
    uint64_t stride;
};

/*
 * tl_reduce_rows: sums into count rows of a table, from the first at rows on, see tl_reduce.cuh; tl_reduce_parted_rows:
 * the same with parts; tl_reduce_any_rows: any ones, with TL_UNALIGNED where some address is no multiple of 16. entries
 * and weights are those of the whole table; there are no weights without TL_WEIGHTED. Source regions are region[i], or
 * at regions if that is not 0. bias0 and bias1 are 0 where there is none.
 */
struct tl_reduce_rows_arguments
{
    struct tl_completion completion;
    uint64_t rows;
    uint64_t entries;
    uint64_t weights;
    uint64_t regions;
    struct tl_region target;
    uint64_t bias0;
    uint64_t bias1;
    uint64_t bias_stride;
    uint32_t count;
    uint32_t hidden;
    uint32_t flags;
    uint32_t unused;
    struct tl_region region[TL_INLINE_REGIONS];
};

TL_ASSERT_BYTES(struct tl_reduce_rows_arguments, 368);

enum
{
    TL_PLANES = 2
};

/* Where the rows of a plane are. */
struct tl_plane
{
    struct tl_region source;
    uint64_t row_length;
};

/* Where the rows of all planes go. */
struct tl_target
{
    struct tl_region plane[TL_PLANES];
};

/*
 * tl_scatter_rows: copies count rows of a table, from the first at rows on, to all of their entries; rows and scales
 * are planes of their own, of row length 0 where there are none. entries are those of the whole table. Target regions
 * are target[i], or at targets if that is not 0. If near_blocks is not 0, so many blocks write to the regions whose bits
 * are set in near, and the others write to the other regions; then all regions are target[i].
 */
struct tl_scatter_rows_arguments
{
    struct tl_completion completion;
    uint64_t rows;
    uint64_t entries;
    uint64_t targets;
    uint64_t count;
    uint32_t near;
    uint32_t near_blocks;
    struct tl_plane plane[TL_PLANES];
    struct tl_target target[TL_INLINE_REGIONS];
};

TL_ASSERT_BYTES(struct tl_scatter_rows_arguments, 624);

/*
 * tl_quantize_rows and tl_dequantize_rows: scales + scale entry is where a row's scales go to or come from; both lists
 * begin with the first row. power_of_two is 1 or 0, and means nothing to tl_dequantize_rows.
 */
struct tl_cast_rows_arguments
{
    struct tl_completion completion;
    uint64_t entries;
    uint64_t scale_entries;
    uint64_t source;
    uint64_t target;
    uint64_t scales;
    uint32_t count;
    uint32_t hidden;
    uint32_t power_of_two;
    uint32_t unused;
};

TL_ASSERT_BYTES(struct tl_cast_rows_arguments, 80);

#ifdef __CUDA_ARCH__
/*
 * By one thread of each block: whether it is that of the last block. Blocks synchronize with each other here, by the
 * device's scope; what the last one then releases to the system releases what all blocks wrote, since causality is
 * transitive in the memory model of PTX.
 */
__device__ __forceinline__ bool tl_is_last(const struct tl_place *place, const uint64_t counter)
{
    uint32_t before = 0;
    if (place->blocks > 1)
    {
        asm volatile("atom.inc.acq_rel.gpu.global.u32 %0, [%1], %2;"
            : "=r"(before) : "l"(counter), "r"(place->blocks - 1) : "memory");
    }

    return before == place->blocks - 1;
}
#endif

/* To be called by all threads of a block, once they have no more to write. */
TL_FN void tl_complete(struct tl_place *place, const struct tl_completion *completion)
{
    if (0 == completion->word)
    {
        return;
    }

#ifdef __CUDA_ARCH__
    __syncthreads();
    if (0 == place->thread && tl_is_last(place, completion->counter))
    {
        asm volatile("st.release.sys.global.u64 [%0], %1;"
            :: "l"(completion->word), "l"(completion->value) : "memory");
    }
#else
    uint32_t *const counter = (uint32_t *)tl_at(place->memory, completion->counter, 4, 4);
    uint64_t *const word = (uint64_t *)tl_at(place->memory, completion->word, 8, 8);
    *counter = (*counter + 1) % place->blocks;
    if (0 == *counter)
    {
        __atomic_store_n(word, completion->value, __ATOMIC_RELEASE);
    }
#endif
}

#endif
