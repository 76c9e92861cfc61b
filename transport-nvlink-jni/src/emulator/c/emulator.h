/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The emulator's own declarations: an emulated CUDA driver. */

#ifndef TRANSLOAD_EMULATOR_H
#define TRANSLOAD_EMULATOR_H

#include "emulation.h"
#include "twins.h"

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef void *CUcontext;
typedef void *CUstream;
typedef void *CUevent;
typedef void *CUmodule;
typedef void *CUfunction;
typedef void *CUgraph;
typedef void *CUgraphExec;

typedef unsigned long long CUmemGenericAllocationHandle;

typedef struct
{
    int type;
    int id;
} CUmemLocation;

typedef struct
{
    int type;
    int requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    unsigned char allocFlags[8];
} CUmemAllocationProp;

typedef struct
{
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

typedef struct
{
    char bytes[16];
} CUuuid;

typedef struct
{
    char bytes[64];
} CUipcMemHandle;

/* The result codes in use, with the driver's numbers. */
enum
{
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_MAP_FAILED = 205,
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_STATE = 401,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901
};

enum
{
    TL_MOST_DEVICES = 16,
    TL_MOST_QUEUED_TASKS = 1024
};

/* ---- entering.c: every exported call begins and ends here ---- */

/*
 * Takes the lock; injects a fault; checks that the driver is initialised and, where `context` is not NULL, that the
 * thread has a usable current context, which it stores there. tl_leave must follow, whatever is returned.
 */
CUresult tl_enter(const char *symbol, struct tl_context **context);
CUresult tl_leave(CUresult result);

/* ---- devices.c, contexts.c ---- */

struct tl_stream;

/* A device's primary context. */
struct tl_context
{
    int device;
    unsigned references;
    CUresult sticky;
    uint64_t peers;
    uint64_t used_bytes;
    struct tl_stream *legacy;
    struct tl_stream *streams;
};

extern bool tl_initialised;
extern int tl_device_count;
extern uint64_t tl_device_bytes;
extern int tl_driver_version;
extern struct tl_context tl_contexts[TL_MOST_DEVICES];

bool tl_can_access_peer(int device, int peer);
bool tl_is_context(const void *context);
struct tl_context *tl_current_context(void);

/* Kinds of handles. */
enum tl_kind
{
    TL_STREAM = 1,
    TL_EVENT,
    TL_MODULE,
    TL_FUNCTION,
    TL_PHYSICAL,
    TL_GRAPH,
    TL_GRAPH_EXEC
};

/* ---- memory.c ---- */

/* What the files of memory are called. */
extern const char TL_FILE_PREFIX[];

/* Whether a kernel of the context may touch the range. */
bool tl_range_accessible(const struct tl_range *range, const struct tl_context *context);
void tl_memory_release_context(struct tl_context *context);

/* ---- virtual.c ---- */

bool tl_physical_exportable(const struct tl_physical *physical);

/* ---- access.c: what a task touches ---- */

enum
{
    TL_MOST_HELD = 512
};

/* The ranges that hold the bytes of a copy: one, or mappings side by side. They are held as long as it runs. */
struct tl_span
{
    struct tl_range *held[TL_MOST_HELD];
    unsigned count;
};

/* Whether live ranges hold all of [address, address + length). */
bool tl_span_known(uint64_t address, uint64_t length);
/* Holds them; false, and none, if that is not so. */
bool tl_span_hold(struct tl_span *span, uint64_t address, uint64_t length);
void tl_span_release(struct tl_span *span);
/* The host pointer to an address that the span begins with. */
void *tl_span_view(const struct tl_span *span, uint64_t address);

struct tl_task;

/* Runs a twin in the context; the result is what its kernel ends with. */
CUresult tl_access_run_twin(struct tl_context *context, const struct tl_twin *twin, const void *arguments,
    unsigned blocks, unsigned threads);
/* Copies with the copy engine; both addresses may be a device's or those of pinned memory. */
CUresult tl_access_copy(uint64_t target, uint64_t source, size_t length);
CUresult tl_access_set(uint64_t target, unsigned char value, size_t length);

/* ---- streams.c ---- */

enum tl_task_kind
{
    TL_TASK_KERNEL,
    TL_TASK_COPY,
    TL_TASK_SET,
    TL_TASK_RECORD,
    TL_TASK_WAIT
};

/* A point in a stream that an event stands for. */
struct tl_mark
{
    unsigned references;
    bool done;
};

struct tl_task
{
    struct tl_task *next;
    enum tl_task_kind kind;
    uint64_t ticket;
    uint64_t target;
    uint64_t source;
    size_t length;
    unsigned char value;
    const struct tl_twin *twin;
    void *arguments;
    unsigned blocks;
    unsigned threads;
    struct tl_mark *mark;
};

struct tl_stream
{
    struct tl_stream *next;
    struct tl_context *context;
    void *handle;
    bool blocking;
    bool closed;
    unsigned waiters;
    unsigned queued;
    uint64_t random;
    uint64_t most_delay_us;
    struct tl_task *head;
    struct tl_task *tail;
    /* What is captured, or NULL. */
    struct tl_graph *capture;
    pthread_cond_t wake;
};

struct tl_stream *tl_stream_create(struct tl_context *context, bool blocking);
/* The stream of a handle (NULL: the legacy default stream) if it belongs to the context, or NULL. */
struct tl_stream *tl_stream_find(struct tl_context *context, CUstream handle);
/* The same, of whatever context; NULL is the given one's legacy default stream. */
struct tl_stream *tl_stream_find_of_any(struct tl_context *context, CUstream handle);
/* Takes over the task; waits while the stream is full, as the driver does. */
CUresult tl_stream_submit(struct tl_stream *stream, struct tl_task *task);
CUresult tl_stream_wait(struct tl_stream *stream);
/* Waits for all work of the context. */
CUresult tl_context_wait(struct tl_context *context);
/* What a synchronous copy waits for: the legacy stream and all streams that are ordered with it. */
CUresult tl_legacy_wait(struct tl_context *context);
/* Ends all streams of an idle or failed context. */
void tl_streams_release_context(struct tl_context *context);

/* ---- graphs.c ---- */

/* Of a stream that is captured: takes over the task, a launch, or refuses it. */
CUresult tl_graph_take(struct tl_stream *stream, struct tl_task *task);
/* Refuses, and ends the capture, if the stream is captured. */
CUresult tl_graph_refuse(struct tl_stream *stream, const char *what);
/* Ends a capture without a graph. */
void tl_graph_drop(struct tl_stream *stream);
void tl_graphs_release_context(struct tl_context *context);

/* ---- tasks.c ---- */

/* Starts the stream's thread, which frees the stream when that is closed and empty. */
bool tl_stream_start(struct tl_stream *stream);
void tl_mark_release(struct tl_mark *mark);

/* ---- events.c, modules.c, ptx.c ---- */

/* What the head of a kernel in PTX says; argument_bytes is 0 if its parameter is no structure. */
struct tl_entry
{
    size_t argument_bytes;
    unsigned most_threads;
};

struct tl_function
{
    struct tl_function *next;
    struct tl_context *context;
    void *handle;
    const struct tl_twin *twin;
    unsigned most_threads;
};

/* Whether the driver would take the text; if not, the log says why. */
CUresult tl_ptx_check(const char *text, char *log, size_t log_bytes);
bool tl_ptx_entry(const char *text, const char *name, struct tl_entry *entry);
void tl_events_release_context(struct tl_context *context);
void tl_modules_release_context(struct tl_context *context);

/* What a task may end with besides a code: never. */
enum
{
    TL_FAULT_HANG = -1
};

#endif
