/**
 * Enqueuing: checks requests, encodes payloads, chooses shards, and reports to observers.
 * Used by auto-configurations, which make the client a bean. It knows the storage only as
 * {@code io.lowkiq.store}, and not the engine.
 */
@NullMarked
package io.lowkiq.client;

import org.jspecify.annotations.NullMarked;
