/**
 * Jobs as a shard keeps them: payloads, follow-up jobs, outcomes of runs.
 */
@NullMarked
package io.lowkiq.store.job;

import org.jspecify.annotations.NullMarked;
