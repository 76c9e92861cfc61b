/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest
{
    @ParameterizedTest
    @CsvSource({ "30s, PT30S", "30 s, PT30S", "' 2 m ', PT2M", "500ms, PT0.5S", "1.5 s, PT1.5S",
        "7 nanos, PT0.000000007S",
        "3us, PT0.000003S", "24 hours, PT24H", "1d, PT24H" })
    void shouldReadANumberWithItsUnit(final String text, final String expected)
    {
        assertEquals(Optional.of(Duration.parse(expected)), DurationText.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "30", "30.0", " 30 ", "", "s", "30 x", "30S", "-1s", "0s", "1e3s", "30 s s", "soon", "99999999 d" })
    void shouldTakeNothingElseForADuration(final String text)
    {
        assertEquals(Optional.empty(), DurationText.parse(text));
    }
}
