/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

/** Captured work of a stream, which can be launched as a whole many times. Only one thread may use the graph. */
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
     * Captures work that is submitted to a stream. The work is not executed during the capture.
     *
     * @param device device of the stream.
     * @param stream handle of the stream.
     * @param work   runnable that submits the work; the calling thread runs it.
     * @return graph of the captured work.
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
     * Launches all captured work after the work that was submitted to the stream earlier.
     *
     * @param stream handle of the stream.
     */
    public void launch(final long stream)
    {
        device.check("cuGraphLaunch", CudaCalls.graphLaunch(device.context(), exec, stream));
    }

    /** Frees the graph. Launches that are already running still complete. */
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
