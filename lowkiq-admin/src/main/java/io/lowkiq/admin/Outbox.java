package io.lowkiq.admin;

import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The outbox of an application, as operators look at it and change it. All methods throw
 * {@link io.lowkiq.StoreException} if its database is out of reach. Thread-safe.
 */
public interface Outbox {

	/** Where there is no outbox. */
	Outbox NONE = new Outbox() {

		@Override
		public OutboxStatus status(int limit) {
			return OutboxStatus.EMPTY;
		}

		@Override
		public Optional<UnsentJob> find(long sequence) {
			return Optional.empty();
		}

		@Override
		public boolean sendAgain(long sequence) {
			return false;
		}

		@Override
		public boolean drop(long sequence) {
			return false;
		}

		@Override
		public long resendKept(Instant from, Instant to) {
			return 0;
		}

		@Override
		public Map<String, Long> erase(@Nullable String queue, String id) {
			return Map.of();
		}

		@Override
		public Map<String, Long> erasePrefix(String prefix) {
			return Map.of();
		}

		@Override
		public void dropKept(Shard shard, Collection<String> ids) {
			// Nothing is kept
		}

	};

	/**
	 * The outbox's status: what can't be sent at present.
	 * @param limit the maximum number of jobs to list that were put aside
	 * @return what waits
	 */
	OutboxStatus status(int limit);

	/**
	 * Looks up a job that was put aside.
	 * @param sequence its number
	 * @return the job; empty if it isn't there any more
	 */
	Optional<UnsentJob> find(long sequence);

	/**
	 * Returns a job that was put aside to its place among the others.
	 * @param sequence its number
	 * @return whether it was there
	 */
	boolean sendAgain(long sequence);

	/**
	 * Deletes a job that was put aside.
	 * @param sequence its number
	 * @return whether it was there
	 */
	boolean drop(long sequence);

	/**
	 * Sends jobs again that were sent at some time and are still kept.
	 * @param from the first time
	 * @param to the time after the last one
	 * @return how many are sent again
	 */
	long resendKept(Instant from, Instant to);

	/**
	 * Erases all that the outbox has of an id: unsent, put aside, or kept.
	 * @param queue the queue's name; null for all queues
	 * @param id the id
	 * @return how many rows there were, by the name of the queue
	 */
	Map<String, Long> erase(@Nullable String queue, String id);

	/**
	 * Erases all that the outbox has of the ids that begin with a prefix.
	 * @param prefix what the ids begin with
	 * @return how many rows there were, by the name of the queue
	 */
	Map<String, Long> erasePrefix(String prefix);

	/**
	 * Drops jobs that are kept after they were sent, because an operator deletes them: so
	 * they don't come back if Redis forgets them.
	 * @param shard the shard they were sent to
	 * @param ids their ids
	 */
	void dropKept(Shard shard, Collection<String> ids);

}
