/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The transport {@code hccs}: Ascend NPUs of one host, over HCCS. It knows the SPI, what transports have in common, and
 * the ACL runtime by its package {@code acl}; nothing of the engine. Host memory for peers lies in files that they map,
 * device memory is shared by keys.
 */
package dev.transload.transport.hccs;
