/** The outbox, while the processes that enqueue and Redis are killed. */
@NullMarked
package io.lowkiq.reliability.outbox;

import org.jspecify.annotations.NullMarked;
