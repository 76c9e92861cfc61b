/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * Self-description of one configuration key of a provider.
 *
 * @param key          within the provider's section, lower-case words joined by {@code -}, e.g. {@code data-path}.
 * @param defaultValue textual default; may be empty.
 * @param allowed      what values are allowed, with the unit, e.g. {@code mapped, messages or auto}.
 * @param description  a few sentences, with what {@code auto} or an empty value means.
 */
public record ConfigOption(String key, String defaultValue, String allowed, String description)
{
    /**
     * The one sentence for a value that is not allowed.
     *
     * @param transport name of the provider.
     * @param value     refused.
     * @return exception to throw.
     */
    public ConfigurationException refuse(final String transport, final String value)
    {
        return new ConfigurationException(
            "transload." + transport + "." + key + " = " + value + " is not allowed: must be " + allowed);
    }
}
