/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The emulator's own declarations: an emulated ACL runtime, as CANN has it. */

#ifndef TRANSLOAD_EMULATOR_H
#define TRANSLOAD_EMULATOR_H

#include "emulation.h"

typedef int aclError;
typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef int aclrtMemMallocPolicy;
typedef int aclrtMemcpyKind;
typedef int aclrtReduceKind;
typedef int aclDataType;
typedef int aclrtEventRecordedStatus;
typedef int aclrtDeviceStatus;
typedef int aclCANNPackageName;

typedef struct
{
    char version[128];
    char major[64];
    char minor[64];
    char release[64];
    char patch[64];
    char reserved[128];
} aclCANNPackageVersion;

/* The result codes in use, with the runtime's numbers. */
enum
{
    ACL_SUCCESS = 0,
    ACL_ERROR_INVALID_PARAM = 100000,
    ACL_ERROR_UNINITIALIZE = 100001,
    ACL_ERROR_REPEAT_INITIALIZE = 100002,
    ACL_ERROR_RT_PARAM_INVALID = 107000,
    ACL_ERROR_RT_CONTEXT_NULL = 107002,
    ACL_ERROR_RT_STREAM_CONTEXT = 107003,
    ACL_ERROR_RT_STREAM_ABORT = 107023,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT = 207000,
    ACL_ERROR_RT_MEMORY_ALLOCATION = 207001,
    ACL_ERROR_RT_NO_PERMISSION = 207006,
    ACL_ERROR_RT_LOST_HEARTBEAT = 507010,
    ACL_ERROR_RT_SYS_DMA = 507013,
    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT = 507046,
    ACL_ERROR_RT_LINK_ERROR = 507056,
    ACL_ERROR_RT_SUSPECT_REMOTE_ERROR = 507057
};

enum
{
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5
};

enum
{
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
};

enum
{
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10
};

enum
{
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_INT16 = 6,
    ACL_INT64 = 9,
    ACL_BF16 = 27
};

enum
{
    ACL_VALUE_WAIT_GEQ = 0,
    ACL_VALUE_WAIT_EQ = 1,
    ACL_VALUE_WAIT_AND = 2,
    ACL_VALUE_WAIT_NOR = 3,
    ACL_RT_DEVS_TOPOLOGY_HCCS = 0x01,
    ACL_RT_DEVS_TOPOLOGY_SYS = 0x10
};

enum
{
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
    ACL_CONTINUE_ON_FAILURE = 0,
    ACL_STOP_ON_FAILURE = 1
};

enum
{
    TL_MOST_DEVICES = 16,
    TL_MOST_QUEUED_TASKS = 1024,
    TL_HUGE_PAGE = 2 << 20,
    TL_KEY_LENGTH = 65
};

/* Kinds of handles. */
enum tl_kind
{
    TL_STREAM = 1,
    TL_EVENT
};

/* ---- entering.c: every exported call begins and ends here ---- */

/*
 * Takes the lock; injects a fault; checks that the runtime is initialised and, where `context` is not NULL, that the
 * thread has a context whose device lives, which it stores there. tl_leave must follow, whatever is returned.
 */
aclError tl_enter(const char *symbol, struct tl_context **context);
/* The same for what gives something back, which a device that is dead does not prevent. */
aclError tl_enter_to_release(const char *symbol, struct tl_context **context);
aclError tl_leave(aclError result);
/* The code, with a clause for aclGetRecentErrMsg. */
__attribute__((format(printf, 2, 3))) aclError tl_refuse(aclError code, const char *format, ...);

/* ---- devices.c ---- */

struct tl_stream;

/* A device's default context in this process. */
struct tl_context
{
    int device;
    unsigned references;
    /* Distinguishes this life of the context from the ones before a reset. */
    unsigned life;
    bool dead;
    uint64_t peers;
    uint64_t used_bytes;
    struct tl_stream *streams;
};

extern bool tl_initialised;
extern uint64_t tl_device_bytes;
extern bool tl_link_is_down;
extern bool tl_peer_is_dead;

bool tl_can_access_peer(int device, int peer);
/* The thread's context, or NULL. */
struct tl_context *tl_current_context(void);
/* What this process is called in whitelists. */
int tl_bare_process(void);

/* ---- memory.c ---- */

/* What the files of memory are called. */
extern const char TL_FILE_PREFIX[];
bool tl_on_device(const struct tl_range *range);
/* The range that holds all of it and is the device's, or the host's pinned one; or NULL. */
struct tl_range *tl_find_memory(bool device, const void *address, uint64_t length);
void tl_memory_release_context(struct tl_context *context);

/* ---- ipc.c ---- */

/* Whether the memory is exported and not closed. */
bool tl_is_exported(const struct tl_range *range);
/* What a task that touches imported memory ends with. */
aclError tl_import_state(const struct tl_range *range);
unsigned tl_export_count(void);

/* ---- streams.c ---- */

enum tl_task_kind
{
    TL_TASK_COPY,
    TL_TASK_SET,
    TL_TASK_REDUCE,
    TL_TASK_RECORD,
    TL_TASK_WAIT,
    TL_TASK_VALUE
};

/* A point in a stream that an event stands for. */
struct tl_mark
{
    unsigned references;
    bool done;
};

/* Of a copy: `height` lines of `length` bytes, the next one a pitch further on. */
struct tl_task
{
    struct tl_task *next;
    enum tl_task_kind kind;
    uint64_t ticket;
    uint64_t target;
    uint64_t source;
    uint64_t length;
    uint64_t height;
    uint64_t target_pitch;
    uint64_t source_pitch;
    /* The byte of a set, the type of a reduction, how a word is compared with the source. */
    int value;
    struct tl_mark *mark;
};

struct tl_stream
{
    struct tl_stream *next;
    struct tl_context *context;
    void *handle;
    unsigned number;
    uint64_t mode;
    bool closed;
    /* Tasks up to this ticket are dropped. */
    uint64_t aborted;
    unsigned aborts;
    aclError error;
    unsigned waiters;
    unsigned queued;
    uint64_t random;
    uint64_t most_delay_us;
    struct tl_task *head;
    struct tl_task *tail;
    pthread_cond_t wake;
};

/* The stream of a handle, in the context; else refuses. */
aclError tl_stream_find(struct tl_context *context, aclrtStream handle, struct tl_stream **stream);
/* Enters a call about a stream of the thread's context. */
aclError tl_enter_stream(const char *symbol, aclrtStream handle, struct tl_stream **stream);
/* Takes over a copy of the task; waits while the stream is full, as the runtime does. */
aclError tl_stream_submit(struct tl_stream *stream, const struct tl_task *task);
/* Ends all streams of the context. */
void tl_streams_release_context(struct tl_context *context);

/* ---- tasks.c ---- */

/* Starts the stream's thread, which frees the stream when that is closed and empty. */
bool tl_stream_start(struct tl_stream *stream);
void tl_mark_release(struct tl_mark *mark);

/* ---- work.c: what tasks do to memory; without the lock ---- */

aclError tl_work(struct tl_context *context, const struct tl_task *task);
/* Whether the word that the task waits for is as it should be; with the lock. */
aclError tl_value_met(struct tl_context *context, const struct tl_task *task, bool *met);
/* Bytes of an element that a reduction takes; 0 for other types. */
uint64_t tl_reduce_element(aclDataType type);

/* ---- events.c ---- */

void tl_events_release_context(struct tl_context *context);

/* ---- entering.c ---- */

/* What a task may end with besides a code, and what a function may be. */
enum
{
    TL_FAULT_HANG = -1,
    TL_FAULT_LINK_DOWN = -2,
    TL_FAULT_PEER_DEATH = -3,
    TL_FAULT_LOST_HEARTBEAT = -4,
    TL_FAULT_MISSING = -5
};

#endif
