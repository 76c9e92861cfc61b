/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.files;

/**
 * An open file, which its receiver closes.
 *
 * @param descriptor number of the open file in this process.
 * @param length     of what it stands for, in bytes, positive.
 */
public record OpenFile(int descriptor, long length) implements AutoCloseable
{
    @Override
    public void close()
    {
        FileCalls.close(descriptor);
    }
}
