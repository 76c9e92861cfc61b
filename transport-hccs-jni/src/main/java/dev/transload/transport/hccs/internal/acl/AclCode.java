/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import java.util.List;

/**
 * A code of the ACL runtime that Transload expects, with the runtime's name for it. Source: the list of return codes in
 * CANN's documents, for 8.1 to 9.2.
 *
 * @param code    as calls return it.
 * @param name    of the runtime's constant.
 * @param meaning in words.
 */
public record AclCode(int code, String name, String meaning)
{
    /** ACL_ERROR_REPEAT_INITIALIZE: another library of this process has called aclInit. */
    public static final int REPEAT_INITIALIZE = 100002;

    /** ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
    public static final int NOT_SUPPORTED = 207000;

    /** ACL_ERROR_RT_MEMORY_ALLOCATION. */
    public static final int OUT_OF_MEMORY = 207001;

    /** ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: a stream still has work. */
    public static final int SYNC_TIMEOUT = 507046;

    /** All of them, ascending. */
    public static final List<AclCode> ALL = List.of(
        new AclCode(100000, "ACL_ERROR_INVALID_PARAM", "an argument is wrong"),
        new AclCode(100001, "ACL_ERROR_UNINITIALIZE", "aclInit was not called"),
        new AclCode(REPEAT_INITIALIZE, "ACL_ERROR_REPEAT_INITIALIZE", "aclInit was called before"),
        new AclCode(107000, "ACL_ERROR_RT_PARAM_INVALID", "an argument is wrong"),
        new AclCode(107001, "ACL_ERROR_RT_INVALID_DEVICEID", "there is no such device"),
        new AclCode(107002, "ACL_ERROR_RT_CONTEXT_NULL", "the thread has no device"),
        new AclCode(107003, "ACL_ERROR_RT_STREAM_CONTEXT", "the stream is another device's"),
        new AclCode(107020, "ACL_ERROR_RT_TASK_TIMEOUT", "a task took too long"),
        new AclCode(107023, "ACL_ERROR_RT_STREAM_ABORT", "the stream was aborted"),
        new AclCode(NOT_SUPPORTED, "ACL_ERROR_RT_FEATURE_NOT_SUPPORT", "the device or the runtime cannot do that"),
        new AclCode(OUT_OF_MEMORY, "ACL_ERROR_RT_MEMORY_ALLOCATION", "no memory is left"),
        new AclCode(207006, "ACL_ERROR_RT_NO_PERMISSION", "this process may not do that"),
        new AclCode(507001, "ACL_ERROR_RT_TS_ERROR", "the device's task scheduler failed"),
        new AclCode(507010, "ACL_ERROR_RT_LOST_HEARTBEAT", "the device does not answer any more"),
        new AclCode(507013, "ACL_ERROR_RT_SYS_DMA", "a copy by the device failed"),
        new AclCode(SYNC_TIMEOUT, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT", "the stream still has work"),
        new AclCode(507053, "ACL_ERROR_RT_DEVICE_MEM_ERROR", "the device's memory has an error"),
        new AclCode(507056, "ACL_ERROR_RT_LINK_ERROR", "the link between two devices is down"),
        new AclCode(507057, "ACL_ERROR_RT_SUSPECT_REMOTE_ERROR", "memory of another device is gone or out of reach"),
        new AclCode(507899, "ACL_ERROR_RT_DRV_INTERNAL_ERROR", "the driver failed"));

    /**
     * A code in words.
     *
     * @param code of a call.
     * @return such as {@code ACL_ERROR_RT_LINK_ERROR (507056, the link between two devices is down)}.
     */
    public static String describe(final int code)
    {
        for (final AclCode known : ALL)
        {
            if (known.code == code)
            {
                return known.name + " (" + code + ", " + known.meaning + ")";
            }
        }

        return "ACL error " + code;
    }
}
