/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What NPUs can show besides what goes through the SPI: work that hangs, who imports, what a peer's end leaves, adds.
 * The service loader finds it for programs that check devices with the conformance kit, which nothing else here needs.
 * It knows the kit and the ACL runtime; nothing of the transport.
 */
package dev.transload.transport.hccs.internal.checks;
