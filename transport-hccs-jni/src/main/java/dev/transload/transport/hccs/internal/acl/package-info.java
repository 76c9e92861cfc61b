/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The ACL runtime of CANN: its library opened at run time, its calls, and what is made of them: devices, memory that
 * processes share, streams and events. It knows Agrona, the exceptions of the SPI and the loader of bundled libraries;
 * nothing of ranks or channels. What it hands out works from any platform thread, which it binds to the device.
 */
package dev.transload.transport.hccs.internal.acl;
