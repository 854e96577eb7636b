/**
 * The Redis of the jobs: its properties and connections, and what is checked about it
 * when the application starts. The auto-configuration uses it. It knows nothing of queues
 * and workers.
 */
@NullMarked
package io.lowkiq.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
