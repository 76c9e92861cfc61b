/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Graphs of launches. */

#define _GNU_SOURCE

#include "rules.h"

enum
{
    NON_BLOCKING = 1,
    OF_THIS_THREAD = 1,
    ACTIVE = 1,
    INVALIDATED = 2,
    /* As many as the driver's own queue takes, and more. */
    MANY = 1500
};

static CUgraphExec captured(CUstream stream, CUfunction function, CUdeviceptr address, uint64_t launches)
{
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    OK(cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    for (uint64_t i = 1; i <= launches; i++)
    {
        OK(store(function, stream, address, i));
    }
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphDestroy(graph));
    return exec;
}

static void what_is_captured_runs_whenever_its_graph_does(void)
{
    use_device(0);
    CUstream stream = stream_of(NON_BLOCKING);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(16);
    OK(store(function, stream, address, 77));
    OK(cuStreamSynchronize(stream));
    CUgraphExec exec = captured(stream, function, address, 3);
    OK(cuStreamSynchronize(stream));
    HOLDS(device_word(address) == 77);
    for (int i = 0; i < 3; i++)
    {
        OK(store(function, stream, address, 5));
        OK(cuGraphLaunch(exec, stream));
        OK(cuMemcpyDtoDAsync_v2(address + 8, address, 8, stream));
        OK(cuStreamSynchronize(stream));
        HOLDS(device_word(address + 8) == 3);
    }
    OK(cuGraphLaunch(exec, stream));
    OK(cuGraphExecDestroy(exec));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
}

static void a_graph_may_be_longer_than_the_queue(void)
{
    use_device(0);
    CUstream stream = stream_of(NON_BLOCKING);
    const CUdeviceptr address = device_memory(8);
    CUgraphExec exec = captured(stream, probe_function("tl_probe"), address, MANY);
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    HOLDS(device_word(address) == MANY);
}

static void streams_say_whether_they_are_captured(void)
{
    int status = -1;
    CUgraph graph = NULL;
    use_device(0);
    CUstream stream = stream_of(NON_BLOCKING);
    OK(cuStreamIsCapturing(stream, &status));
    HOLDS(status == 0);
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &graph));
    OK(cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    OK(cuStreamIsCapturing(stream, &status));
    HOLDS(status == ACTIVE);
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuStreamIsCapturing(stream, &status));
    HOLDS(status == 0);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture_v2(NULL, OF_THIS_THREAD));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture_v2(stream, 3));
}

static void expect_to_end_a_capture(CUstream stream, CUresult result)
{
    int status = 0;
    CUgraph graph = NULL;
    HOLDS(result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    OK(cuStreamIsCapturing(stream, &status));
    HOLDS(status == INVALIDATED);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    HOLDS(graph == NULL);
    OK(cuStreamSynchronize(stream));
}

static void only_launches_are_captured(void)
{
    CUevent event = NULL;
    use_device(0);
    CUstream stream = stream_of(NON_BLOCKING);
    CUgraphExec exec = captured(stream, probe_function("tl_probe"), device_memory(8), 1);
    const CUdeviceptr address = device_memory(16);
    OK(cuEventCreate(&event, 2));
    OK(cuEventRecord(event, stream));
    OK(cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    expect_to_end_a_capture(stream, cuMemcpyDtoDAsync_v2(address + 8, address, 8, stream));
    OK(cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    expect_to_end_a_capture(stream, cuStreamWaitEvent(stream, event, 0));
    OK(cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    expect_to_end_a_capture(stream, cuEventRecord(event, stream));
    OK(cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    expect_to_end_a_capture(stream, cuStreamSynchronize(stream));
    OK(cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    expect_to_end_a_capture(stream, cuStreamQuery(stream));
    OK(cuStreamBeginCapture_v2(stream, OF_THIS_THREAD));
    expect_to_end_a_capture(stream, cuGraphLaunch(exec, stream));
}

const struct rule graph_rules[] = {
    {"what_is_captured_runs_whenever_its_graph_does", what_is_captured_runs_whenever_its_graph_does, NULL, 1, 0},
    {"a_graph_may_be_longer_than_the_queue", a_graph_may_be_longer_than_the_queue, "DELAY_US=0", 0, 0},
    {"streams_say_whether_they_are_captured", streams_say_whether_they_are_captured, NULL, 1, 0},
    {"only_launches_are_captured", only_launches_are_captured, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0}
};
