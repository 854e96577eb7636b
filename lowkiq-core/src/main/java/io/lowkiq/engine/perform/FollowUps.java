package io.lowkiq.engine.perform;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.InvalidJobException;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.FollowUp;
import io.lowkiq.store.NewPayload;

/**
 * What a worker enqueues on success of one job, while it performs it. Thread-safe: a
 * worker may have threads of its own.
 */
final class FollowUps {

	/** No more payloads can follow one job. */
	static final int MOST = 1_000;

	/** No more bytes of payloads can follow one job. */
	static final long MAX_BYTES = 1 << 20;

	private final String id;

	// All of the following is guarded by the monitor

	/** Belong to payloads that are done, whatever becomes of the others. */
	private final List<FollowUp> certain = new ArrayList<>();

	/** Take effect if what is performed at the moment succeeds. */
	private final List<FollowUp> open = new ArrayList<>();

	private long bytes;

	private boolean over;

	FollowUps(String id) {
		this.id = id;
	}

	synchronized void add(String queue, List<NewPayload> payloads) {
		if (this.over) {
			throw new IllegalStateException(
					"Job '%s' is not performed any more, so nothing can follow it".formatted(LogText.of(this.id)));
		}
		long size = payloads.stream().mapToLong((payload) -> payload.payload().length).sum();
		if (this.certain.size() + this.open.size() + payloads.size() > MOST || this.bytes + size > MAX_BYTES) {
			throw new InvalidJobException(
					"More than %d payloads, or %d bytes of them, can't follow job '%s'. Enqueue one whose worker enqueues the others"
						.formatted(MOST, MAX_BYTES, LogText.of(this.id)));
		}
		this.bytes += size;
		payloads.forEach((payload) -> this.open.add(new FollowUp(queue, payload)));
	}

	/** Something is done: what was added since the last mark takes effect. */
	synchronized void done() {
		this.certain.addAll(this.open);
		this.open.clear();
	}

	/** Something has failed: what was added since the last mark has no effect. */
	synchronized void failed() {
		this.open.clear();
	}

	/**
	 * The perform has ended.
	 * @param success whether nothing of it has failed
	 * @return what takes effect, in the order in which it was enqueued
	 */
	synchronized List<FollowUp> end(boolean success) {
		this.over = true;
		if (success) {
			done();
		}
		return List.copyOf(this.certain);
	}

}
