/**
 * Enqueuing: checks requests, encodes payloads, chooses shards, and reports to observers.
 */
@NullMarked
package io.lowkiq.client;

import org.jspecify.annotations.NullMarked;
