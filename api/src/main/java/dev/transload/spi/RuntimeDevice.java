/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** One device of a {@link DeviceRuntime}, valid until the process ends. All threads may use the device. */
public interface RuntimeDevice
{
    /**
     * Says when work of the device sees data that a network card wrote to the memory of the device. All constants
     * assume that the host has already seen the word that publishes the data.
     */
    enum WriteOrder
    {
        /** Work sees the data as soon as the host has seen the word that publishes the data. */
        ORDERED,

        /** Work sees the data after a call of {@link RuntimeDevice#flushWrites()}. */
        FLUSHED,

        /** Unknown: work may never see the data. */
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
     * Makes the device current in the calling thread, as some libraries require. The call is cheap if the device is
     * already current.
     */
    void bind();

    /**
     * Allocates memory that does not share a block of the driver's allocator with other memory.
     *
     * @param length number of bytes, positive.
     * @return address of the first byte. All bytes are zero.
     * @throws TransportUnavailableException if the device has too little free memory; the message is one sentence.
     */
    long allocate(long length);

    /**
     * Waits until all device work that uses the memory has completed, then frees the memory.
     *
     * @param address address of the first byte.
     */
    void free(long address);

    /**
     * Throws an exception unless an address range is memory of this device.
     *
     * @param address address of the first byte.
     * @param length  number of bytes, positive.
     * @throws IllegalArgumentException if a byte of the range is not memory of this device.
     */
    void requireOwn(long address, long length);

    /**
     * Returns when work of the device sees data that a network card wrote to its memory.
     *
     * @return order, which never changes while the process runs.
     */
    WriteOrder writeOrder();

    /**
     * Makes the earlier writes of network cards visible to work that is submitted to the device after this call. The
     * call is needed if {@link #writeOrder()} is {@link WriteOrder#FLUSHED}.
     *
     * @throws TransportException if the driver fails.
     */
    void flushWrites();

    /**
     * Returns whether this process can access memory of the device at the addresses that the device uses.
     *
     * @return false for hardware, and for an emulator that does not let the CPU access the memory.
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
