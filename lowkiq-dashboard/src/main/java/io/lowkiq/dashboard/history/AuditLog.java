package io.lowkiq.dashboard.history;

import java.util.List;
import java.util.Optional;

import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.AdminEvent.Result;

/**
 * The actions of people: the last {@value #KEPT} on jobs and queues, and as many on
 * groups. Thread-safe.
 */
public interface AuditLog {

	/** The number of entries kept of each kind. */
	int KEPT = 1_000;

	/** The maximum number of ids kept with an entry. */
	int MAX_IDS = 10;

	/** The user of an action where nobody was signed in. */
	String NOBODY = "unknown";

	/** A longer message is cut. */
	int MAX_CHARACTERS = 1_000;

	/** Adds an entry. */
	void add(AdminEvent event);

	/**
	 * The last entries.
	 * @param limit the maximum number
	 * @return the entries, newest first
	 */
	List<Entry> recent(boolean groups, int limit);

	/**
	 * The last pause of a queue: who paused it, and when.
	 * @return the entry; empty if it was resumed since, or if it is not known
	 */
	Optional<Entry> lastPause(String queue);

	/**
	 * A call by somebody.
	 *
	 * @param at milliseconds since 1970, by the store's clock
	 * @param user who did it
	 * @param action what was done
	 * @param queue the queue's name
	 * @param ids the first ids that were named
	 * @param moreIds how many more were named
	 * @param changed how many jobs, or shards, were changed
	 * @param result how it ended
	 * @param message the same for people
	 */
	record Entry(long at, String user, String action, String queue, List<String> ids, int moreIds, long changed,
			Result result, String message) {

		static Entry of(long at, AdminEvent event) {
			List<String> ids = event.ids().subList(0, Math.min(event.ids().size(), MAX_IDS));
			String message = event.message();
			return new Entry(at, event.user(), event.action(), event.queue(), ids, event.ids().size() - ids.size(),
					event.changed(), event.result(),
					(message.length() > MAX_CHARACTERS) ? message.substring(0, MAX_CHARACTERS) + "…" : message);
		}

		Entry at(long time) {
			return new Entry(time, this.user, this.action, this.queue, this.ids, this.moreIds, this.changed,
					this.result, this.message);
		}

		/** Whether groups were changed. */
		boolean isOfGroups() {
			return this.action.contains("-group");
		}

		/** Whether the queue is paused from now on. */
		boolean pauses() {
			return this.action.equals(AdminAction.PAUSE.label()) && this.changed > 0;
		}

		/** Whether the queue is not paused any more, or gone. */
		boolean resumes() {
			return this.result == Result.DONE && (this.action.equals(AdminAction.RESUME.label())
					|| this.action.equals(AdminAction.REMOVE_QUEUE.label())
					|| this.action.equals(AdminAction.REMOVE_EMPTY_QUEUE.label()));
		}

	}

}
