/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Of kernels_test.cu: how kernels and twins are run, and how fast the kernels are. */

#ifndef TL_KERNELS_BENCH_CUH
#define TL_KERNELS_BENCH_CUH

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

#include <cuda_runtime.h>

#define CHECK(call) \
    do \
    { \
        const cudaError_t result = (call); \
        if (result != cudaSuccess) \
        { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(result)); \
            exit(1); \
        } \
    } \
    while (0)

namespace
{

cudaLibrary_t library;
std::map<std::string, cudaKernel_t> kernels;

/* Memory of the host that all devices address. */
template<class T> struct Pinned
{
    T *at = nullptr;

    explicit Pinned(const size_t count)
    {
        CHECK(cudaHostAlloc(&at, (count + 1) * sizeof(T), cudaHostAllocPortable | cudaHostAllocMapped));
        memset((void *)at, 0, (count + 1) * sizeof(T));
    }

    Pinned(const Pinned &) = delete;

    ~Pinned()
    {
        CHECK(cudaFreeHost(at));
    }

    uint64_t address() const
    {
        return (uint64_t)at;
    }
};

uint64_t *done_word;
uint64_t done_value;
char *counter;
uint64_t twin_word;
uint64_t twin_counter;

void load(const char *path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    CHECK(cudaSetDevice(0));
    CHECK(cudaLibraryLoadData(&library, text.str().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    for (const char *name : {"tl_mark", "tl_put_rows", "tl_put_rows_parts", "tl_zero_rows", "tl_put",
        "tl_add64", "tl_reduce_rows", "tl_reduce_parted_rows", "tl_reduce_any_rows", "tl_scatter_rows",
        "tl_quantize_rows", "tl_dequantize_rows"})
    {
        CHECK(cudaLibraryGetKernel(&kernels[name], library, name));
    }

    CHECK(cudaHostAlloc(&done_word, 8, cudaHostAllocPortable | cudaHostAllocMapped));
    CHECK(cudaMalloc(&counter, 256));
    CHECK(cudaMemset(counter, 0, 256));
    *done_word = 0;
}

tl_completion completion(const bool is_device)
{
    return is_device ? tl_completion{(uint64_t)done_word, ++done_value, (uint64_t)counter}
        : tl_completion{(uint64_t)&twin_word, 1, (uint64_t)&twin_counter};
}

template<class Arguments> void launch(
    const char *name, const cudaStream_t stream, const uint32_t blocks, const uint32_t threads, Arguments arguments)
{
    void *pointers[] = {&arguments};
    CHECK(cudaLaunchKernel((const void *)kernels[name], dim3(blocks), dim3(threads), pointers, 0, stream));
}

/* On the GPU, until the completion word says that it is done; the stream must agree. */
template<class Arguments> void run(
    const char *name, const uint32_t blocks, const uint32_t threads, const Arguments &arguments)
{
    launch(name, 0, blocks, threads, arguments);
    CHECK(cudaDeviceSynchronize());
    if (*(volatile uint64_t *)done_word != done_value)
    {
        fprintf(stderr, "%s: completion word is %lu, expected %lu\n", name, *done_word, done_value);
        exit(1);
    }
}

/* On the host. */
template<class Shared, class Arguments, class Block> void twin(
    const uint32_t blocks, const uint32_t threads, const Arguments arguments, const Block block)
{
    const auto shared = std::make_unique<Shared>();
    twin_word = 0;
    for (uint32_t i = 0; i < blocks; i++)
    {
        tl_place place = {nullptr, i, blocks, 0, threads};
        block(&place, shared.get(), &arguments);
    }

    if (twin_word != 1 || twin_counter != 0)
    {
        fprintf(stderr, "a twin did not complete\n");
        exit(1);
    }
}

/* Median of the microseconds between two events on the first stream, which the others begin and end with. */
double median_us(const std::vector<cudaStream_t> &streams, const std::function<void()> &work)
{
    std::vector<double> times;
    cudaEvent_t begin;
    cudaEvent_t end;
    cudaEvent_t joined;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    for (int i = 0; i < 60; i++)
    {
        CHECK(cudaEventRecord(begin, streams[0]));
        for (const cudaStream_t stream : streams)
        {
            CHECK(cudaStreamWaitEvent(stream, begin, 0));
        }

        work();
        for (size_t s = 1; s < streams.size(); s++)
        {
            CHECK(cudaEventRecord(joined, streams[s]));
            CHECK(cudaStreamWaitEvent(streams[0], joined, 0));
        }

        CHECK(cudaEventRecord(end, streams[0]));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 10)
        {
            times.push_back(1000.0 * ms);
        }
    }

    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

const tl_completion SILENT = {0, 0, 0};

struct Bench
{
    static const uint32_t ROWS = 4096;
    static const uint32_t HIDDEN = 7168;
    const bool is_peer;
    std::vector<cudaStream_t> streams{4};
    char *source;
    char *near;
    char *far;
    char *target;
    Pinned<tl_row> rows{ROWS};
    Pinned<tl_table_row> table{ROWS + 1};
    Pinned<tl_table_entry> entries{ROWS * 8};
    Pinned<float> weights{ROWS * 8};

    explicit Bench(const bool is_peer) : is_peer(is_peer)
    {
        for (cudaStream_t &stream : streams)
        {
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        }

        const size_t bytes = (size_t)ROWS * HIDDEN * 4;
        CHECK(cudaMalloc(&source, bytes));
        CHECK(cudaMalloc(&near, bytes));
        CHECK(cudaMalloc(&target, bytes));
        CHECK(cudaSetDevice(is_peer));
        CHECK(cudaMalloc(&far, bytes));
        CHECK(cudaMemset(far, 0, bytes));
        CHECK(cudaSetDevice(0));
        CHECK(cudaMemset(source, 0, bytes));
        CHECK(cudaMemset(near, 0, bytes));
        if (is_peer)
        {
            CHECK(cudaDeviceEnablePeerAccess(1, 0));
        }
    }

    void print(const char *what, const uint32_t blocks, const double bytes, const double us) const
    {
        const char *const where = is_peer ? "peer" : "local";
        printf("%-44s %-5s %3u SMs %9.1f us %7.1f GB/s\n", what, where, blocks, us, bytes / us / 1e3);
    }

    void copies(const uint32_t blocks, const uint64_t length, const size_t used_streams)
    {
        for (uint32_t i = 0; i < ROWS; i++)
        {
            rows.at[i] = tl_row{(uint64_t)(i * 2654435761u % ROWS) * length, i * length};
        }

        const std::vector<cudaStream_t> some(streams.begin(), streams.begin() + used_streams);
        const uint32_t part = ROWS / (uint32_t)used_streams;
        const double us = median_us(some, [&]
        {
            for (uint32_t s = 0; s < used_streams; s++)
            {
                launch("tl_put_rows", some[s], blocks / (uint32_t)used_streams, 1024, tl_put_rows_arguments{SILENT,
                    (uint64_t)(rows.at + s * part), part, length, (uint64_t)source, (uint64_t)far});
            }
        });
        const std::string what = "tl_put_rows 4096 x " + std::to_string(length) + ", " + std::to_string(used_streams) +
            " streams";
        print(what.c_str(), blocks, (double)ROWS * length, us);
    }

    void put(const uint32_t blocks, const uint64_t bytes)
    {
        const tl_put_arguments a = {SILENT, (uint64_t)source, (uint64_t)far, bytes};
        const double us = median_us({streams[0]}, [&] { launch("tl_put", streams[0], blocks, 1024, a); });
        print(("tl_put of " + std::to_string(bytes) + " bytes").c_str(), blocks, (double)bytes, us);
        const double engine = median_us({streams[0]}, [&]
        {
            CHECK(cudaMemcpyAsync(far, source, bytes, cudaMemcpyDeviceToDevice, streams[0]));
        });
        print("  the copy engine", 0, (double)bytes, engine);
    }

    /* count summands a row, every other one far away; in parts of two, or none. Bytes are those of the far summands. */
    void sums(
        const char *name, const uint32_t blocks, const uint32_t threads, const uint32_t count, const bool has_parts)
    {
        for (uint32_t i = 0; i < ROWS; i++)
        {
            table.at[i] = tl_table_row{i, i * count};
            for (uint32_t s = 0; s < count; s++)
            {
                const uint32_t begins = has_parts && s % 2 == 0;
                entries.at[i * count + s] = tl_table_entry{(i + s) % ROWS, s % 2 | begins << 16};
                weights.at[i * count + s] = 1.0f;
            }
        }

        table.at[ROWS].first = ROWS * count;
        const uint64_t stride = HIDDEN * 2;
        tl_reduce_rows_arguments a = {};
        a.rows = table.address();
        a.entries = entries.address();
        a.weights = weights.address();
        a.target = tl_region{(uint64_t)target, stride};
        a.count = ROWS;
        a.hidden = HIDDEN;
        a.flags = TL_WEIGHTED;
        a.region[0] = tl_region{(uint64_t)near, stride};
        a.region[1] = tl_region{(uint64_t)far, stride};
        const double us = median_us({streams[0]}, [&] { launch(name, streams[0], blocks, threads, a); });
        const std::string what = std::string(name) + " 4096 x " + std::to_string(count) + (has_parts ? ", parts" : "");
        print(what.c_str(), blocks, (double)ROWS * HIDDEN * 2 * (count / 2), us);
    }

    /*
     * Rows that each go to some of 4 ranks: all of them, or tenths of 4 on average; by one scatter, and by a list for
     * each rank on a stream of its own. The ranks' memory is quarters of two allocations, one of which is far away.
     */
    void scatters(const uint32_t blocks, const uint32_t tenths)
    {
        const uint32_t count = ROWS / 4;
        const uint64_t stride = HIDDEN * 2;
        Pinned<tl_row> lists(4 * count);
        uint32_t counts[4] = {};
        uint32_t total = 0;
        for (uint32_t i = 0; i < count; i++)
        {
            table.at[i] = tl_table_row{i, total};
            for (uint32_t rank = 0; rank < 4; rank++)
            {
                if ((i * 4 + rank) * 2654435761u % 40 < tenths)
                {
                    entries.at[total++] = tl_table_entry{counts[rank], rank};
                    lists.at[rank * count + counts[rank]] = tl_row{i * stride, counts[rank] * stride};
                    counts[rank]++;
                }
            }
        }

        table.at[count].first = total;
        char *const places[] = {near, far, near + count * stride, far + count * stride};
        tl_scatter_rows_arguments a = {};
        a.rows = table.address();
        a.entries = entries.address();
        a.count = count;
        a.plane[0] = tl_plane{{(uint64_t)source, stride}, stride};
        for (uint32_t rank = 0; rank < 4; rank++)
        {
            a.target[rank].plane[0] = tl_region{(uint64_t)places[rank], stride};
        }

        const std::string what = "1024 rows to " + std::to_string((double)total / count).substr(0, 4);
        const double us = median_us({streams[0]}, [&] { launch("tl_scatter_rows", streams[0], blocks, 1024, a); });
        print(("tl_scatter_rows " + what).c_str(), blocks, (double)total * stride, us);
        const double lists_us = median_us(streams, [&]
        {
            for (uint32_t rank = 0; rank < 4; rank++)
            {
                launch("tl_put_rows", streams[rank], blocks / 4, 1024, tl_put_rows_arguments{SILENT,
                    (uint64_t)(lists.at + rank * count), counts[rank], stride, (uint64_t)source,
                    (uint64_t)places[rank]});
            }
        });
        print(("  a list per rank, " + what).c_str(), blocks, (double)total * stride, lists_us);
    }

    void casts(const char *name, const uint32_t blocks, const uint64_t from, const uint64_t to)
    {
        for (uint32_t i = 0; i < ROWS; i++)
        {
            rows.at[i] = tl_row{i * from * HIDDEN, i * to * HIDDEN};
        }

        const tl_cast_rows_arguments a = {SILENT, rows.address(), rows.address(), (uint64_t)source, (uint64_t)far,
            (uint64_t)target, ROWS, HIDDEN, 0, 0};
        const double us = median_us({streams[0]}, [&] { launch(name, streams[0], blocks, 1024, a); });
        print(name, blocks, (double)ROWS * HIDDEN * 3, us);
    }

    void all()
    {
        for (const uint32_t blocks : {8, 16, 24, 32, 64})
        {
            copies(blocks, 14336, 1);
            copies(blocks, 14336, 4);
            copies(blocks, 7392, 1);
            copies(blocks, 4096, 1);
            sums("tl_reduce_rows", blocks, 1024, 2, false);
            sums("tl_reduce_rows", blocks, 1024, 4, false);
            sums("tl_reduce_rows", blocks, 1024, 8, false);
            sums("tl_reduce_parted_rows", blocks, 1024, 2, true);
            sums("tl_reduce_parted_rows", blocks, 1024, 4, true);
            sums("tl_reduce_parted_rows", blocks, 1024, 8, true);
            sums("tl_reduce_any_rows", blocks, 512, 4, true);
            scatters(blocks, 40);
            scatters(blocks, 32);
            scatters(blocks, 18);
            casts("tl_quantize_rows", blocks, 2, 1);
            casts("tl_dequantize_rows", blocks, 1, 2);
        }

        for (const uint64_t bytes : {4096, 65536, 1 << 20, 8 << 20, 64 << 20})
        {
            put(32, bytes);
        }
    }
};

void bench()
{
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    Bench(false).all();
    if (devices > 1)
    {
        Bench(true).all();
    }
    else
    {
        printf("one GPU: nothing measured over a link\n");
    }
}

}

#endif
