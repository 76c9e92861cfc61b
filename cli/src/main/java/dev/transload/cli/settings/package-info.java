/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Layers of configuration: options, properties, environment, a file, what a command finds fitting, and the modules'
 * references, in this order of precedence.
 * Whatever no module knows is refused by its key; values are judged by the module that they belong to.
 */
package dev.transload.cli.settings;
