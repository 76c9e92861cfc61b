/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.DeviceReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What was checked until now, in case that a signal ends the command; of all threads. */
final class Checked
{
    private final List<ConformanceReport> runs = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private DeviceReport devices;
    private boolean isTold;

    /** Of the run of the rules that goes on; what fails once all is told fails for the signal's sake. */
    synchronized void add(final Result result)
    {
        if (!isTold)
        {
            results.add(result);
        }
    }

    /** The next run of the rules follows. */
    synchronized void endRun()
    {
        if (!results.isEmpty())
        {
            results.sort(Comparator.comparing(Result::rule));
            runs.add(new ConformanceReport(results));
            results.clear();
        }
    }

    synchronized void showed(final DeviceReport report)
    {
        devices = report;
    }

    /**
     * The first of two reports it: the end of the command, or the signal.
     *
     * @return true for the first.
     */
    synchronized boolean claim()
    {
        final boolean isFirst = !isTold;
        isTold = true;
        return isFirst;
    }

    /** Null before a first rule was checked, of a command that checks some. */
    synchronized ConformanceReport rules()
    {
        endRun();
        return !runs.isEmpty() ? ConformanceReport.merge(runs) :
            null != devices ? new ConformanceReport(List.of()) : null;
    }

    /** Null before a first check of devices was made. */
    synchronized DeviceReport devices()
    {
        return devices;
    }
}
