/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Transport;
import java.nio.ByteBuffer;

/** What every rank published when the engines opened, by rank. */
public interface PeerDirectory
{
    int rank();

    /** Arenas of a rank, equal everywhere. */
    int arenaCount();

    /** Which life of a rank published. */
    long incarnation(int rank);

    /**
     * Address of the worker to connect to.
     *
     * @param workerIndex of the own worker; the peer's workers are taken in turn.
     */
    ByteBuffer workerAddress(int rank, Stage stage, int workerIndex);

    /** Signals of a stage. */
    ByteBuffer signals(int rank, Stage stage);

    /**
     * Whether an arena is exported by the transport of a stage.
     *
     * @return true if it can be imported.
     */
    boolean exports(int rank, Stage stage, int arena);

    /** An exported arena. */
    ByteBuffer arena(int rank, int arena);

    /** Own transport of a stage. */
    Transport transport(Stage stage);
}
