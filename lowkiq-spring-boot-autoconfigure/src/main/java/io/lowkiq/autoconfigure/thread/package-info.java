/**
 * What Spring keeps on a thread, and each run finds as it was when its thread began. The
 * auto-configuration uses it. It knows nothing of queues and workers.
 */
@NullMarked
package io.lowkiq.autoconfigure.thread;

import org.jspecify.annotations.NullMarked;
