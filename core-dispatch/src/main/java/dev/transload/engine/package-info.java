/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The API of the engine: open an engine with a rendezvous and transports, dispatch token rows to experts, and combine
 * their answers. The package contains interfaces, requests, results and records of settings. {@code EngineProvider}
 * finds the implementation. The package uses the Transport SPI, the row kernels and the package {@code cores}. It uses
 * no other package of the engine and does not name a transport.
 */
package dev.transload.engine;
