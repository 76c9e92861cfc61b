/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.RowScatter;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;

/** Row kernels that do one operation in many duty cycles: all that they have yet to read and write stays in use. */
public final class SlowKernels extends InterceptedKernels
{
    private final int cycles;
    private final Map<RowKernels, Backlog> backlogs = new IdentityHashMap<>();

    /**
     * In front of others.
     *
     * @param slowed whose kernels do the work.
     * @param cycles of progress before an operation is done.
     */
    public SlowKernels(final RowKernelsProvider slowed, final int cycles)
    {
        super(slowed);
        this.cycles = cycles;
    }

    @Override
    protected Object answer(final RowKernels kernels, final Method method, final Object[] arguments) throws Throwable
    {
        final Backlog backlog;
        synchronized (backlogs)
        {
            backlog = backlogs.computeIfAbsent(kernels, (key) -> new Backlog());
        }

        switch (method.getName())
        {
            case "position":
                return backlog.submitted;

            case "completedPosition":
                return backlog.submitted - backlog.operations.size();

            case "progress":
                return backlog.progress(kernels);

            default:
                return long.class == method.getReturnType() && null != arguments ? backlog.add(method, arguments) :
                    super.answer(kernels, method, arguments);
        }
    }

    private final class Backlog
    {
        private final Queue<Object[]> operations = new ArrayDeque<>();
        private long submitted;
        private int left = cycles;

        private long add(final Method method, final Object[] arguments)
        {
            final Object[] kept = arguments.clone();
            if (kept[0] instanceof Reduction)
            {
                kept[0] = new Reduction(((Reduction)kept[0]).sourceRegions()).set((Reduction)kept[0]);
            }
            else if (kept[0] instanceof RowScatter)
            {
                kept[0] = new RowScatter(((RowScatter)kept[0]).targetRegions()).set((RowScatter)kept[0]);
            }

            operations.add(new Object[]{method, kept});
            return ++submitted;
        }

        private int progress(final RowKernels kernels) throws Throwable
        {
            if (operations.isEmpty() || --left > 0)
            {
                return 0;
            }

            left = cycles;
            final Object[] operation = operations.peek();
            SlowKernels.super.answer(kernels, (Method)operation[0], (Object[])operation[1]);
            operations.remove();
            return 1;
        }
    }
}
