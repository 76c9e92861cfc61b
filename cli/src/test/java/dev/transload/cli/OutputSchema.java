/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonMetaSchema;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.NonValidationKeyword;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A schema that the program's jar has, or one of the forms that it allows. These have what JSON Schema 2020-12 calls
 * {@code $ref}, {@code anyOf} and {@code oneOf} in a few places only, which is all that this class understands.
 */
final class OutputSchema
{
    /** Names of the files, in the order of the reference. */
    static final List<String> FILES = List.of(
        "run", "bench", "conformance", "tune", "plan", "transports", "replay", "doctor", "recording");

    /** With our own keyword, which is no matter of validation. */
    private static final JsonMetaSchema META_SCHEMA = JsonMetaSchema.builder(JsonMetaSchema.getV202012())
        .keyword(new NonValidationKeyword("x-unit")).build();
    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory
        .builder(JsonSchemaFactory.getInstance(VersionFlag.V202012)).metaSchema(META_SCHEMA).build();
    private static final String PREFIX = "#/$defs/";

    private final JsonNode file;
    private final JsonNode form;

    /**
     * A key of the output, or an object or array on the way to one.
     *
     * @param path        keys with dots between; {@code []} after an array, {@code NAME} for keys that are no contract.
     * @param type        of the value, of an array's elements.
     * @param unit        null if there is none.
     * @param description what it is.
     * @param values      all that are allowed; empty if others are.
     * @param isOptional  whether it may be missing.
     * @param sameAs      path whose keys this one has too; null if its keys follow, or if it has none.
     * @param isLeaf      whether it has no keys.
     */
    record Key(String path, String type, String unit, String description, List<String> values, boolean isOptional,
        String sameAs, boolean isLeaf)
    {
    }

    private OutputSchema(final JsonNode file, final JsonNode form)
    {
        this.file = file;
        this.form = form;
    }

    static JsonNode read(final String name)
    {
        try (InputStream stream = Main.class.getResourceAsStream("schema/" + name + ".json"))
        {
            assertNotNull(stream, name);
            return new ObjectMapper().readTree(stream);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** The forms of a file: one of an object, or several of alternatives. */
    static List<OutputSchema> formsOf(final JsonNode file)
    {
        final JsonNode alternatives = file.has("anyOf") ? file.get("anyOf") : file.path("oneOf");
        final List<OutputSchema> forms = new ArrayList<>();
        alternatives.forEach((alternative) ->
            forms.add(new OutputSchema(file, target(file, alternative.get("$ref").asText()))));
        return forms.isEmpty() ? List.of(new OutputSchema(file, file)) : forms;
    }

    /** By the title of the form. */
    static OutputSchema titled(final String title)
    {
        return FILES.stream().flatMap((name) -> formsOf(read(name)).stream())
            .filter((schema) -> title.equals(schema.title())).findFirst().orElseThrow();
    }

    static JsonSchema validator(final JsonNode schema)
    {
        return FACTORY.getSchema(schema);
    }

    /** Of what a schema may be. */
    static JsonSchema metaSchema()
    {
        return FACTORY.getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));
    }

    String title()
    {
        return form.get("title").asText();
    }

    String description()
    {
        return form.get("description").asText();
    }

    /** Fails unless a document has this form, and its file allows it. */
    void assertValid(final JsonNode document)
    {
        final ObjectNode alone = form.deepCopy();
        alone.set("$defs", file.get("$defs"));
        for (final JsonNode schema : List.of(alone, file))
        {
            final Set<ValidationMessage> broken = validator(schema).validate(document);
            assertEquals("", broken.stream().map(String::valueOf).collect(Collectors.joining("\n")), title());
        }
    }

    /**
     * All keys.
     *
     * @param areRepeated whether keys of a definition are there for each use, not only for the first.
     * @return keys in the order of the schema.
     */
    List<Key> keys(final boolean areRepeated)
    {
        final List<Key> keys = new ArrayList<>();
        addKeys("", form, areRepeated ? null : new LinkedHashMap<>(), keys);
        return keys;
    }

    /** Of the keys of a document that the form has: what has no keys itself. Others begin with a question mark. */
    Set<String> found(final JsonNode document)
    {
        final Set<String> found = new TreeSet<>();
        find("", document, form, found);
        return found;
    }

    private void addKeys(
        final String path, final JsonNode object, final Map<String, String> told, final List<Key> keys)
    {
        final Set<String> required = new TreeSet<>();
        object.path("required").forEach((name) -> required.add(name.asText()));
        object.path("properties").properties().forEach((property) -> addKey(path + property.getKey(),
            property.getValue(), !required.contains(property.getKey()), told, keys));
        if (object.path("additionalProperties").isObject())
        {
            addKey(path + "NAME", object.get("additionalProperties"), false, told, keys);
        }
    }

    private void addKey(
        final String name, final JsonNode property, final boolean isOptional, final Map<String, String> told,
        final List<Key> keys)
    {
        String path = name;
        JsonNode value = resolved(property);
        String reference = reference(property);
        final boolean isNull = isNull(property) || isNull(value);
        while ("array".equals(type(value)) || isNamed(value))
        {
            path += isNamed(value) ? ".NAME" : "[]";
            final JsonNode element = value.get(isNamed(value) ? "additionalProperties" : "items");
            reference = reference(element);
            value = resolved(element);
        }

        final boolean isLeaf = !"object".equals(type(value));
        final String before = isLeaf || null == reference || null == told ? null : told.putIfAbsent(reference, path);
        final String description = (property.has("description") ? property : value).path("description").asText();
        keys.add(new Key(path, (isMixed(value) ? "integer or array of integer" : type(value)) +
            (isNull && !"null".equals(type(value)) ? " or null" : ""), value.path("x-unit").asText(null), description,
            values(value), isOptional, before, isLeaf));
        if (isMixed(value) && null == told)
        {
            keys.add(new Key(path + "[]", "integer", null, description, List.of(), true, null, true));
        }

        if (!isLeaf && null == before)
        {
            addKeys(path + ".", value, told, keys);
        }
    }

    private void find(final String path, final JsonNode node, final JsonNode property, final Set<String> found)
    {
        final JsonNode schema = resolved(property);
        if (node.isObject())
        {
            final String prefix = path.isEmpty() ? "" : path + ".";
            node.properties().forEach((entry) ->
            {
                final JsonNode known = schema.path("properties").path(entry.getKey());
                final JsonNode others = schema.path("additionalProperties");
                if (known.isMissingNode() && !others.isObject())
                {
                    found.add("? " + prefix + entry.getKey());
                    return;
                }

                find(prefix + (known.isMissingNode() ? "NAME" : entry.getKey()), entry.getValue(),
                    known.isMissingNode() ? others : known, found);
            });
        }
        else if (node.isArray() && !node.isEmpty())
        {
            node.forEach((element) -> find(path + "[]", element, schema.path("items"), found));
        }
        else if (!node.isNull() && !node.isArray() || !hasKeys(schema))
        {
            // An object that is null, and an array without objects, have no keys to show.
            found.add(path + (node.isArray() ? "[]" : ""));
        }
    }

    private boolean hasKeys(final JsonNode schema)
    {
        return "object".equals(type(schema)) || "array".equals(type(schema)) && hasKeys(resolved(schema.get("items")));
    }

    private JsonNode resolved(final JsonNode property)
    {
        final String reference = reference(property);
        return null == reference ? property : target(file, reference);
    }

    /** A definition, which null may stand for. */
    private static String reference(final JsonNode property)
    {
        return property.has("$ref") ? property.get("$ref").asText() :
            property.has("anyOf") ? property.get("anyOf").get(0).get("$ref").asText() : null;
    }

    private static JsonNode target(final JsonNode file, final String reference)
    {
        final JsonNode target = file.get("$defs").get(reference.substring(PREFIX.length()));
        assertNotNull(target, reference);
        return target;
    }

    private static boolean isNull(final JsonNode property)
    {
        return property.has("anyOf") || types(property).contains("null");
    }

    /** Whether an object has only keys that are no contract. */
    private static boolean isNamed(final JsonNode value)
    {
        return value.path("additionalProperties").isObject() && !value.has("properties");
    }

    private static boolean isMixed(final JsonNode value)
    {
        return types(value).containsAll(List.of("integer", "array"));
    }

    private static String type(final JsonNode value)
    {
        return types(value).get(0);
    }

    private static List<String> types(final JsonNode value)
    {
        final JsonNode type = value.path("type");
        return type.isArray() ? StreamSupport.stream(type.spliterator(), false).map(JsonNode::asText).toList() :
            List.of(type.asText());
    }

    private static List<String> values(final JsonNode value)
    {
        final List<String> values = new ArrayList<>();
        value.path("enum").forEach((one) -> values.add(one.asText()));
        if (value.has("const"))
        {
            values.add(value.get("const").asText());
        }

        return values;
    }
}
