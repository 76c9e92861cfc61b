/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/**
 * Manifests of deploy/kubernetes against classes of the Kubernetes API that refuse fields they don't know. There are
 * none for JobSet and LeaderWorkerSet: what these add to a pod is compared with a list of fields here.
 */
class ManifestsTest
{
    private static final String MODEL = "io.fabric8.kubernetes.api.model.";
    private static final Map<String, String> CLASSES = Map.of("Service", "Service", "Secret", "Secret",
        "Job", "batch.v1.Job", "NetworkPolicy", "networking.v1.NetworkPolicy");
    private static final Map<String, Set<String>> FIELDS = Map.of(
        "JobSet", Set.of("apiVersion", "kind", "metadata", "spec", "spec.failurePolicy", "spec.network",
            "spec.failurePolicy.maxRestarts", "spec.network.enableDNSHostnames", "spec.replicatedJobs",
            "spec.network.publishNotReadyAddresses", "spec.replicatedJobs.name", "spec.replicatedJobs.replicas"),
        "LeaderWorkerSet", Set.of("apiVersion", "kind", "metadata", "spec", "spec.replicas", "spec.startupPolicy",
            "spec.leaderWorkerTemplate", "spec.leaderWorkerTemplate.size",
            "spec.leaderWorkerTemplate.restartPolicy"));

    /** The classes take unknown fields along, as an API server of another version would. */
    private static final ObjectMapper STRICT = new ObjectMapper()
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .setAnnotationIntrospector(new JacksonAnnotationIntrospector()
        {
            private static final long serialVersionUID = 1;

            @Override
            public Boolean hasAnySetter(final Annotated annotated)
            {
                return false;
            }
        });

    @ParameterizedTest
    @ValueSource(strings = {"common", "job", "jobset", "leaderworkerset"})
    void shouldHaveFieldsOfTheApiOnly(final String manifest) throws Exception
    {
        for (final JsonNode document : documents(manifest))
        {
            check(document);
        }
    }

    @ParameterizedTest
    @CsvSource({"common, 0, '', stringDatum", "common, 1, /spec, clusterIp",
        "common, 2, /spec/podSelector, matchLabel",
        "job, 0, /spec/ports/0, ports", "job, 1, /spec, completion",
        "job, 1, /spec/template/spec/containers/0/resources, limit",
        "jobset, 0, /spec/failurePolicy, maxRestart", "jobset, 0, /spec/replicatedJobs/0/template/spec, backofLimit",
        "leaderworkerset, 0, /spec/leaderWorkerTemplate, sizes",
        "leaderworkerset, 0, /spec/leaderWorkerTemplate/workerTemplate/spec/volumes/0/emptyDir, mediums"})
    void shouldRefuseAFieldThatIsMisspelt(
        final String manifest, final int document, final String place, final String field) throws Exception
    {
        final JsonNode spoilt = documents(manifest).get(document);
        final JsonNode parent = spoilt.at(place);
        assertTrue(parent.isObject(), place);
        ((ObjectNode)parent).put(field, "x");

        assertThrows(RefusedException.class, () -> check(spoilt));
    }

    /** What ranks need in every pod, whoever starts it. */
    @ParameterizedTest
    @CsvSource({"job, 1, /spec/template", "jobset, 0, /spec/replicatedJobs/0/template/spec/template",
        "leaderworkerset, 0, /spec/leaderWorkerTemplate/workerTemplate"})
    void shouldGiveRanksWhatTheyNeed(final String manifest, final int document, final String template) throws Exception
    {
        final JsonNode pod = documents(manifest).get(document).at(template);
        final JsonNode container = pod.at("/spec/containers/0");
        assertTrue(pod.at("/spec/securityContext/runAsNonRoot").asBoolean());
        assertEquals("Memory", pod.at("/spec/volumes/0/emptyDir/medium").asText());
        assertEquals("/dev/shm", container.at("/volumeMounts/0/mountPath").asText());
        assertEquals("4", container.at("/resources/limits/nvidia.com~1gpu").asText());
        assertTrue(StreamSupport.stream(container.get("env").spliterator(), false).anyMatch((variable) ->
            "transload-rendezvous".equals(variable.at("/valueFrom/secretKeyRef/name").asText())));
        assertEquals("transload", pod.at("/metadata/labels/app.kubernetes.io~1name").asText());
    }

    @Test
    void shouldStartAllPodsOfAJobAtOnce() throws Exception
    {
        final JsonNode job = documents("job").get(1).get("spec");
        assertEquals(job.get("completions"), job.get("parallelism"));
        assertEquals(0, job.get("backoffLimit").asInt(-1));
        assertEquals("Indexed", job.get("completionMode").asText());
    }

    private static List<JsonNode> documents(final String manifest) throws Exception
    {
        final List<JsonNode> documents = new ArrayList<>();
        final Path file = Program.scriptFile().resolveSibling("deploy/kubernetes/" + manifest + ".yaml");
        for (final Object document : new Yaml().loadAll(Files.readString(file)))
        {
            documents.add(STRICT.valueToTree(document));
        }

        return documents;
    }

    private static void check(final JsonNode document) throws Exception
    {
        final String kind = document.get("kind").asText();
        if (CLASSES.containsKey(kind))
        {
            parse(CLASSES.get(kind), document);
            return;
        }

        parse("ObjectMeta", document.get("metadata"));
        checkFields(kind, document, "");
    }

    /** Templates in it are those of Kubernetes itself. */
    private static void checkFields(final String kind, final JsonNode object, final String prefix) throws Exception
    {
        for (final Iterator<String> names = object.fieldNames(); names.hasNext();)
        {
            final String name = names.next();
            final JsonNode value = object.get(name);
            if ("template".equals(name))
            {
                parse("batch.v1.JobTemplateSpec", value);
                continue;
            }

            if ("workerTemplate".equals(name))
            {
                parse("PodTemplateSpec", value);
                continue;
            }

            if (!FIELDS.get(kind).contains(prefix + name))
            {
                throw new RefusedException(kind + " has no field " + prefix + name, null);
            }

            if (!"metadata".equals(name))
            {
                for (final JsonNode part : value.isArray() ? value : List.of(value))
                {
                    checkFields(kind, part, prefix + name + ".");
                }
            }
        }
    }

    /** By name: the annotations of these classes are not on the class path, of which the compiler would warn. */
    private static void parse(final String type, final JsonNode value) throws Exception
    {
        try
        {
            STRICT.treeToValue(value, Class.forName(MODEL + type));
        }
        catch (final JsonProcessingException ex)
        {
            throw new RefusedException(ex.getMessage(), ex);
        }
    }

    private static final class RefusedException extends Exception
    {
        private static final long serialVersionUID = 1;

        RefusedException(final String message, final Throwable cause)
        {
            super(message, cause);
        }
    }
}
