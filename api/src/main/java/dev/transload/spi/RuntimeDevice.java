/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** One device of a {@link DeviceRuntime}, valid until the process ends. All threads may use it. */
public interface RuntimeDevice
{
    /**
     * When the device's own work sees data that a network card wrote to its memory, after the host has seen the word
     * that publishes the data.
     */
    enum WriteOrder
    {
        /** As soon as the host has seen the word. */
        ORDERED,

        /** After a call of {@link RuntimeDevice#flushWrites()}. */
        FLUSHED,

        /** Unknown: the data may never become visible. */
        UNKNOWN
    }

    /**
     * Returns the ordinal of the device in this process.
     *
     * @return number from 0.
     */
    int ordinal();

    /**
     * Returns a description of the device for messages.
     *
     * @return description, e.g. {@code device 1 (NVIDIA H200, 0000:1b:00.0)}.
     */
    String describe();

    /**
     * Makes the device current in the calling thread, as some libraries require. It is cheap if the device is already
     * current.
     */
    void bind();

    /**
     * Allocates memory that shares no block of the driver with other memory.
     *
     * @param length number of bytes, positive.
     * @return address of the first byte. All bytes are zero.
     * @throws TransportUnavailableException if the device has too little free memory; the message is one sentence.
     */
    long allocate(long length);

    /**
     * Frees allocated memory. It waits for work of the device that uses the memory.
     *
     * @param address of the first byte.
     */
    void free(long address);

    /**
     * Throws an exception unless an address range is memory of this device.
     *
     * @param address of the first byte.
     * @param length  number of bytes, positive.
     * @throws IllegalArgumentException if a byte of the range is not memory of this device.
     */
    void requireOwn(long address, long length);

    /**
     * Returns when the device sees data that a network card wrote.
     *
     * @return order, which never changes while the process runs.
     */
    WriteOrder writeOrder();

    /**
     * Makes arrived writes of network cards visible to work that is submitted to the device after this call. It is
     * needed for {@link WriteOrder#FLUSHED}.
     *
     * @throws TransportException if the driver fails.
     */
    void flushWrites();

    /**
     * Returns whether this process can access the device's memory at the same addresses.
     *
     * @return false for hardware, and for an emulator that denies the CPU access.
     */
    boolean isHostAddressable();

    /**
     * Returns whether the device is emulated. Libraries for the hardware cannot use addresses of an emulated device.
     *
     * @return false for hardware.
     */
    default boolean isEmulated()
    {
        return false;
    }
}
