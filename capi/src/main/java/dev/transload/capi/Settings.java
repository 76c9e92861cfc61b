/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.spi.ConfigurationException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Lines {@code key = value}. */
final class Settings
{
    private Settings()
    {
    }

    static Map<String, String> parse(final String lines)
    {
        final Map<String, String> values = new LinkedHashMap<>();
        for (final String line : null == lines ? new String[0] : lines.split("\n"))
        {
            final int equals = line.indexOf('=');
            if (equals < 0 && !line.isBlank())
            {
                throw new ConfigurationException(
                    "setting '" + line.strip() + "' is not allowed: must be transload.KEY = VALUE");
            }

            if (equals >= 0)
            {
                values.put(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
            }
        }

        return values;
    }
}
