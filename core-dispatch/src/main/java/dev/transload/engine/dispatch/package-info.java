/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The five roles of dispatch: sender, sender coordinator, forwarder, forwarder coordinator and receiver.
 * Rows flow from the caller's tensor through the scale-out ring and the scale-up ring to their final places.
 * The package knows links, routes and memory; its roles meet each other only in cursors, stamps and signals.
 */
package dev.transload.engine.dispatch;
