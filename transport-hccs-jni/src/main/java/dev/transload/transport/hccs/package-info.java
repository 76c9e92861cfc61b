/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The transport {@code hccs}: Ascend NPUs of one host, connected by HCCS.
 * The package uses the SPI, {@code transport-base} and the ACL runtime through the package {@code internal.acl}; it
 * does not use the engine.
 * Peers access host memory through files that they map, and device memory through keys that ACL exports.
 */
package dev.transload.transport.hccs;
