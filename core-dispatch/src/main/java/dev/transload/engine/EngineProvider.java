/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.typesafe.config.Config;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * Opens engines and reads settings on behalf of the public types of this package. {@link ServiceLoader} finds the
 * provider, so that the public types do not depend on their implementation. Programs do not use this interface: they
 * call {@link Engine#open} and {@link EngineConfig#from}.
 */
public interface EngineProvider
{
    /**
     * Finds the provider with the class loader of this package. This module contains the provider.
     *
     * @return provider.
     * @throws IllegalStateException if the jar was repackaged without its service files.
     */
    static EngineProvider find()
    {
        return ServiceLoader.load(EngineProvider.class, EngineProvider.class.getClassLoader()).findFirst()
            .orElseThrow(() -> new IllegalStateException("the engine's jar has no META-INF/services/" +
                EngineProvider.class.getName() + ": a jar that repackages it must keep its service files"));
    }

    /**
     * Reads and validates a configuration; see {@link EngineConfig#from}.
     *
     * @param root resolved configuration.
     * @return settings.
     */
    EngineConfig read(Config root);

    /**
     * Collects the settings of a program; see {@link TransloadConfig#load}.
     *
     * @param environment environment variables.
     * @param file        configuration file, null for none.
     * @param overrides   values by full key.
     * @param transports  registry of the transports found.
     * @return settings.
     */
    TransloadConfig load(
        Map<String, String> environment, Path file, Map<String, String> overrides, TransportRegistry transports);

    /**
     * Collects the settings of a program that has its own configuration; see {@link TransloadConfig#loadWithin}.
     *
     * @param environment environment variables.
     * @param application configuration of the program, not resolved.
     * @param overrides   values by full key.
     * @param transports  registry of the transports found.
     * @return settings.
     */
    TransloadConfig loadWithin(
        Map<String, String> environment, Config application, Map<String, String> overrides,
        TransportRegistry transports);

    /**
     * Reads settings that another process rendered; see {@link TransloadConfig#parse}.
     *
     * @param rendered text of the settings.
     * @return settings.
     */
    TransloadConfig parse(String rendered);

    /**
     * Returns the memory of the rings between nodes; see {@link Engine#scaleOutRingBytes}.
     *
     * @param config settings.
     * @return number of bytes.
     */
    long scaleOutRingBytes(EngineConfig config);

    /**
     * Returns the memory of the rings within a node; see {@link Engine#scaleUpRingBytes}.
     *
     * @param config settings.
     * @return number of bytes.
     */
    long scaleUpRingBytes(EngineConfig config);

    /**
     * Opens an engine that has its own transports; see {@link Engine#open}.
     *
     * @param config     settings of the engine.
     * @param rendezvous rendezvous of the world.
     * @param transports registry of the transports found.
     * @param kernels    registry of the row kernels found.
     * @return engine.
     */
    Engine open(EngineConfig config, Rendezvous rendezvous, TransportRegistry transports, KernelRegistry kernels);

    /**
     * Opens a context that several engines can share; see {@link TransportContext#open}.
     *
     * @param rendezvous rendezvous of the world.
     * @param transports registry of the transports found.
     * @return context.
     */
    TransportContext openContext(Rendezvous rendezvous, TransportRegistry transports);

    /**
     * Opens an engine in a shared context; see {@link Engine#open}.
     *
     * @param config  settings of the engine.
     * @param context context of the world.
     * @param kernels registry of the row kernels found.
     * @return engine.
     */
    Engine open(EngineConfig config, TransportContext context, KernelRegistry kernels);
}
