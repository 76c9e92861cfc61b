/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Row kernels for the memory of Ascend NPUs, which have none of their own here: the device copies, the CPU computes. It
 * knows the kernels' part of the SPI, the ACL runtime in the package {@code acl} and the row kernels of host memory as
 * the service loader finds them; nothing of channels or options.
 */
package dev.transload.transport.hccs.internal.kernels;
