/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.checks;

import dev.transload.spi.TransportException;
import dev.transload.tck.DeviceCheck.Shown;
import dev.transload.tck.DeviceSetup;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclStream;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Adds that devices make to one word of the first one's memory, from a stream of each device at once. */
final class AddChecks
{
    /** Of one element type: what 1 is like, and how a sum is read; sums up to most are exact. */
    private record Element(String name, int type, int bytes, int one, int most, ToDoubleFunction<ByteBuffer> sum)
    {
    }

    private static final List<Element> ELEMENTS = List.of(
        new Element("I32", AclStream.INT32, 4, 1, 1 << 16, (view) -> view.getInt(0)),
        new Element("F32", AclStream.FLOAT, 4, Float.floatToIntBits(1), 1 << 16, (view) -> view.getFloat(0)),
        new Element("BF16", AclStream.BF16, 2, Float.floatToIntBits(1) >>> 16, 256,
            (view) -> Float.intBitsToFloat(view.getShort(0) << 16)));
    private static final int MOST_ADDS = 2000;

    private AddChecks()
    {
    }

    static Shown run(final DeviceSetup setup)
    {
        final AclDevice home = HccsDeviceChecks.device(setup, 0);
        if (!home.library().canReduce())
        {
            throw new UnsupportedOperationException("the runtime has no aclrtReduceAsync");
        }

        final List<AclDevice> writers = new ArrayList<>();
        for (int rank = 0; rank < setup.devices().size(); rank++)
        {
            final AclDevice writer = HccsDeviceChecks.device(setup, rank);
            if (writer.canReach(home))
            {
                writer.enablePeer(home);
                writers.add(writer);
            }
        }

        final List<String> notes = new ArrayList<>();
        ELEMENTS.forEach((element) -> notes.add(element.name + ": " + add(element, home, writers)));
        return new Shown(writers.size() + " writers; " + String.join("; ", notes), Map.of());
    }

    /** Either the device says that it can't, or the sum has to be right. */
    private static String add(final Element element, final AclDevice home, final List<AclDevice> writers)
    {
        final int adds = Math.min(MOST_ADDS, element.most / writers.size());
        final long target = home.allocate(DeviceBytes.LENGTH, false);
        try (DeviceBytes bytes = new DeviceBytes(home))
        {
            bytes.set(target);
            final double expected = (double)adds * writers.size();
            final String refusal = addFromAll(element, target, writers, adds);
            if (null != refusal)
            {
                return "not to be had (" + refusal + ")";
            }

            bytes.read(target);
            final double sum = element.sum.applyAsDouble(bytes.view());
            if (expected != sum)
            {
                throw new AssertionError(element.name + ": " + adds + " adds of 1 by each of " + writers.size() +
                    " writers sum to " + sum + ", expected " + expected);
            }

            return adds + " adds each are exact";
        }
        finally
        {
            home.free(target);
        }
    }

    /** Null, or why one of them was refused. */
    private static String addFromAll(
        final Element element, final long target, final List<AclDevice> writers, final int adds)
    {
        final List<Writer> open = new ArrayList<>();
        try
        {
            writers.forEach((device) -> open.add(new Writer(device, element)));
            for (int i = 0; i < adds; i++)
            {
                open.forEach((writer) -> writer.add(target));
            }

            open.forEach((writer) -> writer.stream.finish(DeviceBytes.ENOUGH_MS));
            return null;
        }
        catch (final TransportException ex)
        {
            return ex.getMessage();
        }
        finally
        {
            open.forEach(Writer::close);
        }
    }

    /** A device with a 1 in its memory. */
    private static final class Writer implements AutoCloseable
    {
        private final AclDevice device;
        private final Element element;
        private final AclStream stream;
        private final long source;

        Writer(final AclDevice device, final Element element)
        {
            this.device = device;
            this.element = element;
            this.source = device.allocate(DeviceBytes.LENGTH, false);
            this.stream = device.openStream();
            try (DeviceBytes bytes = new DeviceBytes(device))
            {
                bytes.view().putInt(0, element.one);
                bytes.set(source);
            }
        }

        void add(final long target)
        {
            final int code = stream.add(element.type, target, source, element.bytes);
            if (0 != code)
            {
                throw stream.failure(code);
            }
        }

        @Override
        public void close()
        {
            stream.close();
            device.free(source);
        }
    }
}
