/**
 * Time, threads and waiting of a server, and what its loops have in common. The engine
 * takes the time, starts threads and waits only through
 * {@link io.lowkiq.engine.runtime.EngineRuntime}.
 */
@NullMarked
package io.lowkiq.engine.runtime;

import org.jspecify.annotations.NullMarked;
