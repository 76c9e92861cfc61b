/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/*
 * What a C compiler makes of the loops of the host row kernels: the bound that RowKernelsBenchmark is measured against.
 * Same arithmetic, same rows in the same order, 8 sources a sum, hidden 7168. Prints "<kernel> <set> <rows per second>"
 * where a row is what one group or one cast row yields and a second is one of the thread's CPU time.
 * Build: cc -O3 -march=native -ffp-contract=off row_kernels.c -lm
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HIDDEN = 7168, SOURCES = 8, GROUP = 128, SCALES = HIDDEN / GROUP, BATCH = 64, ROW_BYTES = HIDDEN * 2 };
enum { HOT_ROWS = 8, SAMPLES = 5 };
static const size_t COLD_BYTES = (size_t)1 << 30;
static const double SAMPLE_SECONDS = 0.3;

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float even(uint32_t pair)
{
    return float_of(pair << 16);
}

static inline float odd(uint32_t pair)
{
    return float_of(pair & 0xFFFF0000u);
}

static inline uint32_t to_bf16(float value)
{
    const uint32_t bits = bits_of(value);
    const uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : rounded;
}

static inline uint32_t to_e4m3(float value)
{
    const uint32_t bits = bits_of(value);
    const uint32_t sign = bits >> 24 & 0x80u;
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    const int32_t normal = (int32_t)((magnitude + 0x7FFFFu + (magnitude >> 20 & 1u)) >> 20) - 960;
    const int32_t subnormal = (int32_t)(bits_of(float_of(magnitude) + 16384.0f) - 0x46800000u);
    const int32_t saturated = normal < 0x7E ? normal : 0x7E;
    const uint32_t code = sign | (uint32_t)(magnitude < 0x3C800000u ? subnormal : saturated);
    return magnitude > 0x7F800000u ? 0x7Fu : code;
}

/* Eight named pointers, so that the compiler keeps the sum in registers: the best form of this loop. */
#define ROWS(i) \
    const uint32_t *const r##i = (const uint32_t *)rows[i]
#define ALL_ROWS ROWS(0); ROWS(1); ROWS(2); ROWS(3); ROWS(4); ROWS(5); ROWS(6); ROWS(7)

__attribute__((noinline)) static void reduce(const uint8_t *const *rows, uint8_t *out)
{
    uint32_t *restrict const target = (uint32_t *)out;
    ALL_ROWS;
    for (int i = 0; i < HIDDEN / 2; i++)
    {
        float e = 0.0f;
        float o = 0.0f;
#define ADD(k) e += even(r##k[i]); o += odd(r##k[i])
        ADD(0); ADD(1); ADD(2); ADD(3); ADD(4); ADD(5); ADD(6); ADD(7);
        target[i] = to_bf16(e) | to_bf16(o) << 16;
    }
}

__attribute__((noinline)) static void weighted_sum(const uint8_t *const *rows, const float *weights, uint8_t *out)
{
    uint32_t *restrict const target = (uint32_t *)out;
    const float w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    const float w4 = weights[4], w5 = weights[5], w6 = weights[6], w7 = weights[7];
    ALL_ROWS;
    for (int i = 0; i < HIDDEN / 2; i++)
    {
        float e = 0.0f;
        float o = 0.0f;
#define FMA(k) e = fmaf(w##k, even(r##k[i]), e); o = fmaf(w##k, odd(r##k[i]), o)
        FMA(0); FMA(1); FMA(2); FMA(3); FMA(4); FMA(5); FMA(6); FMA(7);
        target[i] = to_bf16(e) | to_bf16(o) << 16;
    }
}

__attribute__((noinline)) static void quantize(const uint8_t *row, uint8_t *codes, float *scales)
{
    for (int group = 0; group < SCALES; group++)
    {
        const uint32_t *const source = (const uint32_t *)(row + (size_t)group * GROUP * 2);
        uint16_t *restrict const target = (uint16_t *)(codes + (size_t)group * GROUP);
        int32_t largest = 0;
        for (int i = 0; i < GROUP / 2; i++)
        {
            const int32_t a = (int32_t)(source[i] & 0x7FFFu);
            const int32_t b = (int32_t)(source[i] >> 16 & 0x7FFFu);
            largest = largest > a ? largest : a;
            largest = largest > b ? largest : b;
        }

        const float magnitude = even((uint32_t)largest);
        const float amax = magnitude < 1e-4f ? 1e-4f : magnitude;
        const float factor = 448.0f / amax;
        scales[group] = amax * (1.0f / 448.0f);
        for (int i = 0; i < GROUP / 2; i++)
        {
            target[i] = (uint16_t)(to_e4m3(even(source[i]) * factor) | to_e4m3(odd(source[i]) * factor) << 8);
        }
    }
}

struct set
{
    const char *name;
    uint8_t *rows;
    uint8_t *targets;
    float *scales;
    uint32_t count;
};

/* Of this thread: what other programs take from the machine does not count. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint32_t next_row(uint64_t *state, uint32_t count)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % count);
}

static void run_batch(int kernel, const struct set *set, uint64_t *state)
{
    static const float weights[SOURCES] = {0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f, 1.0f};
    for (int i = 0; i < BATCH; i++)
    {
        if (kernel == 2)
        {
            const size_t row = next_row(state, set->count);
            quantize(set->rows + row * ROW_BYTES, set->targets + row * HIDDEN, set->scales + row * SCALES);
        }
        else
        {
            const uint8_t *rows[SOURCES];
            for (int s = 0; s < SOURCES; s++)
            {
                rows[s] = set->rows + (size_t)next_row(state, set->count) * ROW_BYTES;
            }
            uint8_t *const target = set->targets + (size_t)(next_row(state, set->count) / 2) * ROW_BYTES;
            kernel == 0 ? reduce(rows, target) : weighted_sum(rows, weights, target);
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double rows_per_second(int kernel, const struct set *set)
{
    double samples[SAMPLES];
    uint64_t state = 1;
    run_batch(kernel, set, &state);
    for (int sample = 0; sample < SAMPLES; sample++)
    {
        const double start = seconds();
        double elapsed;
        long rows = 0;
        do
        {
            run_batch(kernel, set, &state);
            rows += BATCH;
            elapsed = seconds() - start;
        }
        while (elapsed < SAMPLE_SECONDS);
        samples[sample] = (double)rows / elapsed;
    }
    qsort(samples, SAMPLES, sizeof *samples, ascending);
    return samples[SAMPLES / 2];
}

static struct set new_set(const char *name, uint32_t count)
{
    struct set set = {name, NULL, NULL, NULL, count};
    const size_t bytes = ((size_t)count * ROW_BYTES + 4095) / 4096 * 4096;
    set.rows = aligned_alloc(4096, bytes);
    set.targets = aligned_alloc(4096, bytes);
    set.scales = malloc((size_t)count * SCALES * sizeof(float));
    if (set.rows == NULL || set.targets == NULL || set.scales == NULL)
    {
        fprintf(stderr, "no memory for %u rows\n", count);
        exit(1);
    }

    uint64_t state = 7;
    uint16_t *const values = (uint16_t *)set.rows;
    for (size_t i = 0; i < (size_t)count * HIDDEN; i++)
    {
        values[i] = (uint16_t)to_bf16((float)next_row(&state, 2001) / 1000.0f - 1.0f);
    }
    memset(set.targets, 0, bytes);
    memset(set.scales, 0, (size_t)count * SCALES * sizeof(float));
    return set;
}

int main(void)
{
    static const char *const kernels[] = {"reduce", "weightedSum", "quantize"};
    const struct set sets[] = {new_set("hot", HOT_ROWS), new_set("cold", (uint32_t)(COLD_BYTES / ROW_BYTES))};
    for (int kernel = 0; kernel < 3; kernel++)
    {
        for (int s = 0; s < 2; s++)
        {
            printf("%s %s %.0f\n", kernels[kernel], sets[s].name, rows_per_second(kernel, &sets[s]));
            fflush(stdout);
        }
    }
    return 0;
}
