/**
 * The states that Spring keeps on a thread. Each run finds them as its thread began. The
 * auto-configuration uses it. It knows nothing of queues and workers.
 */
@NullMarked
package io.lowkiq.autoconfigure.thread;

import org.jspecify.annotations.NullMarked;
