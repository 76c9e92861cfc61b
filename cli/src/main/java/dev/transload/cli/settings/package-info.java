/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The configuration of commands: what {@link dev.transload.engine.TransloadConfig} collects from options, properties,
 * environment and a file, below it what a command finds fitting, and emulators of devices.
 * Whatever no module knows is refused by its key; values are judged by the module that they belong to.
 */
package dev.transload.cli.settings;
