/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The transport {@code hccs}: Ascend NPUs of one host, connected by HCCS.
 * The package uses the SPI, {@code transport-base} and the ACL runtime through its package {@code acl}; it does not use
 * the engine.
 * Host memory for peers is in files that the peers map. Device memory is shared by keys.
 */
package dev.transload.transport.hccs;
