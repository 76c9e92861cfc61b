/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.Worker;
import dev.transload.tck.DeviceChecks;
import dev.transload.tck.ForeignMemory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How method calls travel between two processes of one class path. A request is i32 length of what follows, i32 handle
 * of the object, i8 number of the method, and the arguments in order. An answer is {@link #DONE} and the result, or
 * {@link #THROWN} and the throwable. A value is an i8 tag and, by the tag:
 * <ul>
 * <li>{@code INT}, {@code LONG}, {@code BOOLEAN}: the number in 4 or 8 bytes, the verdict in one.
 * <li>{@code BYTES}, {@code BUFFER}, {@code READ_ONLY_BUFFER}: i32 length, the bytes that an array has or that remain
 * in a buffer.
 * <li>{@code OBJECT}: i32 handle of an object of the SPI, which lives in the rank's process.
 * <li>{@code ROWS}: i32 handle of a list, i32 capacity, i32 row length, i32 first entry, i32 count, the entries.
 * <li>{@code TEXT}: i32 length, UTF-8.
 * <li>{@code SET}: i32 size, its values. {@code MAP}: i32 size, its keys, each with its value. {@code ENUM}, {@code
 * RECORD}: the name of the class, then the name of the constant, or the components as values.
 * <li>{@code SERIALIZED}: i32 length, anything else by Java serialization. A throwable comes whole: class, message,
 * fields, causes and traces.
 * </ul>
 */
final class Wire
{
    static final byte DONE = 0;
    static final byte THROWN = 1;

    private static final byte NULL = 0;
    private static final byte INT = 1;
    private static final byte LONG = 2;
    private static final byte BOOLEAN = 3;
    private static final byte BYTES = 4;
    private static final byte BUFFER = 5;
    private static final byte READ_ONLY_BUFFER = 6;
    private static final byte OBJECT = 7;
    private static final byte ROWS = 8;
    private static final byte SET = 9;
    private static final byte RECORD = 10;
    private static final byte SERIALIZED = 11;
    private static final byte TEXT = 12;
    private static final byte ENUM = 13;
    private static final byte MAP = 14;

    /** Both processes have the same classes and number methods alike. No streams: they would slow each start. */
    private static final List<Method> METHODS = new ArrayList<>();
    private static final Map<Method, Integer> NUMBERS = new HashMap<>();

    static
    {
        final Map<String, Method> sorted = new TreeMap<>();
        for (final Class<?> type : new Class<?>[]{ Rank.class, Transport.class, Worker.class, Channel.class,
            MemoryRegion.class, ForeignMemory.class, SignalRegion.class, RemoteRegion.class, RemoteSignals.class,
            DeviceChecks.class })
        {
            for (final Method method : type.getMethods())
            {
                sorted.put(method.toString(), method);
            }
        }

        for (final Method method : sorted.values())
        {
            NUMBERS.put(method, METHODS.size());
            METHODS.add(method);
        }
    }

    private Wire()
    {
    }

    /** Objects that travel as handles, as one of the two processes knows them. */
    interface Objects
    {
        int handleOf(Object object);

        /** The object of a handle, which the other side takes for one of this type. */
        Object object(int handle, Class<?> type);

        /** The list of a handle, whose entries are on either side as the side that sent it last had them. */
        RowList rows(int handle, int capacity);
    }

    /** How messages name a method. */
    static String name(final Method method)
    {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    static void writeCall(
        final DataOutputStream out, final Objects objects, final Method method, final Object[] arguments)
        throws IOException
    {
        out.writeByte(NUMBERS.get(method));
        for (int i = 0; i < method.getParameterCount(); i++)
        {
            // An operation names the range of the entries that it uses next to the list.
            if (arguments[i] instanceof final RowList rows)
            {
                writeRows(out, objects, rows, (int)arguments[i + 1], (int)arguments[i + 2]);
            }
            else
            {
                write(out, objects, arguments[i]);
            }
        }
    }

    static Method readMethod(final DataInputStream in) throws IOException
    {
        return METHODS.get(in.readByte());
    }

    static Object[] readArguments(final DataInputStream in, final Objects objects, final Method method)
        throws IOException
    {
        final Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++)
        {
            arguments[i] = read(in, objects, Object.class);
        }

        return arguments;
    }

    static void write(final DataOutputStream out, final Objects objects, final Object value) throws IOException
    {
        if (null == value)
        {
            out.writeByte(NULL);
        }
        else if (value instanceof final Integer number)
        {
            out.writeByte(INT);
            out.writeInt(number);
        }
        else if (value instanceof final Long number)
        {
            out.writeByte(LONG);
            out.writeLong(number);
        }
        else if (value instanceof final Boolean verdict)
        {
            out.writeByte(BOOLEAN);
            out.writeBoolean(verdict);
        }
        else if (value instanceof final byte[] bytes)
        {
            writeBytes(out, BYTES, bytes);
        }
        else if (value instanceof final ByteBuffer buffer)
        {
            final byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            writeBytes(out, buffer.isReadOnly() ? READ_ONLY_BUFFER : BUFFER, bytes);
        }
        else if (value instanceof final RowList rows)
        {
            writeRows(out, objects, rows, 0, 0);
        }
        else if (value instanceof final String text)
        {
            writeText(out, text);
        }
        else if (value instanceof AutoCloseable)
        {
            out.writeByte(OBJECT);
            out.writeInt(objects.handleOf(value));
        }
        else if (value instanceof final Set<?> set)
        {
            out.writeByte(SET);
            out.writeInt(set.size());
            for (final Object element : set)
            {
                write(out, objects, element);
            }
        }
        else if (value instanceof final Map<?, ?> map)
        {
            out.writeByte(MAP);
            out.writeInt(map.size());
            for (final Map.Entry<?, ?> entry : map.entrySet())
            {
                write(out, objects, entry.getKey());
                write(out, objects, entry.getValue());
            }
        }
        else if (value instanceof final Enum<?> constant)
        {
            out.writeByte(ENUM);
            writeText(out, constant.getDeclaringClass().getName());
            writeText(out, constant.name());
        }
        else if (value instanceof final Record record)
        {
            out.writeByte(RECORD);
            writeText(out, record.getClass().getName());
            for (final RecordComponent component : record.getClass().getRecordComponents())
            {
                write(out, objects, componentOf(record, component));
            }
        }
        else
        {
            writeBytes(out, SERIALIZED, serialized(value));
        }
    }

    /** Reads a value; an object of the SPI is one of a type. */
    static Object read(final DataInputStream in, final Objects objects, final Class<?> type) throws IOException
    {
        final byte tag = in.readByte();
        return switch (tag)
        {
            case NULL -> null;
            case INT -> in.readInt();
            case LONG -> in.readLong();
            case BOOLEAN -> in.readBoolean();
            case BYTES -> readBytes(in);
            case BUFFER -> ByteBuffer.wrap(readBytes(in));
            case READ_ONLY_BUFFER -> ByteBuffer.wrap(readBytes(in)).asReadOnlyBuffer();
            case OBJECT -> objects.object(in.readInt(), type);
            case ROWS -> readRows(in, objects);
            case SET -> readSet(in, objects);
            case MAP -> readMap(in, objects);
            case RECORD -> readRecord(in, objects);
            case SERIALIZED -> deserialized(readBytes(in));
            case TEXT -> new String(readBytes(in), StandardCharsets.UTF_8);
            case ENUM -> readConstant(in, objects);
            default -> throw new IOException("a value with the tag " + tag);
        };
    }

    /** Reads an i32 length and that many bytes. */
    static byte[] readBytes(final DataInputStream in) throws IOException
    {
        final byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }

    private static void writeBytes(final DataOutputStream out, final byte tag, final byte[] bytes) throws IOException
    {
        out.writeByte(tag);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void writeText(final DataOutputStream out, final String text) throws IOException
    {
        writeBytes(out, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The entries of the range, as far as the list has them: a wrong range is refused over there. */
    private static void writeRows(
        final DataOutputStream out, final Objects objects, final RowList rows, final int from, final int count)
        throws IOException
    {
        final int first = Math.min(Math.max(from, 0), rows.capacity());
        final int end = (int)Math.max(first, Math.min((long)from + count, rows.capacity()));
        out.writeByte(ROWS);
        out.writeInt(objects.handleOf(rows));
        out.writeInt(rows.capacity());
        out.writeInt(rows.rowLength());
        out.writeInt(first);
        out.writeInt(end - first);
        for (int i = first; i < end; i++)
        {
            out.writeLong(rows.srcOffset(i));
            out.writeLong(rows.dstOffset(i));
        }
    }

    private static RowList readRows(final DataInputStream in, final Objects objects) throws IOException
    {
        final RowList rows = objects.rows(in.readInt(), in.readInt()).rowLength(in.readInt());
        final int first = in.readInt();
        final int count = in.readInt();
        for (int i = first; i < first + count; i++)
        {
            rows.set(i, in.readLong(), in.readLong());
        }

        return rows;
    }

    private static Set<Object> readSet(final DataInputStream in, final Objects objects) throws IOException
    {
        final Set<Object> set = new HashSet<>();
        for (int left = in.readInt(); left > 0; left--)
        {
            set.add(read(in, objects, Object.class));
        }

        return set;
    }

    private static Map<Object, Object> readMap(final DataInputStream in, final Objects objects) throws IOException
    {
        final Map<Object, Object> map = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--)
        {
            final Object key = read(in, objects, Object.class);
            map.put(key, read(in, objects, Object.class));
        }

        return map;
    }

    private static Object readConstant(final DataInputStream in, final Objects objects) throws IOException
    {
        final Class<?> type = readClass(in, objects);
        final Object name = read(in, objects, String.class);
        for (final Object constant : type.getEnumConstants())
        {
            if (((Enum<?>)constant).name().equals(name))
            {
                return constant;
            }
        }

        throw new AssertionError(type + " has no constant " + name);
    }

    private static Object readRecord(final DataInputStream in, final Objects objects) throws IOException
    {
        final Class<?> type = readClass(in, objects);
        final RecordComponent[] components = type.getRecordComponents();
        final Class<?>[] types = new Class<?>[components.length];
        final Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++)
        {
            types[i] = components[i].getType();
            values[i] = read(in, objects, types[i]);
        }

        try
        {
            return type.getDeclaredConstructor(types).newInstance(values);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new AssertionError(type + " cannot be made of what was sent", ex);
        }
    }

    private static Class<?> readClass(final DataInputStream in, final Objects objects) throws IOException
    {
        final Object name = read(in, objects, String.class);
        try
        {
            return Class.forName((String)name);
        }
        catch (final ClassNotFoundException ex)
        {
            throw new AssertionError("no class " + name + " is here", ex);
        }
    }

    private static Object componentOf(final Record record, final RecordComponent component)
    {
        try
        {
            return component.getAccessor().invoke(record);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new AssertionError(record + " cannot be sent", ex);
        }
    }

    private static byte[] serialized(final Object value)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes))
        {
            out.writeObject(value);
        }
        catch (final IOException ex)
        {
            // Something in it cannot be serialized. As an error it is never mistaken for the refusal of a misuse.
            final AssertionError error = new AssertionError(value + ", which cannot be sent: " + ex);
            if (value instanceof Throwable)
            {
                return serialized(error);
            }

            throw error;
        }

        return bytes.toByteArray();
    }

    private static Object deserialized(final byte[] bytes)
    {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)))
        {
            return in.readObject();
        }
        catch (final IOException | ClassNotFoundException ex)
        {
            throw new AssertionError("what the other process sent cannot be read: " + ex, ex);
        }
    }
}
