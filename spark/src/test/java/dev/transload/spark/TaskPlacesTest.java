/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TaskPlacesTest
{
    @Test
    void shouldNumberRanksHostByHost()
    {
        final TaskPlaces places = TaskPlaces.of(List.of("b:1", "a:5", "b:2", "a:6", "b:1"));

        assertEquals(List.of("b", "a"), places.hosts());
        assertEquals(List.of(3, 2), places.world().ranksOfNodes());
        assertEquals(List.of(0, 3, 1, 4, 2), IntStream.range(0, 5).mapToObj(places::rankOf).toList());
    }

    @Test
    void shouldKeepTheBracketsOfAHost()
    {
        assertEquals(List.of("[::1]", "c"), TaskPlaces.of(List.of("[::1]:40001", "c")).hosts());
    }
}
