/**
 * The Redis of the jobs: its properties and connections, and what is checked about it
 * when the application starts.
 */
@NullMarked
package io.lowkiq.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
