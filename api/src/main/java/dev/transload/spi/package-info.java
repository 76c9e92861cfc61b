/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The Transport SPI: one-sided operations between the ranks of a world, found at run time, written by anyone.
 * Its rules are numbered in {@code docs/reference/spi-rules.md}. Javadoc cites them, and the conformance kit tests
 * them.
 * The package knows the JDK alone: no transport, no engine, no library.
 */
package dev.transload.spi;
