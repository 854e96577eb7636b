/**
 * The transactional outbox: jobs are written to a table by the transaction that enqueues
 * them, and go from there to the store.
 */
@NullMarked
package io.lowkiq.autoconfigure.outbox;

import org.jspecify.annotations.NullMarked;
