package io.lowkiq.admin.store;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.AdminEvent.Result;
import io.lowkiq.internal.LogText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs and publishes each changing call once. Thread-safe. */
final class Audits {

	private static final Logger logger = LoggerFactory.getLogger(StoreAdmin.class);

	private final StoreAdmin.Users users;

	private final Consumer<AdminEvent> events;

	Audits(StoreAdmin.Users users, Consumer<AdminEvent> events) {
		this.users = users;
		this.events = events;
	}

	Audits as(String other) {
		return new Audits(() -> other, this.events);
	}

	<T> T of(String queue, String action, List<String> ids, Function<Audit, T> call) {
		return new Audit(queue, action, ids).of(call);
	}

	/** The trace of one changing call. Used by one thread. */
	final class Audit {

		private final String queue;

		private final String action;

		private final List<String> ids;

		private final String who;

		/** The number of jobs changed. */
		private long changed;

		private Result result = Result.FAILED;

		private String message = "";

		/** Whether the call has only looked for something. */
		private boolean isSkipped;

		private Audit(String queue, String action, List<String> ids) {
			this.queue = queue;
			this.action = action;
			this.ids = ids;
			String known = Audits.this.users.current();
			this.who = (known != null) ? known : AdminEvent.APPLICATION;
		}

		ActionProgress watch(ActionProgress progress) {
			return (count, total) -> {
				this.changed = count;
				return progress.shouldContinue(count, total);
			};
		}

		String queue() {
			return this.queue;
		}

		String who() {
			return this.who;
		}

		void ended(long count, boolean complete, String summary) {
			this.changed = count;
			this.result = complete ? Result.DONE : Result.STOPPED;
			this.message = complete ? summary : "Stopped. " + summary;
		}

		void skip() {
			this.isSkipped = true;
		}

		private <T> T of(Function<Audit, T> call) {
			try {
				return call.apply(this);
			}
			catch (RuntimeException ex) {
				this.result = Result.FAILED;
				this.message = String.format(Locale.ROOT, "It failed after %,d: %s", this.changed, ex.getMessage());
				throw ex;
			}
			finally {
				if (!this.isSkipped) {
					logger.info("User '{}' did {} on queue '{}'{}: {}", LogText.of(this.who), this.action, this.queue,
							this.ids.isEmpty() ? "" : ", ids " + LogText.of(this.ids), LogText.of(this.message));
					publish();
				}
			}
		}

		private void publish() {
			try {
				Audits.this.events.accept(new AdminEvent(this.who, this.action, this.queue, this.ids, this.changed,
						this.result, this.message));
			}
			catch (RuntimeException ex) {
				logger.warn("A listener of AdminEvents threw an exception", ex);
			}
		}

	}

}
