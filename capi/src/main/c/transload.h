/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Transload for C: dispatch and combine of Mixture-of-Experts tokens. The engine is Java; this library starts a JVM in
 * the process, or uses the one that is there.
 *
 *     transload_start(NULL);                          the JVM, once in a process
 *     transload_world_open(&options, &world);         collective: every rank is there
 *     transload_engine_open(world, NULL, &engine);    collective
 *     transload_dispatch_start(engine, &request, &call);
 *     transload_call_wait(call, -1);
 *     transload_dispatch_result(call, &result);
 *
 * Functions return TRANSLOAD_OK, TRANSLOAD_PENDING, or an error below 0; transload_last_error() has the sentence of the
 * calling thread's last error. All ranks make the same calls in the same order. Tensors are DLPack's: dense, row-major,
 * of one dimension (a column) to three (rows of the first two), at any address; those of a request are borrowed, and stay as they are until its
 * call is closed or waited for. Tensors that the library gives out are the caller's: it calls their deleter, on any
 * thread.
 *
 * Element types: kDLBfloat 16 bits; FP8 E4M3 as kDLFloat8_e4m3fn or kDLUInt 8 bits; kDLInt 32 and 64 bits; kDLFloat 32
 * bits. What has no type for BF16 may give kDLUInt 16 bits. Devices: kDLCPU; kDLCUDA, by the pointer.
 *
 * A struct begins with its size: set it to sizeof, and all else to 0 unless needed. Later versions append fields.
 */

#ifndef TRANSLOAD_H
#define TRANSLOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#error Transload runs on Linux
#endif
#define TRANSLOAD_PUBLIC __attribute__((visibility("default")))

/*
 * Raised when a program that was compiled for an older one would no longer work. New functions, and fields at the end of
 * structs, do not raise it.
 */
#define TRANSLOAD_API_VERSION 1

/* DLPack 0.8 and 1, as far as it is used here; dlpack.h may be included before. */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
typedef enum
{
    kDLCPU = 1,
    kDLCUDA = 2
} DLDeviceType;
typedef struct
{
    int32_t device_type;
    int32_t device_id;
} DLDevice;
typedef enum
{
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLBfloat = 4,
    kDLFloat8_e4m3fn = 10
} DLDataTypeCode;
typedef struct
{
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;
typedef struct
{
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor
{
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
#endif

enum transload_status
{
    TRANSLOAD_OK = 0,
    TRANSLOAD_PENDING = 1,          /* the call has not ended yet */
    TRANSLOAD_BAD_INPUT = -1,       /* an argument or a call is not allowed now; nothing was sent */
    TRANSLOAD_CONFIGURATION = -2,   /* a setting is wrong, or differs between ranks */
    TRANSLOAD_UNAVAILABLE = -3,     /* a transport or memory is not to be had */
    TRANSLOAD_RENDEZVOUS = -4,      /* the world did not form, or broke apart */
    TRANSLOAD_PEER_FAILED = -5,     /* a rank is dead or unreachable: transload_last_peer() */
    TRANSLOAD_DEADLINE = -6,        /* the call's deadline passed */
    TRANSLOAD_MISMATCH = -7,        /* ranks made different calls */
    TRANSLOAD_ABORTED_BY_PEER = -8, /* another rank gave up */
    TRANSLOAD_RETIRED = -9,         /* an earlier call failed, or the engine is closed */
    TRANSLOAD_INTERNAL = -10,       /* anything else */
    TRANSLOAD_NO_JVM = -11,         /* transload_start() was not called, or failed */
    TRANSLOAD_FORKED = -12          /* this process is a fork of the one that started the JVM */
};

typedef struct transload_world transload_world;
typedef struct transload_engine transload_engine;
typedef struct transload_handle transload_handle;
typedef struct transload_call transload_call;
typedef struct transload_low_latency transload_low_latency;
typedef struct transload_low_latency_output transload_low_latency_output;
typedef struct transload_low_latency_call transload_low_latency_call;

/* TRANSLOAD_API_VERSION of the library. */
TRANSLOAD_PUBLIC int transload_version(void);

/* One sentence about the calling thread's last error: what, where and what is allowed. "" before the first. */
TRANSLOAD_PUBLIC const char *transload_last_error(void);

/* The rank that the last error is about, -1 for none. */
TRANSLOAD_PUBLIC int transload_last_peer(void);

/* Free what a function says is to be freed by this. NULL is allowed. */
TRANSLOAD_PUBLIC void transload_free(void *memory);

/* Where the JVM comes from. Fields that are NULL have the environment's value, then the default. */
typedef struct
{
    size_t size;
    const char *libjvm;    /* the file libjvm.so. TRANSLOAD_LIBJVM, else of java_home */
    const char *java_home; /* a JDK or runtime of 17 or newer. TRANSLOAD_JAVA_HOME; jre beside this library; JAVA_HOME;
                              that of java on the PATH */
    const char *jars;      /* folder of the jars. TRANSLOAD_JARS, else jars beside this library, or up to two folders
                              above */
    const char *flags;     /* more flags of the JVM, between blanks. TRANSLOAD_JVM_FLAGS */
} transload_jvm;

/*
 * Start the JVM with -Xrs, so that it handles no signals but those that it needs for itself (SIGSEGV, SIGBUS, SIGFPE,
 * SIGILL, which it passes on to handlers that stood before), or attach to the JVM of this process, whose class path
 * must have the jars then. There is one JVM for the life of a process; calling again does nothing. options may be NULL.
 */
TRANSLOAD_PUBLIC int transload_start(const transload_jvm *options);

typedef struct
{
    size_t size;
    int32_t rank;               /* in [0, ranks); -1: rank, world and address are those of the launcher (torchrun,
                                   mpirun, ...) */
    int32_t ranks;              /* P */
    const char *ranks_of_nodes; /* "2,2": ranks of each node, in order. NULL: one node */
    const char *address;        /* host:port of rank 0, where the ranks meet */
    const char *config_file;    /* HOCON, JSON or properties. NULL: none */
    const char *settings;       /* lines "transload.key = value" over TRANSLOAD_ variables and file. NULL: none */
    int64_t timeout_ms;         /* for the world to form. 0: transload.rendezvous.timeout */
} transload_world_options;

/*
 * Meet the other ranks. Collective. Transports are "aeron" unless settings name others. Engines of a world share its
 * transports; all ranks open them in the same order.
 */
TRANSLOAD_PUBLIC int transload_world_open(const transload_world_options *options, transload_world **world);
TRANSLOAD_PUBLIC int transload_world_place(transload_world *world, int32_t *rank, int32_t *ranks, int32_t *nodes);

/*
 * Every rank gives bytes under a topic, which is used once in the life of a world, and gets those of all: *gathered, to
 * be freed by transload_free, holds them by rank, one behind the other; lengths[P] says how many are of each.
 */
TRANSLOAD_PUBLIC int transload_world_all_gather(
    transload_world *world, const char *topic, const void *bytes, int64_t length, int64_t timeout_ms, void **gathered,
    int64_t *lengths);

/* Leave. Close engines first. The pointer is not to be used any more, whatever is returned; so with all that closes. */
TRANSLOAD_PUBLIC int transload_world_close(transload_world *world);

/* Memory that all rings of a rank take with these settings (lines, as above). */
TRANSLOAD_PUBLIC int transload_ring_bytes(const char *settings, int64_t *bytes);

/* Memory that peers write to in each rank in low-latency calls; tokens is the most of a call and rank. */
TRANSLOAD_PUBLIC int transload_low_latency_bytes(
    int32_t tokens, int32_t hidden, int32_t ranks, int32_t experts, int32_t topk, int64_t *bytes);

/*
 * Where tokens would go; sends nothing, and needs no JVM. topk_idx [T, K] I64 in host memory: experts in [0, experts),
 * -1 for none. Counts: tokens_per_rank [P], tokens_per_node [N], tokens_per_expert [E]; is_token_in_rank [T, P] of 0
 * and 1. Each may be NULL. E is padded up to a multiple of P, so that each rank has ceil(E/P) experts.
 */
TRANSLOAD_PUBLIC int transload_layout(
    const DLTensor *topk_idx, int32_t experts, int32_t ranks, const int32_t *ranks_of_nodes, int32_t nodes,
    int32_t *tokens_per_rank, int32_t *tokens_per_node, int32_t *tokens_per_expert, uint8_t *is_token_in_rank);

/* Of raw_types: these come out as kDLUInt of as many bits, for programs that have no such types. */
enum transload_raw_types
{
    TRANSLOAD_RAW_FP8 = 1,
    TRANSLOAD_RAW_BF16 = 2
};

/* ---- Normal mode ---- */

/* Open an engine with settings (lines) over those of the world. Collective. settings may be NULL. */
TRANSLOAD_PUBLIC int transload_engine_open(transload_world *world, const char *settings, transload_engine **engine);

/* Tensors of the engine that were not deleted yet; closing it takes their memory away. */
TRANSLOAD_PUBLIC int transload_engine_tensors(transload_engine *engine, int64_t *count);

/* Waits until every rank closes, 10 s at most. */
TRANSLOAD_PUBLIC int transload_engine_close(transload_engine *engine);

/* Memory of the payload's kind, [rows, columns], that other ranks of the node reach in place. */
TRANSLOAD_PUBLIC int transload_engine_allocate(
    transload_engine *engine, DLDataType type, int64_t rows, int64_t columns, DLManagedTensor **tensor);

typedef struct
{
    size_t size;
    const DLTensor *x;            /* [T, hidden] BF16, hidden a multiple of 8, or FP8 with x_scales, hidden a
                                     multiple of 128 */
    const DLTensor *x_scales;     /* [T, hidden/128] F32; NULL with BF16 */
    const DLTensor *topk_idx;     /* [T, K] I64; NULL in a cached dispatch */
    const DLTensor *topk_weights; /* [T, K] F32; NULL: zeros */
    transload_handle *cached;     /* of an earlier dispatch, which is repeated with other rows */
    int32_t experts;              /* E; 0 in a cached dispatch */
    int32_t expert_alignment;     /* counts are rounded up to it; 0: as configured */
    int32_t layout;               /* 0: as configured; 1: rows by source rank, then token; 2: by expert */
    int32_t raw_types;            /* enum transload_raw_types; 0: BF16 and FP8 as such */
    int64_t worst_rows;           /* output has so many rows; those not delivered have expert -1. 0: as many as come */
    int64_t timeout_ms;           /* deadline of the call; 0: as configured */
    void *wait_event;             /* CUevent behind which x, scales and top-k are ready; NULL: now */
    void *record_event;           /* CUevent that is recorded behind the call's device work; NULL: none */
} transload_dispatch_request;

typedef struct
{
    size_t size;
    DLManagedTensor *x;             /* [rows, hidden], or [worst_rows, hidden] */
    DLManagedTensor *x_scales;      /* [rows, hidden/128] F32; NULL with BF16 */
    DLManagedTensor *topk_idx;      /* [rows, K] I64: local expert, or -1; NULL for a cached dispatch, like the next
                                       two */
    DLManagedTensor *topk_weights;  /* [rows, K] F32 */
    DLManagedTensor *src_token_idx; /* [rows, 1] I32: index of the token on its source rank */
    transload_handle *handle;       /* for combine and cached dispatches, to be closed; NULL for a cached dispatch */
    const int32_t *rows_per_expert; /* [local_experts], rounded up to the alignment; there until the call is closed and
                                       x is deleted */
    const int32_t *rank_prefix_sum; /* [P]: rows that came from ranks up to and including p; right behind the former */
    int32_t rows;
    int32_t local_experts;
    int64_t engine_ns;              /* from the call's submission until it was seen to have ended */
    void *x_data;                   /* where the tensors lie, for languages that follow pointers slowly; NULL where */
    void *x_scales_data;            /* there is none */
    void *topk_idx_data;
    void *topk_weights_data;
    void *src_token_idx_data;
} transload_dispatch_result_t;

TRANSLOAD_PUBLIC int transload_dispatch_start(
    transload_engine *engine, const transload_dispatch_request *request, transload_call **call);

typedef struct
{
    size_t size;
    transload_handle *handle;     /* of the dispatch that brought the rows */
    const DLTensor *x;            /* [rows or more, hidden] BF16: answer to each delivered row */
    const DLTensor *topk_weights; /* [rows or more, K] F32 to be summed, too; NULL on all ranks: none */
    const DLTensor *bias0;        /* [T, hidden] BF16 or NULL */
    const DLTensor *bias1;        /* [T, hidden] BF16 or NULL */
    const DLTensor *out;          /* [T, hidden] BF16: where the sums go; NULL: into memory of the engine */
    int32_t raw_types;
    int64_t timeout_ms;
    void *wait_event;
    void *record_event;
} transload_combine_request;

typedef struct
{
    size_t size;
    DLManagedTensor *x;            /* [T, hidden] BF16; NULL where out was given */
    DLManagedTensor *topk_weights; /* [T, K] F32; NULL without weights */
    int64_t engine_ns;
    void *x_data;                  /* where they lie, as above */
    void *topk_weights_data;
} transload_combine_result_t;

TRANSLOAD_PUBLIC int transload_combine_start(
    transload_engine *engine, const transload_combine_request *request, transload_call **call);

/*
 * Wait for the call, timeout_ms at most: TRANSLOAD_PENDING when that passed. Below 0: until it ends, by its deadline.
 */
TRANSLOAD_PUBLIC int transload_call_wait(transload_call *call, int64_t timeout_ms);

/* What a dispatch delivered, once it was waited for; its tensors are given out once. */
TRANSLOAD_PUBLIC int transload_dispatch_result(transload_call *call, transload_dispatch_result_t *result);

/* What a combine sums up. Before it was waited for, tensors that are being written; they are given out once. */
TRANSLOAD_PUBLIC int transload_combine_result(transload_call *call, transload_combine_result_t *result);

/* Waits for the call where it has not ended. NULL is allowed. */
TRANSLOAD_PUBLIC int transload_call_close(transload_call *call);

/*
 * Start a call, wait for it, wait_ms at most, and give its result: one function in place of four, which takes less
 * time. TRANSLOAD_OK: the call has ended well, *call is NULL, and the result is there; its counts stay until x is
 * deleted. TRANSLOAD_PENDING when wait_ms passed: *call goes on; wait for it, ask for its result and close it as above.
 * An error: nothing is left of the call. With wait_ms below 0 they wait until the call ends.
 */
TRANSLOAD_PUBLIC int transload_dispatch(
    transload_engine *engine, const transload_dispatch_request *request, int64_t wait_ms, transload_call **call,
    transload_dispatch_result_t *result);
TRANSLOAD_PUBLIC int transload_combine(
    transload_engine *engine, const transload_combine_request *request, int64_t wait_ms, transload_call **call,
    transload_combine_result_t *result);

/*
 * The engine uses the memory of deleted tensors and closed handles again from its next call on, or once
 * transload_engine_tensors has counted. NULL is allowed.
 */
TRANSLOAD_PUBLIC int transload_handle_close(transload_handle *handle);

/* ---- Low-latency mode: one thread makes all calls of an engine, and does their work ---- */

TRANSLOAD_PUBLIC int transload_low_latency_open(
    transload_world *world, const char *settings, transload_low_latency **engine);
TRANSLOAD_PUBLIC int transload_low_latency_close(transload_low_latency *engine);

/*
 * Tensors that a dispatch fills; L = ceil(E/P) local experts, R = P * transload.low-latency.max-tokens rows for each.
 */
typedef struct
{
    size_t size;
    DLManagedTensor *x;            /* [L, R, hidden] BF16 or FP8 */
    DLManagedTensor *x_scales;     /* [L, R, hidden/128] F32 or, packed, [L, R, ceil(hidden/512)] I32; NULL with BF16 */
    DLManagedTensor *count;        /* [L] I32 */
    DLManagedTensor *src_info;     /* [L, R] I32: index of the token on its source rank */
    DLManagedTensor *layout_range; /* [L, P] I64: first row (high 32 bits) and number of rows (low 32 bits) of each
                                      source */
} transload_low_latency_tensors;

/*
 * How FP8 scales lie: each row's side by side, or those of one group of all rows side by side; packed: UE8M0, 4 in a
 * word.
 */
enum transload_scales
{
    TRANSLOAD_SCALES_BF16 = -1, /* no FP8 */
    TRANSLOAD_SCALES_ROWS = 0,
    TRANSLOAD_SCALES_COLUMNS = 1,
    TRANSLOAD_SCALES_PACKED_ROWS = 2,
    TRANSLOAD_SCALES_PACKED_COLUMNS = 3
};

/*
 * Make an output, once for many calls; collective where devices do the steps. Its memory is the engine's until that
 * closes.
 */
TRANSLOAD_PUBLIC int transload_low_latency_output_open(
    transload_low_latency *engine, int32_t experts, int32_t hidden, int32_t scales, int32_t raw_types,
    transload_low_latency_output **output, transload_low_latency_tensors *tensors);
TRANSLOAD_PUBLIC int transload_low_latency_output_close(transload_low_latency_output *output);

/* Answers [L, R, hidden] BF16, to be filled and given to combines; as an output. */
TRANSLOAD_PUBLIC int transload_low_latency_answers(
    transload_low_latency *engine, int32_t experts, int32_t hidden, int32_t raw_types, DLManagedTensor **answers);

typedef struct
{
    size_t size;
    const DLTensor *x;                    /* [T, hidden] BF16 */
    const DLTensor *topk_idx;             /* [T, K] I64 or I32 */
    transload_low_latency_output *output; /* not that of another dispatch which is alive */
    int32_t experts;
    int32_t power_of_two;                 /* 1: FP8 scales are powers of two; packed scales need it */
    int32_t at_once;                      /* 1: returns when all has come */
    int64_t timeout_ms;                   /* silence after which a rank is masked; 0: as configured */
    void *stream;                         /* CUstream; NULL: one of the engine's */
} transload_low_latency_dispatch_request;

/* Send. The call is alive until its combine has been received, or it is closed; two may be. */
TRANSLOAD_PUBLIC int transload_low_latency_dispatch(
    transload_low_latency *engine, const transload_low_latency_dispatch_request *request,
    transload_low_latency_call **call);

/* Wait for the rows; nothing to do where they were received. */
TRANSLOAD_PUBLIC int transload_low_latency_receive(transload_low_latency_call *call);

typedef struct
{
    size_t size;
    const DLTensor *x;            /* [L * R, hidden] or [L, R, hidden] BF16: answers to the rows of the output */
    const DLTensor *topk_weights; /* [T, K] F32: weights of this rank's tokens */
    const DLTensor *out;          /* [T, hidden] BF16: gets the weighted sums */
    int64_t timeout_ms;
    void *stream;
    int32_t detach;               /* 1: releases the call, as transload_low_latency_call_detach, once it is sent; the
                                     pointer is not to be used any more then */
} transload_low_latency_combine_request;

/* Send the answers; they are borrowed until received. */
TRANSLOAD_PUBLIC int transload_low_latency_combine(
    transload_low_latency_call *call, const transload_low_latency_combine_request *request);

/*
 * Wait for the sums; left_out, which may be NULL, gets how many selections are not in them, as their ranks are masked.
 */
TRANSLOAD_PUBLIC int transload_low_latency_combine_receive(transload_low_latency_call *call, int32_t *left_out);

/* Release the call; where it was not combined, all ranks must do so. NULL is allowed. */
TRANSLOAD_PUBLIC int transload_low_latency_call_close(transload_low_latency_call *call);

/*
 * Release the call without waiting for what was submitted to its stream, behind which later calls on that stream come;
 * so calls need not be received. Where threads do the steps, or small tensors of host memory were given, it waits.
 * NULL is allowed.
 */
TRANSLOAD_PUBLIC int transload_low_latency_call_detach(transload_low_latency_call *call);

/* Mask a rank; have one take part again, as LowLatencyEngine.clear says; and which do: active[P] of 0 and 1. */
TRANSLOAD_PUBLIC int transload_low_latency_mask(transload_low_latency *engine, int32_t rank);
TRANSLOAD_PUBLIC int transload_low_latency_clear(transload_low_latency *engine, int32_t rank, int32_t generation);
TRANSLOAD_PUBLIC int transload_low_latency_active(transload_low_latency *engine, int32_t *active);

/* How long the engine has worked and waited in all its calls: the sum of the times in Java. */
TRANSLOAD_PUBLIC int transload_low_latency_engine_ns(transload_low_latency *engine, int64_t *engine_ns);

#ifdef __cplusplus
}
#endif

#endif
