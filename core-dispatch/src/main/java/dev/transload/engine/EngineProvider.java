/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.typesafe.config.Config;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * What makes the engines and reads the settings of this package's types. It is found by {@link ServiceLoader}, so that
 * the types which users see depend on none of the packages that implement them. Users call {@link Engine#open} and
 * {@link EngineConfig#from}.
 */
public interface EngineProvider
{
    /**
     * The provider that this package's class loader finds: its own module has it.
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
     * Read and validate a configuration, see {@link EngineConfig#from}.
     *
     * @param root resolved configuration.
     * @return settings.
     */
    EngineConfig read(Config root);

    /**
     * Collect settings, see {@link TransloadConfig#load}.
     *
     * @param environment variables.
     * @param file        null for none.
     * @param overrides   by full key.
     * @param transports  found.
     * @return settings.
     */
    TransloadConfig load(
        Map<String, String> environment, Path file, Map<String, String> overrides, TransportRegistry transports);

    /**
     * Collect settings, see {@link TransloadConfig#loadWithin}.
     *
     * @param environment variables.
     * @param application not resolved.
     * @param overrides   by full key.
     * @param transports  found.
     * @return settings.
     */
    TransloadConfig loadWithin(
        Map<String, String> environment, Config application, Map<String, String> overrides,
        TransportRegistry transports);

    /**
     * Settings that another process rendered, see {@link TransloadConfig#parse}.
     *
     * @param rendered text.
     * @return settings.
     */
    TransloadConfig parse(String rendered);

    /**
     * Memory of the rings between nodes, see {@link Engine#scaleOutRingBytes}.
     *
     * @param config settings.
     * @return bytes.
     */
    long scaleOutRingBytes(EngineConfig config);

    /**
     * Memory of the rings within a node, see {@link Engine#scaleUpRingBytes}.
     *
     * @param config settings.
     * @return bytes.
     */
    long scaleUpRingBytes(EngineConfig config);

    /**
     * Open an engine with transports of its own, see {@link Engine#open}.
     *
     * @param config     settings.
     * @param rendezvous of the world.
     * @param transports found.
     * @param kernels    found.
     * @return engine.
     */
    Engine open(EngineConfig config, Rendezvous rendezvous, TransportRegistry transports, KernelRegistry kernels);

    /**
     * Open what engines share, see {@link TransportContext#open}.
     *
     * @param rendezvous of the world.
     * @param transports found.
     * @return context.
     */
    TransportContext openContext(Rendezvous rendezvous, TransportRegistry transports);

    /**
     * Open an engine over that.
     *
     * @param config  settings.
     * @param context of the world.
     * @param kernels found.
     * @return engine.
     */
    Engine open(EngineConfig config, TransportContext context, KernelRegistry kernels);
}
