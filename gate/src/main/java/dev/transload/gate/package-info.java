/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Measures what each test class costs and keeps the gate, {@code mvn verify}, short. It is on the class path of tests
 * only. It knows JUnit and nothing of Transload.
 */
package dev.transload.gate;
