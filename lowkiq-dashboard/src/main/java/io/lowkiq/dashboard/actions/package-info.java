/**
 * Actions on jobs and queues: long ones with progress, one at a time over all nodes, and
 * edits of payloads. Used by {@code api}. Changes go through {@code LowkiqAdmin} only; it
 * knows no requests.
 */
@NullMarked
package io.lowkiq.dashboard.actions;

import org.jspecify.annotations.NullMarked;
