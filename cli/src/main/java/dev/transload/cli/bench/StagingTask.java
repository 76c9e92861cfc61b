/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

/**
 * Description of a bench of staging.
 *
 * @param transport scale-up transport, of devices.
 * @param roundNs   about so long take the copies of a round.
 */
record StagingTask(String transport, long roundNs)
{
}
