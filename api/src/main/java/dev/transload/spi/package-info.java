/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The Transport SPI: one-sided operations between the ranks of a world. Transports are found at run time, and third
 * parties can write them. The rules of the SPI have numbers; see {@code docs/reference/spi-rules.md}. Javadoc refers to
 * rules by these numbers, and the conformance kit tests them. The package uses only the JDK: no transport, no engine
 * and no library.
 */
package dev.transload.spi;
