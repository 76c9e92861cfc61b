/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

/** Work of a stream that was captured once, and is launched as a whole, time and again. One thread's. */
public final class CudaGraph implements AutoCloseable
{
    private final CudaDevice device;
    private final long exec;
    private boolean isOpen = true;

    private CudaGraph(final CudaDevice device, final long exec)
    {
        this.device = device;
        this.exec = exec;
    }

    /**
     * Capture what is submitted to a stream, which does none of it.
     *
     * @param device of the stream.
     * @param stream handle.
     * @param work   submits, on the calling thread.
     * @return graph of it.
     */
    public static CudaGraph capture(final CudaDevice device, final long stream, final Runnable work)
    {
        final long context = device.context();
        device.check("cuStreamBeginCapture", CudaCalls.captureBegin(context, stream));
        long graph = 0;
        boolean isDone = false;
        try
        {
            work.run();
            isDone = true;
        }
        finally
        {
            graph = CudaCalls.captureEnd(context, stream);
            if (!isDone && graph > 0)
            {
                device.check("cuGraphDestroy", CudaCalls.graphDestroy(context, graph));
            }
        }

        device.value("cuStreamEndCapture", graph);
        try
        {
            return new CudaGraph(
                device, device.value("cuGraphInstantiate", CudaCalls.graphInstantiate(context, graph)));
        }
        finally
        {
            device.check("cuGraphDestroy", CudaCalls.graphDestroy(context, graph));
        }
    }

    /**
     * Do all of it, behind what the stream was given before.
     *
     * @param stream handle.
     */
    public void launch(final long stream)
    {
        device.check("cuGraphLaunch", CudaCalls.graphLaunch(device.context(), exec, stream));
    }

    /** Launches that are under way are still done. */
    @Override
    public void close()
    {
        if (isOpen && !device.isGivenUp())
        {
            isOpen = false;
            device.check("cuGraphExecDestroy", CudaCalls.graphExecDestroy(device.context(), exec));
        }
    }
}
