/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.CliReference;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.DeviceReport;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DevicePartTest
{
    /** Rules of the real thing, and devices as they might be. */
    @Test
    void shouldTellOfRulesAndDevicesByTheDocumentedKeys()
    {
        final JsonNode rules = CliReference.printed("conformance", "aeron", "--rule", "CON-1", "--json");
        final ObjectNode devices = rules.deepCopy();
        DevicePart.put(devices, new DeviceReport(Map.of("driver", "580"),
            List.of(new DeviceReport.Link(0, 1, "NVLink", true, "", 100)),
            List.of(new DeviceReport.Check("adds", Status.PASSED, "", 1, Map.of("million_per_second", 2.0)))),
            "hardware");

        CliReference.assertKeys("conformance", Set.of(), rules, devices);
    }
}
