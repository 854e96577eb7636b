/**
 * Enqueueing in a transaction: the jobs of a transaction, and what happens to them at its
 * commit or rollback. The auto-configuration uses it, as does the outbox. It knows
 * neither properties nor databases.
 */
@NullMarked
package io.lowkiq.autoconfigure.transaction;

import org.jspecify.annotations.NullMarked;
