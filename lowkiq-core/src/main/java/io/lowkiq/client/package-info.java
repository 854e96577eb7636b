/**
 * The client that enqueues into the shards of a store. It knows the storage only by
 * {@code io.lowkiq.store}.
 */
@NullMarked
package io.lowkiq.client;

import org.jspecify.annotations.NullMarked;
