/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.transload.engine.BadInputException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads and writes recordings as JSON. A recording must contain all keys and no other keys. */
public final class RecordingFile
{
    private static final ObjectMapper JSON = JsonMapper.builder()
        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .build();

    /** Keys that may be null. */
    private static final Set<String> ALTERNATIVES = Set.of("drawn", "routes", "afterCycles", "afterCalls");

    private RecordingFile()
    {
    }

    /**
     * Converts a recording to JSON.
     *
     * @param recording recording to write.
     * @return JSON on one line.
     */
    public static String toJson(final Recording recording)
    {
        try
        {
            return JSON.writeValueAsString(recording);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("a recording cannot be written as JSON", ex);
        }
    }

    /**
     * Writes a recording to a file. An existing file is replaced.
     *
     * @param recording recording to write.
     * @param file      file to write.
     * @throws IOException if the file cannot be written.
     */
    public static void write(final Recording recording, final Path file) throws IOException
    {
        Files.writeString(file, toJson(recording) + System.lineSeparator());
    }

    /**
     * Reads a recording from a file.
     *
     * @param file file to read.
     * @return recording with checked values.
     * @throws BadInputException if the file is not a recording that can be replayed; the message names the file and the
     *                           key.
     * @throws IOException       if the file cannot be read.
     */
    public static Recording read(final Path file) throws IOException
    {
        return parse(Files.readString(file), file.toString());
    }

    /**
     * Parses a recording from JSON.
     *
     * @param text JSON text of the recording.
     * @param name file name for error messages.
     * @return recording with checked values.
     * @throws BadInputException if the text is not a recording that can be replayed.
     */
    public static Recording parse(final String text, final String name)
    {
        try
        {
            final JsonNode root = JSON.readTree(text);
            Checks.require(Recording.FORMAT.equals(root.path("format").asText()), "format",
                "= " + root.path("format") + " is not allowed", "\"" + Recording.FORMAT + "\"");
            Checks.require(Recording.VERSION == root.path("version").asInt(), "version",
                "= " + root.path("version") + " is not allowed", Recording.VERSION + " for this program");
            final String mode = root.path("mode").asText();
            Checks.among("mode", mode, NormalRecording.MODE, LowLatencyRecording.MODE);
            final Recording recording = NormalRecording.MODE.equals(mode) ?
                JSON.treeToValue(root, NormalRecording.class) : JSON.treeToValue(root, LowLatencyRecording.class);
            requireAll("", recording);
            recording.check();
            return recording;
        }
        catch (final JsonMappingException ex)
        {
            throw new BadInputException(name + ": " + path(ex) + reason(ex));
        }
        catch (final JsonProcessingException ex)
        {
            throw new BadInputException(name + " is no JSON from line " + ex.getLocation().getLineNr() + ", column " +
                ex.getLocation().getColumnNr() + " on");
        }
        catch (final BadInputException ex)
        {
            throw new BadInputException(name + ": " + ex.getMessage());
        }
    }

    private static String path(final JsonMappingException ex)
    {
        final String path = ex.getPath().stream().map((step) -> null == step.getFieldName() ?
            "[" + step.getIndex() + "]" : "." + step.getFieldName()).collect(Collectors.joining());
        return path.isEmpty() ? "its value" : path.substring(path.startsWith(".") ? 1 : 0);
    }

    private static String reason(final JsonMappingException ex)
    {
        if (ex instanceof final UnrecognizedPropertyException unknown)
        {
            return " is no key: known are " + unknown.getKnownPropertyIds().stream().map(String::valueOf).sorted()
                .collect(Collectors.joining(", "));
        }

        if (ex.getOriginalMessage().startsWith("Missing creator property"))
        {
            return " is missing";
        }

        return ex instanceof final MismatchedInputException wrong && null != wrong.getTargetType() ?
            " is of another type: must be " + typeName(wrong.getTargetType()) : " is of another type";
    }

    private static String typeName(final Class<?> type)
    {
        return type.isArray() || List.class.isAssignableFrom(type) ? "an array" :
            Record.class.isAssignableFrom(type) ? "an object" : String.class == type ? "a string" :
            boolean.class == type ? "true or false" : double.class == type || float.class == type ? "a number" :
            "a whole number";
    }

    /** No key is null that has no alternative. */
    private static void requireAll(final String where, final Object value)
    {
        if (value instanceof final List<?> list)
        {
            for (int i = 0; i < list.size(); i++)
            {
                Checks.require(null != list.get(i), where + "[" + i + "]", "is null", "given");
                requireAll(where + "[" + i + "]", list.get(i));
            }
        }
        else if (value instanceof Record)
        {
            for (final RecordComponent component : value.getClass().getRecordComponents())
            {
                final String key = (where.isEmpty() ? "" : where + ".") +
                    component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
                final Object part = part(component, value);
                Checks.require(null != part || ALTERNATIVES.contains(component.getName()), key, "is null", "given");
                requireAll(key, part);
            }
        }
    }

    private static Object part(final RecordComponent component, final Object value)
    {
        try
        {
            return component.getAccessor().invoke(value);
        }
        catch (final IllegalAccessException | InvocationTargetException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
