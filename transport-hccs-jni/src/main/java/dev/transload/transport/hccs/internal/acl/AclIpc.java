/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.agrona.BufferUtil;

/**
 * Memory of a device that processes share, by keys. A process cannot import what it exports itself; what it imports, it
 * imports once a device, however many use it. Exporters list who may import. Importers close before the exporter does.
 */
public final class AclIpc
{
    /** Bytes of a key with the 0 at its end. */
    public static final int KEY_LENGTH = 65;

    /** Bytes of the pages that can be exported. */
    public static final long PAGE = 2L << 20;

    private final AclDevice device;
    private final Map<String, Imported> imports = new HashMap<>();

    private static final class Imported
    {
        private final long address;
        private int users = 1;

        Imported(final long address)
        {
            this.address = address;
        }
    }

    AclIpc(final AclDevice device)
    {
        this.device = device;
    }

    /**
     * Export an allocation that is of whole huge pages; nobody may import it yet.
     *
     * @param address of its first byte.
     * @param bytes   multiple of {@link #PAGE}.
     * @return the export.
     */
    public Export export(final long address, final long bytes)
    {
        final ByteBuffer key = ByteBuffer.allocateDirect(KEY_LENGTH);
        device.check(AclCalls.ipcExport(device.ordinal(), address, bytes, BufferUtil.address(key)));
        return new Export(key);
    }

    /**
     * Import memory of another process, or use it once more.
     *
     * @param key of an export, whose owner has listed this process.
     * @return address of its first byte for this device.
     */
    public synchronized long open(final String key)
    {
        final Imported known = imports.get(key);
        if (null != known)
        {
            known.users++;
            return known.address;
        }

        final ByteBuffer text = encode(key);
        final long address = device.value(
            AclCalls.ipcImport(device.ordinal(), BufferUtil.address(text), AclCalls.IMPORT_PEER_ACCESS));
        imports.put(key, new Imported(address));
        return address;
    }

    /** End one use; the last one closes the import. */
    public synchronized void close(final String key)
    {
        final Imported known = imports.get(key);
        if (null == known)
        {
            return;
        }

        if (1 == known.users)
        {
            final ByteBuffer text = encode(key);
            device.check(AclCalls.ipcClose(device.ordinal(), BufferUtil.address(text)));
            imports.remove(key);
        }

        known.users--;
    }

    private static ByteBuffer encode(final String key)
    {
        final byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length >= KEY_LENGTH)
        {
            throw new IllegalArgumentException("key: it has " + bytes.length + " characters, at most " +
                (KEY_LENGTH - 1) + " are allowed");
        }

        return ByteBuffer.allocateDirect(KEY_LENGTH).put(0, bytes);
    }

    /** Memory that others may import as long as this is open. */
    public final class Export implements AutoCloseable
    {
        private final ByteBuffer key;
        private final String text;
        private boolean isOpen = true;

        private Export(final ByteBuffer key)
        {
            this.key = key;
            int length = 0;
            while (length < KEY_LENGTH && 0 != key.get(length))
            {
                length++;
            }

            final byte[] bytes = new byte[length];
            key.get(0, bytes);
            this.text = new String(bytes, StandardCharsets.US_ASCII);
        }

        /**
         * What importers need.
         *
         * @return the key without the 0 at its end.
         */
        public String key()
        {
            return text;
        }

        /**
         * Let another process import it.
         *
         * @param bareProcess number of that process by {@link AclDevice#bareProcess()}.
         */
        public void allow(final int bareProcess)
        {
            device.check(AclCalls.ipcAllow(device.ordinal(), BufferUtil.address(key), bareProcess));
        }

        /** Only once no importer is left. */
        @Override
        public synchronized void close()
        {
            if (isOpen)
            {
                device.check(AclCalls.ipcClose(device.ordinal(), BufferUtil.address(key)));
                isOpen = false;
            }
        }
    }
}
