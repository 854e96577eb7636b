package io.lowkiq.engine.perform;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.InvalidJobException;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;

/**
 * The jobs that a worker enqueues on success of one job. Thread-safe: a worker may have
 * threads of its own.
 */
final class FollowUps {

	static final int MAX_PAYLOADS = 1_000;

	static final long MAX_BYTES = 1 << 20;

	private final String id;

	// All of the following is guarded by the monitor

	/** Belong to payloads that are done, whatever becomes of the others. */
	private final List<FollowUp> certain = new ArrayList<>();

	/** Take effect if the present payload succeeds. */
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
		long size = payloads.stream().mapToLong(FollowUps::size).sum();
		if (this.certain.size() + this.open.size() + payloads.size() > MAX_PAYLOADS || this.bytes + size > MAX_BYTES) {
			throw new InvalidJobException(
					"More than %s payloads, or %s bytes of them, can't follow job '%s'. Enqueue one whose worker enqueues the others"
						.formatted(MAX_PAYLOADS, MAX_BYTES, LogText.of(this.id)));
		}
		this.bytes += size;
		payloads.forEach((payload) -> this.open.add(new FollowUp(queue, payload)));
	}

	private static long size(NewPayload payload) {
		byte[] next = payload.next();
		return payload.payload().length + ((next != null) ? next.length : 0L);
	}

	/** Marks payloads as done: follow-ups added since the last mark take effect. */
	synchronized void done() {
		this.certain.addAll(this.open);
		this.open.clear();
	}

	/** Marks payloads as failed: follow-ups added since the last mark have no effect. */
	synchronized void failed() {
		this.open.clear();
	}

	/** Drops all follow-ups, also of payloads that are done. */
	synchronized void drop() {
		this.certain.clear();
		this.open.clear();
	}

	synchronized List<FollowUp> end(boolean success) {
		this.over = true;
		if (success) {
			done();
		}
		return List.copyOf(this.certain);
	}

}
