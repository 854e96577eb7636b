package io.lowkiq.store;

/**
 * A follow-up that waits in the shard of the job whose completion has caused it.
 *
 * @param number grows within the shard
 * @param followUp what is to be enqueued
 */
public record StoredFollowUp(long number, FollowUp followUp) {
}
