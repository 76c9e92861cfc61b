/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

/** Submits its work to one stream, behind which other streams can be told to start. */
public interface StreamOwner
{
    /**
     * Where its work goes.
     *
     * @return the stream, always the same one.
     */
    CudaStream stream();
}
