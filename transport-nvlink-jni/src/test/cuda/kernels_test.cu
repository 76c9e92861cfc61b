/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Runs the shipped PTX on a GPU and the kernels' host twins on the same random and special values, and compares all
 * bytes of the targets; then measures copies and sums, with a second GPU over the link too.
 *     nvcc -O2 -arch=sm_90 -std=c++17 -fmad=false -Xcompiler -ffp-contract=off -diag-suppress 177 \
 *         -I src/main/cuda -o kernels_test src/test/cuda/kernels_test.cu
 *     kernels_test …/transload_kernels.ptx
 * Exit codes: 0 the same bytes; 1 other bytes or an error of CUDA.
 */

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

/* The twins see host memory as it is. */
static inline void *tl_at(struct tl_memory *, uint64_t address, size_t, size_t)
{
    return (void *)address;
}

#include "tl_cast.cuh"
#include "tl_copy.cuh"
#include "tl_reduce.cuh"
#include "tl_scatter.cuh"

#include "kernels_bench.cuh"

namespace
{

std::mt19937_64 dice(20261121);

uint64_t below(const uint64_t bound)
{
    return dice() % bound;
}

/* The same bytes on the host, for the twin, and on the device. */
struct Memory
{
    std::vector<char> host;
    char *device = nullptr;

    explicit Memory(const size_t bytes) : host(bytes + 256)
    {
        for (char &byte : host)
        {
            byte = (char)dice();
        }

        CHECK(cudaMalloc(&device, host.size()));
        CHECK(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice));
    }

    Memory(const Memory &) = delete;

    ~Memory()
    {
        CHECK(cudaFree(device));
    }

    /* An aligned address on the host, and that of the same byte on the device. */
    uint64_t address(const bool is_device) const
    {
        const size_t shift = (256 - (uint64_t)host.data() % 256) % 256;
        return is_device ? (uint64_t)device + shift : (uint64_t)host.data() + shift;
    }

    void refill(const std::function<uint32_t(size_t)> &element, const size_t bytes)
    {
        for (size_t i = 0; (i + 1) * bytes <= host.size() - 256; i++)
        {
            const uint32_t value = element(i);
            memcpy((char *)address(false) + i * bytes, &value, bytes);
        }

        CHECK(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice));
    }

    /* What differs between twin and device: the first such byte, or -1. */
    long difference() const
    {
        std::vector<char> seen(host.size());
        CHECK(cudaMemcpy(seen.data(), device, seen.size(), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < seen.size(); i++)
        {
            if (seen[i] != host[i])
            {
                return (long)i;
            }
        }

        return -1;
    }
};

long cases = 0;
long failures = 0;

void judge(const std::string &name, const Memory &target)
{
    const long at = target.difference();
    cases++;
    if (at >= 0)
    {
        failures++;
        printf("DIFFERENT: %s at byte %ld\n", name.c_str(), at);
    }
}

uint32_t special_bf16(size_t)
{
    static const uint32_t values[] = {
        0, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0xFF81, 1, 0x8001, 0x7F7F, 0xFF7F, 0x0080, 0x3F80};
    const uint64_t kind = below(16);
    const uint32_t usual = (uint32_t)(0x3C00 + below(0x600) + (below(2) << 15));
    return kind == 0 ? values[below(12)] : kind < 4 ? (uint32_t)dice() & 0xFFFF : usual;
}

uint32_t finite_bf16(size_t)
{
    const uint32_t bits = (uint32_t)dice() & 0xFFFF;
    return below(8) == 0 && (bits & 0x7F80) != 0x7F80 ? bits : 0x3C00 + below(0x600) + (below(2) << 15);
}

uint32_t special_f32(const size_t i)
{
    return below(4) == 0 ? (uint32_t)dice() : special_bf16(i) << 16 | (uint32_t)below(0x10000);
}

/* Offsets of rows that do not overlap, in random order. */
std::vector<uint64_t> places(const uint64_t count, const uint64_t stride, const uint64_t shift)
{
    std::vector<uint64_t> offsets(count);
    for (uint64_t i = 0; i < count; i++)
    {
        offsets[i] = i * stride + shift;
        std::swap(offsets[i], offsets[below(i + 1)]);
    }

    return offsets;
}

void compare_rows()
{
    for (const uint64_t length : {1, 7, 8, 12, 16, 96, 100, 3584, 3592, 4096, 7392, 14336, 14340})
    {
        for (const uint64_t count : {1, 5, 1500})
        {
            const uint64_t source_shift = below(3) == 0 ? below(16) : 0;
            const uint64_t target_shift = below(3) == 0 ? below(16) : 0;
            const uint64_t stride = below(2) == 0 ? (length + 31) / 16 * 16 : length + 17;
            const uint32_t blocks = 1 + (uint32_t)below(32);
            Memory source(count * stride + 16);
            Memory target(count * stride + 16);
            const auto from = places(count, stride, source_shift);
            const auto to = places(count, stride, target_shift);
            Pinned<tl_row> rows(count);
            for (uint64_t i = 0; i < count; i++)
            {
                rows.at[i] = tl_row{from[i], to[i]};
            }

            const auto put = [&](const bool is_device)
            {
                return tl_put_rows_arguments{completion(is_device), rows.address(), count, length,
                    source.address(is_device), target.address(is_device)};
            };
            const std::string what = " of " + std::to_string(count) + " x " + std::to_string(length) +
                " bytes, shifts " + std::to_string(source_shift) + ", " + std::to_string(target_shift);
            run("tl_put_rows", blocks, 1024, put(true));
            twin<tl_rows_shared>(blocks, 1024, put(false), [](tl_place *p, tl_rows_shared *s, const auto *a)
                { tl_put_rows_block(p, s, a); });
            judge("tl_put_rows" + what, target);
            const auto zero = [&](const bool is_device)
            {
                return tl_zero_rows_arguments{completion(is_device), rows.address(), (count + 1) / 2, length,
                    target.address(is_device)};
            };
            run("tl_zero_rows", blocks, 512, zero(true));
            twin<tl_rows_shared>(blocks, 512, zero(false), [](tl_place *p, tl_rows_shared *s, const auto *a)
                { tl_zero_rows_block(p, s, a); });
            judge("tl_zero_rows" + what, target);
        }
    }
}

/* Every other time all blocks have room for their rows of all parts; targets lie one behind the other. */
void compare_parts()
{
    for (int i = 0; i < 80; i++)
    {
        const uint64_t parts = 1 + below(TL_MOST_PARTS);
        const uint64_t most = i % 2 == 0 ? 60 : 1500;
        const uint32_t blocks = 1 + (uint32_t)below(i % 2 == 0 ? 32 : 3);
        uint64_t count[TL_MOST_PARTS];
        uint64_t length[TL_MOST_PARTS];
        uint64_t stride[TL_MOST_PARTS];
        uint64_t begin[TL_MOST_PARTS];
        uint64_t rows = 0;
        uint64_t bytes = 0;
        for (uint64_t p = 0; p < parts; p++)
        {
            count[p] = 1 + below(most);
            length[p] = below(3) == 0 ? 224 : 1 + below(8000);
            stride[p] = (length[p] + 15) / 16 * 16 + (below(4) == 0 ? 1 : 0);
            begin[p] = bytes;
            bytes += (count[p] * stride[p] + 15) / 16 * 16;
            rows += count[p];
        }

        Memory source(bytes);
        Memory target(bytes);
        Pinned<tl_row> entries(rows);
        tl_put_rows_parts_arguments arguments{};
        arguments.parts = parts;
        uint64_t row = 0;
        for (uint64_t p = 0; p < parts; p++)
        {
            const auto from = places(count[p], stride[p], 0);
            const auto to = places(count[p], stride[p], 0);
            arguments.part[p] = tl_part{entries.address() + row * sizeof(tl_row), count[p], length[p], 0, 0};
            for (uint64_t r = 0; r < count[p]; r++, row++)
            {
                entries.at[row] = tl_row{from[r], to[r]};
            }
        }

        const auto put = [&](const bool is_device)
        {
            arguments.completion = completion(is_device);
            for (uint64_t p = 0; p < parts; p++)
            {
                arguments.part[p].source = source.address(is_device) + begin[p];
                arguments.part[p].target = target.address(is_device) + begin[p];
            }

            return arguments;
        };
        const std::string shape = " of " + std::to_string(parts) + " parts, " + std::to_string(rows) + " rows";
        run("tl_put_rows_parts", blocks, 1024, put(true));
        twin<tl_parts_shared>(blocks, 1024, put(false), [](tl_place *p, tl_parts_shared *s, const auto *a)
            { tl_put_rows_parts_block(p, s, a); });
        judge("tl_put_rows_parts" + shape, target);
    }
}

void compare_puts()
{
    for (int i = 0; i < 200; i++)
    {
        const uint64_t bytes = i < 60 ? (uint64_t)i : below(1 << (8 + i % 14));
        Memory source(bytes + 32);
        Memory target(bytes + 32);
        const uint64_t from = i % 3 == 0 ? 0 : below(17);
        const uint64_t to = i % 3 == 0 ? 0 : below(17);
        const uint32_t blocks = 1 + (uint32_t)below(16);
        const auto put = [&](const bool is_device)
        {
            return tl_put_arguments{
                completion(is_device), source.address(is_device) + from, target.address(is_device) + to, bytes};
        };
        run("tl_put", blocks, 1024, put(true));
        twin<int>(blocks, 1024, put(false), [](tl_place *p, int *, const auto *a) { tl_put_block(p, a); });
        const std::string shifts = std::to_string(from) + ", " + std::to_string(to);
        judge("tl_put of " + std::to_string(bytes) + " bytes, shifts " + shifts, target);
        const auto add = [&](const bool is_device)
        {
            return tl_add64_arguments{completion(is_device), target.address(is_device), dice.default_seed * (i + 1)};
        };
        run("tl_add64", 1, 32, add(true));
        twin<int>(1, 32, add(false), [](tl_place *p, int *, const auto *a) { tl_add64_block(p, a); });
        judge("tl_add64", target);
    }

    run("tl_mark", 1, 32, completion(true));
}

/* A table of rows and entries, where host and device read it. */
struct Table
{
    Pinned<tl_table_row> rows;
    Pinned<tl_table_entry> entries;
    Pinned<float> weights;
    uint32_t row_count = 0;
    uint32_t entry_count = 0;

    Table(const size_t most_rows, const size_t most_entries)
        : rows(most_rows + 1), entries(most_entries + 1), weights(most_entries + 1)
    {
        rows.at[0].first = 0;
    }

    void begin_row(const uint32_t row)
    {
        rows.at[row_count++].row = row;
        rows.at[row_count].first = entry_count;
    }

    void add(const uint32_t region, const uint32_t row, const bool begins_part, const float weight)
    {
        entries.at[entry_count] = tl_table_entry{row, region | (begins_part ? 1u << 16 : 0)};
        weights.at[entry_count++] = weight;
        rows.at[row_count].first = entry_count;
    }
};

/* Sums of random groups: plain and parted ones by their kernel and the one that takes any, others by that one. */
void compare_sums(const int kind, const uint32_t hidden, const uint32_t groups, const int round)
{
    const uint32_t rows = 64;
    const bool is_plain = kind != TL_SUMS_ANY;
    const uint32_t regions = is_plain ? 3 : 1 + (uint32_t)below(20);
    const uint32_t biases = (uint32_t)below(3);
    const bool is_f32_target = below(2);
    const bool is_weighted = below(2);
    const bool is_f32_part = below(2);
    const uint64_t shift = !is_plain && below(4) == 0 ? 1 + below(15) : 0;
    const uint64_t bias_stride = (uint64_t)hidden * 2;
    std::vector<std::unique_ptr<Memory>> sources;
    Pinned<tl_region> table(regions);
    std::vector<tl_region> twin_table(regions);
    for (uint32_t i = 0; i < regions; i++)
    {
        const bool is_f32 = !is_plain && below(3) == 0;
        sources.push_back(std::make_unique<Memory>((size_t)rows * hidden * 4 + 32));
        sources[i]->refill(is_f32 ? special_f32 : special_bf16, is_f32 ? 4 : 2);
        const uint64_t base = below(2) ? shift : 0;
        const uint64_t stride = (uint64_t)hidden * (is_f32 ? 4 : 2) | (is_f32 ? TL_STRIDE_F32 : 0);
        table.at[i] = tl_region{sources[i]->address(true) + base, stride};
        twin_table[i] = tl_region{sources[i]->address(false) + base, stride};
    }

    Memory bias((size_t)(groups + 1) * hidden * 2 + 32);
    bias.refill(special_bf16, 2);
    Memory target((size_t)groups * hidden * 4 + 32);
    Table list(groups, (size_t)groups * 20);
    const auto order = places(groups, 1, 0);
    for (uint32_t g = 0; g < groups; g++)
    {
        const uint32_t count = (uint32_t)below((is_plain ? 8 - biases : 20) + 1);
        const bool has_parts = kind != TL_SUMS_PLAIN && below(4) > 0;
        list.begin_row((uint32_t)order[g]);
        for (uint32_t s = 0; s < count; s++)
        {
            const bool begins = has_parts && (s == 0 || below(3) == 0);
            list.add((uint32_t)below(regions), (uint32_t)below(rows - 1), begins,
                (float)(int64_t)below(1000) / 250.0f - 1.5f);
        }
    }

    const bool is_inline = regions <= TL_INLINE_REGIONS && below(2);
    const auto arguments = [&](const bool is_device)
    {
        const tl_region *const addresses = is_device ? table.at : twin_table.data();
        tl_reduce_rows_arguments a = {};
        a.completion = completion(is_device);
        a.rows = list.rows.address();
        a.entries = list.entries.address();
        a.weights = list.weights.address();
        a.regions = is_inline ? 0 : (uint64_t)addresses;
        a.target = tl_region{target.address(is_device) + shift, (uint64_t)hidden * (is_f32_target ? 4 : 2)};
        a.bias0 = biases > 0 ? bias.address(is_device) : 0;
        a.bias1 = biases > 1 ? bias.address(is_device) + bias_stride : 0;
        a.bias_stride = bias_stride;
        a.count = groups;
        a.hidden = hidden;
        a.flags = (is_f32_target ? TL_TARGET_F32 : 0) | (is_f32_part ? TL_PART_F32 : 0) |
            (is_weighted ? TL_WEIGHTED : 0) | (shift ? TL_UNALIGNED : 0);
        for (uint32_t i = 0; i < regions && is_inline; i++)
        {
            a.region[i] = addresses[i];
        }
        return a;
    };
    const std::string what = ", round " + std::to_string(round) + ", hidden " + std::to_string(hidden) + ", groups " +
        std::to_string(groups) + ", shift " + std::to_string(shift);
    const uint32_t blocks = 1 + (uint32_t)below(32);
    run("tl_reduce_any_rows", blocks, 512, arguments(true));
    twin<tl_reduce_shared>(blocks, 512, arguments(false), [](tl_place *p, tl_reduce_shared *s, const auto *a)
        { tl_reduce_rows_block(p, s, a, TL_SUMS_ANY); });
    judge("tl_reduce_any_rows" + what, target);
    const auto compare = [&](const char *name, const auto block)
    {
        CHECK(cudaMemset(target.device, 0x5A, target.host.size()));
        memset(target.host.data(), 0x5A, target.host.size());
        run(name, blocks, 1024, arguments(true));
        twin<tl_reduce_shared>(blocks, 1024, arguments(false), block);
        judge(name + what, target);
    };
    if (kind == TL_SUMS_PLAIN)
    {
        compare("tl_reduce_rows", [](tl_place *p, tl_reduce_shared *s, const auto *a)
            { tl_reduce_rows_block(p, s, a, TL_SUMS_PLAIN); });
    }
    else if (kind == TL_SUMS_PARTED)
    {
        compare("tl_reduce_parted_rows", [](tl_place *p, tl_reduce_shared *s, const auto *a)
            { tl_reduce_rows_block(p, s, a, TL_SUMS_PARTED); });
    }
}

/* Rows and scales to random places; every other time so many that blocks have no room for their entries. */
void compare_scatter(const int round)
{
    const uint32_t regions = below(2) ? 1 + (uint32_t)below(4) : 1 + (uint32_t)below(40);
    const uint64_t lengths[] = {0, 1, 100, 224, 3584, 4000, 7168, 14336, 14340};
    const uint64_t length = lengths[below(9)];
    const uint64_t scale_length = below(3) == 0 ? 0 : below(2) ? 224 : 1 + below(300);
    const uint32_t rows = 1 + (uint32_t)below(round % 2 == 0 ? 60 : 1500);
    const uint32_t most = round % 2 == 0 ? 9 : 30000 / rows;
    const bool is_aligned = below(3) != 0;
    const uint64_t shift = is_aligned ? 0 : below(16);
    const uint64_t stride = is_aligned ? (length + 15) / 16 * 16 : length + below(3);
    const uint64_t scale_stride = is_aligned ? (scale_length + 15) / 16 * 16 : scale_length + below(3);
    const uint32_t blocks = 1 + (uint32_t)below(round % 2 == 0 ? 32 : 4);
    std::vector<uint32_t> taken(regions, 0);
    Table table(rows, (size_t)rows * (most + 1));
    const size_t limit = length > 1000 ? 4000 : 40000;
    for (uint32_t i = 0; i < rows; i++)
    {
        table.begin_row((uint32_t)below(rows));
        for (uint64_t k = below(most + 1); k > 0 && table.entry_count < limit; k--)
        {
            const uint32_t region = (uint32_t)below(regions);
            table.add(region, taken[region]++, false, 1.0f);
        }
    }

    Memory source(rows * stride + length + 32);
    Memory scales(rows * scale_stride + scale_length + 32);
    std::vector<std::unique_ptr<Memory>> targets;
    Pinned<tl_target> at_device(regions);
    std::vector<tl_target> at_twin(regions);
    for (uint32_t i = 0; i < regions; i++)
    {
        targets.push_back(std::make_unique<Memory>(taken[i] * stride + 32));
        targets.push_back(std::make_unique<Memory>(taken[i] * scale_stride + 32));
        for (const bool is_device : {true, false})
        {
            (is_device ? at_device.at[i] : at_twin[i]) = tl_target{{
                {targets[2 * i]->address(is_device) + shift, stride},
                {targets[2 * i + 1]->address(is_device) + shift, scale_stride}}};
        }
    }

    const bool is_inline = regions <= TL_INLINE_REGIONS && below(2);
    const uint32_t near = (uint32_t)below(1 << 16);
    const uint32_t near_blocks = is_inline && below(2) ? (uint32_t)below(blocks) : 0;
    const auto arguments = [&](const bool is_device)
    {
        const tl_target *const addresses = is_device ? at_device.at : at_twin.data();
        tl_scatter_rows_arguments a = {};
        a.completion = completion(is_device);
        a.rows = table.rows.address();
        a.entries = table.entries.address();
        a.targets = is_inline ? 0 : (uint64_t)addresses;
        a.count = rows;
        a.near = near;
        a.near_blocks = near_blocks;
        a.plane[0] = tl_plane{{source.address(is_device) + (is_aligned ? 0 : below(2)), stride}, length};
        a.plane[1] = tl_plane{{scales.address(is_device), scale_stride}, scale_length};
        for (uint32_t i = 0; i < regions && is_inline; i++)
        {
            a.target[i] = addresses[i];
        }
        return a;
    };
    const auto there = arguments(true);
    auto here = arguments(false);
    here.plane[0].source.base = source.address(false) + there.plane[0].source.base - source.address(true);
    run("tl_scatter_rows", blocks, 1024, there);
    twin<tl_scatter_shared>(blocks, 1024, here, [](tl_place *p, tl_scatter_shared *s, const auto *a)
        { tl_scatter_rows_block(p, s, a); });
    const std::string what = "tl_scatter_rows of " + std::to_string(rows) + " x " + std::to_string(length) + " and " +
        std::to_string(scale_length) + " bytes to " + std::to_string(table.entry_count) + " places in " +
        std::to_string(regions) + " regions, shift " + std::to_string(shift) + ", " + std::to_string(near_blocks) + " of " +
        std::to_string(blocks) + " blocks for " + std::to_string(near);
    for (uint32_t i = 0; i < 2 * regions; i++)
    {
        judge(what + (i % 2 ? ", scales" : ", rows"), *targets[i]);
    }
}

void compare_casts(const uint32_t hidden, const uint32_t count, const uint64_t shift, const uint32_t is_power_of_two)
{
    Memory rows((size_t)count * hidden * 2 + 32);
    rows.refill(below(2) ? special_bf16 : finite_bf16, 2);
    Memory codes((size_t)count * hidden + 32);
    Memory scales((size_t)count * hidden / 32 + 32);
    Memory back((size_t)count * hidden * 2 + 32);
    Pinned<tl_row> there(count);
    Pinned<tl_row> home(count);
    Pinned<tl_row> scale_rows(count);
    const auto order = places(count, 1, 0);
    for (uint32_t i = 0; i < count; i++)
    {
        there.at[i] = tl_row{order[i] * hidden * 2 + shift, (uint64_t)i * hidden + shift};
        home.at[i] = tl_row{(uint64_t)i * hidden + shift, order[i] * hidden * 2 + shift};
        scale_rows.at[i] = tl_row{(uint64_t)i * hidden / 32 + shift, (uint64_t)i * hidden / 32 + shift};
    }

    const auto arguments = [&](const bool is_device, const Memory &source, const Memory &target, const tl_row *list)
    {
        return tl_cast_rows_arguments{completion(is_device), (uint64_t)list, scale_rows.address(),
            source.address(is_device), target.address(is_device), scales.address(is_device), count, hidden,
            is_power_of_two, 0};
    };
    const std::string what = " of hidden " + std::to_string(hidden) + ", shift " + std::to_string(shift);
    const uint32_t blocks = 1 + (uint32_t)below(32);
    run("tl_quantize_rows", blocks, 1024, arguments(true, rows, codes, there.at));
    twin<tl_cast_shared>(blocks, 1024, arguments(false, rows, codes, there.at),
        [](tl_place *p, tl_cast_shared *s, const auto *a) { tl_cast_rows_block(p, s, a, 1); });
    judge("tl_quantize_rows, codes" + what, codes);
    judge("tl_quantize_rows, scales" + what, scales);
    if (below(2))
    {
        codes.refill([](size_t) { return (uint32_t)dice(); }, 1);
        scales.refill(special_f32, 4);
    }

    run("tl_dequantize_rows", blocks, 1024, arguments(true, codes, back, home.at));
    twin<tl_cast_shared>(blocks, 1024, arguments(false, codes, back, home.at),
        [](tl_place *p, tl_cast_shared *s, const auto *a) { tl_cast_rows_block(p, s, a, 0); });
    judge("tl_dequantize_rows" + what, back);
}

}

int main(const int argc, char **argv)
{
    if (argc != 2)
    {
        fprintf(stderr, "usage: kernels_test PTX: the path of transload_kernels.ptx\n");
        return 1;
    }

    load(argv[1]);
    compare_rows();
    compare_parts();
    compare_puts();
    for (int round = 0; round < 40; round++)
    {
        const uint32_t sizes[] = {8, 64, 1000, 1024, 2048, 7168};
        const int kinds[] = {TL_SUMS_PLAIN, TL_SUMS_PARTED, TL_SUMS_ANY};
        const uint32_t hidden = sizes[round / 3 % 6];
        compare_sums(kinds[round % 3], hidden, 1 + (uint32_t)below(hidden < 2000 ? 700 : 60), round);
        compare_casts(128 * (1 + (uint32_t)below(60)), 1 + (uint32_t)below(50), round % 4 == 3 ? 1 + below(15) : 0,
            round % 2);
        compare_scatter(round);
    }

    printf("%ld comparisons of GPU and host twin, %ld different\n", cases, failures);
    bench();
    return failures == 0 ? 0 : 1;
}
