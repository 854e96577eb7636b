/**
 * Enqueueing in a transaction: the jobs of a transaction, and what happens to them at its
 * commit or rollback.
 */
@NullMarked
package io.lowkiq.autoconfigure.transaction;

import org.jspecify.annotations.NullMarked;
