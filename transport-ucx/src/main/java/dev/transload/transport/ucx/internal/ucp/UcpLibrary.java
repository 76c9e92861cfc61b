/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.openucx.jucx.UcxException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * UCX of this host, loaded: the calls into it, and the versions found. Loading comes before the first use of any class
 * of jucx, because UCX reads its settings of logging and signals while it is loaded.
 */
public final class UcpLibrary
{
    /** What the dynamic linker is asked for; jucx is linked with the same name. */
    public static final String NAME = "libucp.so.0";

    private static final Logger LOG = LoggerFactory.getLogger(UcpLibrary.class);
    private static final String JUCX_POM = "/META-INF/maven/org.openucx/jucx/pom.properties";

    /**
     * Set before UCX is loaded unless the user has set them: messages would go to standard output, which is the
     * application's, and handlers of signals would take those that the JVM needs.
     */
    private static final Map<String, String> ENVIRONMENT =
        Map.of("UCX_LOG_LEVEL", "error", "UCX_LOG_FILE", "stderr", "UCX_ERROR_SIGNALS", "");

    private static Loaded jni;
    private static Loaded jna;

    private final UcpCalls calls;
    private final UcxVersions versions;
    private final Throwable jniFailure;

    private UcpLibrary(final UcpCalls calls, final UcxVersions versions, final Throwable jniFailure)
    {
        this.calls = calls;
        this.versions = versions;
        this.jniFailure = jniFailure;
    }

    /** A binding's calls, or why there are none. Libraries are loaded once in the life of the JVM. */
    private record Loaded(LoadableCalls calls, Throwable failure)
    {
    }

    /**
     * Load UCX.
     *
     * @param binding     to use.
     * @param environment variables to set unless they are set, before UCX is loaded: its settings of the whole process.
     * @return the library; the same calls for the same binding every time.
     * @throws TransportUnavailableException if this machine has no UCX, none that fits jucx, or not the binding that is
     *                                       asked for: one sentence says what would bring it.
     */
    public static UcpLibrary load(final UcpBinding binding, final Map<String, String> environment)
    {
        return load(binding, environment, NAME);
    }

    static synchronized UcpLibrary load(
        final UcpBinding binding, final Map<String, String> environment, final String library)
    {
        checkMachine(System.getProperty("os.name"), System.getProperty("os.arch"));
        final Loaded loaded = UcpBinding.JNA == binding ? jna() : UcpBinding.JNI == binding ? jni() : any();
        final LoadableCalls calls = required(loaded);
        final Map<String, String> variables = new LinkedHashMap<>(environment);
        ENVIRONMENT.forEach(variables::putIfAbsent);
        variables.forEach(calls::setEnvironment);

        final String problem = calls.open(library);
        if (null != problem)
        {
            throw unavailable(library, problem);
        }

        final UcxVersions versions = UcxVersions.of(calls.version(), jucxVersion(), calls.name());
        if (null != versions.problem())
        {
            throw new TransportUnavailableException(versions.problem(), null);
        }

        return new UcpLibrary(calls, versions, null == jni ? null : jni.failure);
    }

    /** Calls into UCX. */
    public UcpCalls calls()
    {
        return calls;
    }

    /** What was found. */
    public UcxVersions versions()
    {
        return versions;
    }

    /**
     * Why there is no JNI.
     *
     * @return null if it was loaded or never asked for.
     */
    public Throwable jniFailure()
    {
        return jniFailure;
    }

    /** jucx looks for its library by this name in its jar; that of Maven Central has one for amd64. */
    static void checkMachine(final String system, final String architecture)
    {
        final String library = "libjucx_" + architecture + ".so";
        final boolean isLinux = "Linux".equals(system);
        if (!isLinux || null == UcxException.class.getResource("/" + library))
        {
            throw new TransportUnavailableException("jucx is for Linux on x86-64 only, and this is " + system + " on " +
                architecture + (isLinux ? ": its jar has no " + library : "") + "; choose another transport, as aeron",
                null);
        }
    }

    static TransportUnavailableException unavailable(final String library, final String problem)
    {
        final Throwable cause = new UnsatisfiedLinkError(problem);
        return problem.contains(library + ": cannot open shared object file") ?
            new TransportUnavailableException(library + " is missing: apt-get install libucx0", cause) :
            new TransportUnavailableException(library + " cannot be used: " + problem, cause);
    }

    private static LoadableCalls required(final Loaded loaded)
    {
        if (null == loaded.calls)
        {
            throw new TransportUnavailableException(loaded.failure.getMessage(), loaded.failure);
        }

        return loaded.calls;
    }

    private static Loaded any()
    {
        final boolean isFirst = null == jni;
        final Loaded shim = jni();
        if (null != shim.calls)
        {
            return shim;
        }

        if (isFirst)
        {
            LOG.warn("Calls into UCX go through JNA, several times slower a call: {}", shim.failure.getMessage());
        }

        return jna();
    }

    private static Loaded jni()
    {
        if (null == jni)
        {
            try
            {
                jni = new Loaded(JniCalls.load(), null);
            }
            catch (final IOException | UnsatisfiedLinkError ex)
            {
                jni = new Loaded(null, new UnsatisfiedLinkError("the JNI shim cannot be loaded: " + ex.getMessage()));
                jni.failure.initCause(ex);
            }
        }

        return jni;
    }

    private static Loaded jna()
    {
        if (null == jna)
        {
            try
            {
                jna = new Loaded(JnaCalls.load(), null);
            }
            catch (final LinkageError ex)
            {
                jna = new Loaded(null, new UnsatisfiedLinkError("JNA cannot be loaded: " + ex.getMessage()));
                jna.failure.initCause(ex);
            }
        }

        return jna;
    }

    private static String jucxVersion()
    {
        try (InputStream pom = UcxException.class.getResourceAsStream(JUCX_POM))
        {
            final Properties properties = new Properties();
            if (null != pom)
            {
                properties.load(pom);
            }

            return properties.getProperty("version", "unknown");
        }
        catch (final IOException ex)
        {
            LOG.debug("The jar of jucx cannot be read", ex);
            return "unknown";
        }
    }
}
