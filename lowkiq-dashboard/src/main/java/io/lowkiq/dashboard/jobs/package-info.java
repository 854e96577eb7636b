/**
 * Jobs as people look at them: lists and pages over shards, searches, groups of errors,
 * and payloads as text. Used by {@code api} and {@code actions}. It changes nothing, and
 * knows no requests.
 */
@NullMarked
package io.lowkiq.dashboard.jobs;

import org.jspecify.annotations.NullMarked;
