/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest
{
    private static final List<String> KNOWN = List.of("channels", "max-hidden", "data-path", "mtu", "chunk");

    @ParameterizedTest
    @CsvSource({
        "chanels, channels", "channells, channels", "chamnels, channels", "data-paht, data-path", "mut, mtu",
        "maxhidden, max-hidden", "chunks, chunk", "hunk, chunk",
    })
    void shouldFindTheNameThatWasMeant(final String given, final String meant)
    {
        assertEquals(Optional.of(meant), NearestName.of(given, KNOWN));
        assertEquals("; did you mean transload." + meant + "?", NearestName.question(given, KNOWN, "transload."));
    }

    @Test
    void shouldSuggestNothingWhereNoNameIsNear()
    {
        assertEquals("", NearestName.question("telepathy", KNOWN, ""));
        assertEquals("", NearestName.question("x".repeat(1_000_000), List.of("x".repeat(999_999)), ""));
        assertEquals("", NearestName.question("mtu", List.of(), ""));
    }

    @Test
    void shouldTakeTheFirstOfEquallyNearNames()
    {
        assertEquals(Optional.of("aa"), NearestName.of("ab", List.of("cb", "aa")));
    }
}
