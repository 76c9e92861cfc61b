/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * Description of one configuration key of a provider.
 *
 * @param key          key within the provider's section: lower-case words joined by {@code -}, e.g. {@code data-path}.
 * @param defaultValue default value as text, which may be empty.
 * @param allowed      description of the allowed values with their unit, e.g. {@code mapped, messages or auto}.
 * @param description  a few sentences that explain the option. If {@code auto} or an empty value is allowed, the
 *                     sentences also say what this value means.
 */
public record ConfigOption(String key, String defaultValue, String allowed, String description)
{
    /**
     * Creates the exception for a value that is not allowed.
     *
     * @param transport name of the provider.
     * @param value     value that is not allowed.
     * @return exception, for the caller to throw.
     */
    public ConfigurationException refuse(final String transport, final String value)
    {
        return new ConfigurationException(
            "transload." + transport + "." + key + " = " + value + " is not allowed: must be " + allowed);
    }
}
