package io.lowkiq.admin;

import java.time.Instant;

/**
 * A job that the outbox has put aside, because it can't be sent as it is.
 *
 * @param sequence the number of its row, unlike any other
 * @param queue the queue's name
 * @param id the id, which may be invalid
 * @param reason why it can't be sent
 * @param enqueuedAt when it was enqueued, by the clock of the database
 */
public record UnsentJob(long sequence, String queue, String id, String reason, Instant enqueuedAt) {
}
