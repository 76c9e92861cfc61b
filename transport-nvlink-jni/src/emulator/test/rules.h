/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The rules of the emulated CUDA driver as cases. */

#ifndef TRANSLOAD_EMULATOR_RULES_H
#define TRANSLOAD_EMULATOR_RULES_H

#include "../c/emulator.h"
#include "harness.h"

#define DRIVER_FUNCTIONS(FUNCTION) \
    FUNCTION(cuInit, (unsigned flags)) \
    FUNCTION(cuDriverGetVersion, (int *version)) \
    FUNCTION(cuDeviceGetCount, (int *count)) \
    FUNCTION(cuDeviceGet, (CUdevice *device, int ordinal)) \
    FUNCTION(cuDeviceGetName, (char *name, int length, CUdevice device)) \
    FUNCTION(cuDeviceGetUuid_v2, (CUuuid *uuid, CUdevice device)) \
    FUNCTION(cuDeviceGetPCIBusId, (char *text, int length, CUdevice device)) \
    FUNCTION(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device)) \
    FUNCTION(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device)) \
    FUNCTION(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer)) \
    FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device)) \
    FUNCTION(cuDevicePrimaryCtxRelease_v2, (CUdevice device)) \
    FUNCTION(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags)) \
    FUNCTION(cuCtxSetCurrent, (CUcontext context)) \
    FUNCTION(cuCtxGetCurrent, (CUcontext *context)) \
    FUNCTION(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags)) \
    FUNCTION(cuCtxSynchronize, (void)) \
    FUNCTION(cuFlushGPUDirectRDMAWrites, (int target, int scope)) \
    FUNCTION(cuMemAlloc_v2, (CUdeviceptr *address, size_t length)) \
    FUNCTION(cuMemFree_v2, (CUdeviceptr address)) \
    FUNCTION(cuMemGetInfo_v2, (size_t *free_bytes, size_t *total_bytes)) \
    FUNCTION(cuMemGetAddressRange_v2, (CUdeviceptr *base, size_t *length, CUdeviceptr address)) \
    FUNCTION(cuPointerGetAttribute, (void *data, int attribute, CUdeviceptr address)) \
    FUNCTION(cuMemHostAlloc, (void **address, size_t length, unsigned flags)) \
    FUNCTION(cuMemFreeHost, (void *address)) \
    FUNCTION(cuMemHostRegister_v2, (void *address, size_t length, unsigned flags)) \
    FUNCTION(cuMemHostUnregister, (void *address)) \
    FUNCTION(cuMemHostGetDevicePointer_v2, (CUdeviceptr *device_address, void *address, unsigned flags)) \
    FUNCTION(cuIpcGetMemHandle, (CUipcMemHandle *handle, CUdeviceptr address)) \
    FUNCTION(cuIpcOpenMemHandle_v2, (CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)) \
    FUNCTION(cuIpcCloseMemHandle, (CUdeviceptr address)) \
    FUNCTION(cuMemGetAllocationGranularity, (size_t *bytes, const CUmemAllocationProp *property, int option)) \
    FUNCTION(cuMemCreate, (CUmemGenericAllocationHandle *handle, size_t length, \
        const CUmemAllocationProp *property, unsigned long long flags)) \
    FUNCTION(cuMemRelease, (CUmemGenericAllocationHandle handle)) \
    FUNCTION(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle *handle, void *address)) \
    FUNCTION(cuMemExportToShareableHandle, (void *file, CUmemGenericAllocationHandle handle, int type, \
        unsigned long long flags)) \
    FUNCTION(cuMemImportFromShareableHandle, (CUmemGenericAllocationHandle *handle, void *file, int type)) \
    FUNCTION(cuMemAddressReserve, (CUdeviceptr *address, size_t length, size_t alignment, CUdeviceptr wanted, \
        unsigned long long flags)) \
    FUNCTION(cuMemAddressFree, (CUdeviceptr address, size_t length)) \
    FUNCTION(cuMemMap, (CUdeviceptr address, size_t length, size_t offset, CUmemGenericAllocationHandle handle, \
        unsigned long long flags)) \
    FUNCTION(cuMemUnmap, (CUdeviceptr address, size_t length)) \
    FUNCTION(cuMemSetAccess, (CUdeviceptr address, size_t length, const CUmemAccessDesc *access, size_t count)) \
    FUNCTION(cuMemcpyHtoD_v2, (CUdeviceptr target, const void *source, size_t length)) \
    FUNCTION(cuMemcpyDtoH_v2, (void *target, CUdeviceptr source, size_t length)) \
    FUNCTION(cuMemcpyAsync, (CUdeviceptr target, CUdeviceptr source, size_t length, CUstream stream)) \
    FUNCTION(cuMemcpyDtoDAsync_v2, (CUdeviceptr target, CUdeviceptr source, size_t length, CUstream stream)) \
    FUNCTION(cuMemsetD8_v2, (CUdeviceptr target, unsigned char value, size_t length)) \
    FUNCTION(cuMemsetD8Async, (CUdeviceptr target, unsigned char value, size_t length, CUstream stream)) \
    FUNCTION(cuStreamCreate, (CUstream *stream, unsigned flags)) \
    FUNCTION(cuStreamCreateWithPriority, (CUstream *stream, unsigned flags, int priority)) \
    FUNCTION(cuStreamDestroy_v2, (CUstream stream)) \
    FUNCTION(cuStreamSynchronize, (CUstream stream)) \
    FUNCTION(cuStreamQuery, (CUstream stream)) \
    FUNCTION(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags)) \
    FUNCTION(cuStreamBeginCapture_v2, (CUstream stream, int mode)) \
    FUNCTION(cuStreamIsCapturing, (CUstream stream, int *status)) \
    FUNCTION(cuStreamEndCapture, (CUstream stream, CUgraph *graph)) \
    FUNCTION(cuGraphInstantiateWithFlags, (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
    FUNCTION(cuGraphLaunch, (CUgraphExec exec, CUstream stream)) \
    FUNCTION(cuGraphDestroy, (CUgraph graph)) \
    FUNCTION(cuGraphExecDestroy, (CUgraphExec exec)) \
    FUNCTION(cuEventCreate, (CUevent *event, unsigned flags)) \
    FUNCTION(cuEventRecord, (CUevent event, CUstream stream)) \
    FUNCTION(cuEventQuery, (CUevent event)) \
    FUNCTION(cuEventDestroy_v2, (CUevent event)) \
    FUNCTION(cuModuleLoadData, (CUmodule *module, const void *image)) \
    FUNCTION(cuModuleLoadDataEx, (CUmodule *module, const void *image, unsigned count, int *names, void **values)) \
    FUNCTION(cuModuleUnload, (CUmodule module)) \
    FUNCTION(cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name)) \
    FUNCTION(cuLaunchKernel, (CUfunction function, unsigned blocks, unsigned blocks_y, unsigned blocks_z, \
        unsigned threads, unsigned threads_y, unsigned threads_z, unsigned shared_bytes, CUstream stream, \
        void **parameters, void **extra)) \
    FUNCTION(cuGetErrorName, (CUresult code, const char **name)) \
    FUNCTION(cuGetErrorString, (CUresult code, const char **text))

#define DECLARE(name, arguments) extern CUresult (*name) arguments;
DRIVER_FUNCTIONS(DECLARE)
#undef DECLARE

extern const struct rule device_rules[];
extern const struct rule memory_rules[];
extern const struct rule host_rules[];
extern const struct rule stream_rules[];
extern const struct rule module_rules[];
extern const struct rule error_rules[];
extern const struct rule ipc_rules[];
extern const struct rule virtual_rules[];
extern const struct rule graph_rules[];

#define OK(call) EXPECT(CUDA_SUCCESS, call)

/* ---- fixture.c ---- */

/* The arguments of tl_probe, which stores one word: value at address. */
struct probe
{
    uint64_t address;
    uint64_t value;
};

/* The PTX of tl_probe and of tl_hold, which waits until a word of pinned memory is not 0. */
extern const char PROBES[];

/* Initialises the driver and makes the device's primary context current. */
CUcontext use_device(int device);
CUfunction probe_function(const char *name);
CUresult launch(CUfunction function, unsigned blocks, unsigned threads, CUstream stream, void *arguments, size_t bytes);
CUresult store(CUfunction function, CUstream stream, uint64_t address, uint64_t value);
CUdeviceptr device_memory(size_t length);
uint64_t device_word(CUdeviceptr address);
CUstream stream_of(unsigned flags);
/* Lets time pass, by work on a stream of its own, for what must not happen meanwhile. */
void let_time_pass(void);

/* A gate that holds a stream's work back until it is opened. */
struct gate
{
    uint64_t *word;
    CUfunction function;
};

struct gate gate_create(void);
void gate_hold(const struct gate *gate, CUstream stream);
void gate_open(const struct gate *gate);

#endif
