/**
 * A Redis in the JVM, for tests: it runs Lua scripts, unmodified, on the commands that
 * they use, and fails on demand.
 */
@NullMarked
package io.lowkiq.redis.inmemory;

import org.jspecify.annotations.NullMarked;
