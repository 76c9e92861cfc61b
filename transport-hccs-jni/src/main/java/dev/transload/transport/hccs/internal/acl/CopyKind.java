/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

/** Between which memories bytes are copied: the runtime wants to be told. */
public enum CopyKind
{
    /** From page-locked memory to a device. */
    HOST_TO_DEVICE(1),

    /** From a device to page-locked memory. */
    DEVICE_TO_HOST(2),

    /** Between memories of devices, of one or of two. */
    DEVICE_TO_DEVICE(3);

    private final int code;

    CopyKind(final int code)
    {
        this.code = code;
    }

    /** aclrtMemcpyKind. */
    int code()
    {
        return code;
    }
}
