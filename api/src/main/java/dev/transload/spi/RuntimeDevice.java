/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** One device of a {@link DeviceRuntime}, as long as the process lives. All threads may use it. */
public interface RuntimeDevice
{
    /** When the device's own work sees what a network card wrote to its memory, and published by a word of the host. */
    enum WriteOrder
    {
        /** As soon as the word is seen. */
        ORDERED,

        /** After {@link RuntimeDevice#flushWrites()}. */
        FLUSHED,

        /** Never for certain: nobody can tell. */
        UNKNOWN
    }

    /**
     * Ordinal in this process.
     *
     * @return number from 0.
     */
    int ordinal();

    /**
     * What it is and where, for messages.
     *
     * @return such as {@code device 1 (NVIDIA H200, 0000:1b:00.0)}.
     */
    String describe();

    /** Make the device current in the calling thread, which libraries that find it there need. Cheap when it is. */
    void bind();

    /**
     * Allocate memory that shares no block of the driver's with other memory.
     *
     * @param length in bytes, positive.
     * @return address of the first byte; all are zero.
     * @throws TransportUnavailableException in one sentence, when the device lacks the memory.
     */
    long allocate(long length);

    /**
     * Free what was allocated; work of the device that uses it is waited for.
     *
     * @param address of the first byte.
     */
    void free(long address);

    /**
     * Refuse what is no memory of this device.
     *
     * @param address of the first byte.
     * @param length  in bytes, positive.
     * @throws IllegalArgumentException if a byte is not.
     */
    void requireOwn(long address, long length);

    /**
     * What it takes to see a network card's writes.
     *
     * @return order, the same for as long as the process lives.
     */
    WriteOrder writeOrder();

    /**
     * Writes of network cards that have arrived are visible to work of the device that is submitted from here on. For
     * {@link WriteOrder#FLUSHED}.
     *
     * @throws TransportException if the driver fails.
     */
    void flushWrites();

    /**
     * Whether memory of the device is memory of this process too, at the same addresses.
     *
     * @return false for hardware, and for an emulator that keeps the CPU out.
     */
    boolean isHostAddressable();

    /**
     * Whether an emulator takes the device's part: libraries that know the hardware's addresses know none of its.
     *
     * @return false for hardware.
     */
    default boolean isEmulated()
    {
        return false;
    }
}
