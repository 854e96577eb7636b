package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.lowkiq.autoconfigure.outbox.AsideTable.Entry;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Part;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Parts;

/**
 * Goes through the rows that wait, in steps of bounded size: from queue to queue and from
 * id to id, always from the oldest row of an id on, so that no row overtakes an older
 * one. A part that has failed gets one row to try, and more when that was sent. There are
 * passes until one sends nothing; and one now and then, for what a process left that
 * died. Used by the thread that flushes, but for {@link #request()}.
 */
final class WaitingPass {

	private static final int MAX_ENTRIES = 1_000;

	/** The effort of a step; to leave out a queue is one. */
	private static final int MAX_EFFORT = 100;

	private static final int EFFORT_OF_ENTRIES = 10;

	/** A refusal costs a call. */
	private static final int MAX_TRIED = 50;

	/** Each costs a call. */
	private static final int MAX_QUEUES = 20;

	/** After an attempt in vain, the pause is so many times as long. */
	private static final int SHARE = 20;

	private final OutboxTable table;

	private final AsideTable aside;

	private final Duration interval;

	private final LongSupplier nanoTime;

	/** Written by all, cleared by the thread that flushes. */
	private volatile boolean isRequested = true;

	/** Null if no pass is under way. */
	private @Nullable String queue;

	private long hash;

	private boolean isToBeRepeated;

	/** The parts without waiting rows, if the pass finds none. */
	private Set<Part> open = new HashSet<>();

	private long begin;

	private long next;

	private long beginOfStep;

	/** Until then nothing is tried: attempts in vain must not hold up others. */
	private long rest;

	WaitingPass(OutboxTable table, Duration interval, LongSupplier nanoTime) {
		this.table = table;
		this.aside = table.aside();
		this.interval = interval;
		this.nanoTime = nanoTime;
		this.next = nanoTime.getAsLong();
		this.rest = this.next;
	}

	/** Rows of a part have been moved aside, maybe behind the place of the pass. */
	void keep(Part part) {
		this.open.remove(part);
	}

	/** There may be rows that don't wait any more. */
	void request() {
		this.isRequested = true;
	}

	boolean isDue(WaitingRows parts) {
		long now = this.nanoTime.getAsLong();
		return now - this.rest >= 0
				&& (this.queue != null || this.isRequested || !parts.open().isEmpty() || now - this.next >= 0);
	}

	/** Whether there is more to look at. */
	boolean isUnderWay() {
		return this.queue != null || this.isToBeRepeated;
	}

	/** How long nothing is tried, in nanoseconds. */
	long untilDue() {
		return Math.max(0, this.rest - this.nanoTime.getAsLong());
	}

	/** Reads the next rows to be sent. */
	void read(OutboxBatch batch, WaitingRows parts, Parts left, Parts due) {
		this.beginOfStep = this.nanoTime.getAsLong();
		if (this.queue == null) {
			begin(parts);
		}
		List<Entry> chosen = choose(batch.room(), left, due);
		List<Entry> next = withoutOlderOnes(chosen);
		this.aside.read(next, batch);
		this.isToBeRepeated |= batch.rows().size() < next.size();
		if (next.size() < chosen.size()) {
			// Nothing is known to be empty. The next step looks again
			this.open.clear();
			this.isRequested = true;
		}
	}

	private List<Entry> withoutOlderOnes(List<Entry> chosen) {
		List<Entry> first = new ArrayList<>();
		chosen.stream()
			.collect(Collectors.groupingBy(Entry::queue, LinkedHashMap::new, Collectors.toList()))
			.forEach((name, entries) -> first.addAll(this.table.withoutOlderOnes(name, entries)));
		return first;
	}

	private void begin(WaitingRows parts) {
		this.isRequested = false;
		this.isToBeRepeated = false;
		this.open = new HashSet<>(parts.open());
		this.begin = this.nanoTime.getAsLong();
		this.queue = this.aside.nextQueue("");
		this.hash = 0;
	}

	private List<Entry> choose(int most, Parts left, Parts due) {
		List<Entry> chosen = new ArrayList<>();
		Set<Part> tried = new HashSet<>();
		Set<String> queues = new HashSet<>();
		int effort = 0;
		while (this.queue != null && effort < MAX_EFFORT && chosen.size() < most && tried.size() < MAX_TRIED
				&& queues.size() < MAX_QUEUES) {
			List<Entry> entries = List.of();
			effort++;
			if (!left.isWhole(this.queue)) {
				entries = this.aside.entries(this.queue, this.hash, MAX_ENTRIES);
				effort += EFFORT_OF_ENTRIES;
			}
			choose(entries, most, left, due, tried, chosen);
			if (!chosen.isEmpty()) {
				queues.add(chosen.get(chosen.size() - 1).queue());
			}
			if (entries.size() < MAX_ENTRIES && chosen.size() < most && tried.size() < MAX_TRIED) {
				this.queue = this.aside.nextQueue(this.queue);
				this.hash = 0;
			}
		}
		return chosen;
	}

	/** Leaves the place behind the last id, even if it has more rows. */
	private void choose(List<Entry> entries, int most, Parts left, Parts due, Set<Part> tried, List<Entry> chosen) {
		Set<String> leftIds = new HashSet<>();
		for (Entry entry : entries) {
			if (chosen.size() >= most || tried.size() >= MAX_TRIED) {
				return;
			}
			this.hash = entry.hash() + 1;
			if (entry.isPutAside() || leftIds.contains(entry.id()) || left.find(entry.queue(), entry.id()) != null) {
				leftIds.add(entry.id());
				continue;
			}
			Part part = due.find(entry.queue(), entry.id());
			if (part == null || tried.add(part)) {
				chosen.add(entry);
			}
		}
	}

	Set<Part> note(OutboxBatch batch, OutboxSending sending, Parts due) {
		this.isToBeRepeated |= !sending.sent().isEmpty() || !sending.isComplete() || sending.hasForgotten();
		this.open.removeAll(sending.failed().keySet());
		Set<Long> sent = new HashSet<>(sending.sent());
		Set<Part> back = new HashSet<>();
		for (OutboxRow row : batch.rows()) {
			Part part = due.find(row.queue(), row.payload().id());
			if (part != null && sent.contains(row.sequence())) {
				back.add(part);
			}
		}
		return back;
	}

	/** Ends a step, and the pass if it has come to the end. */
	boolean end(WaitingRows parts, boolean hasSent) {
		long now = this.nanoTime.getAsLong();
		if (!hasSent) {
			this.rest = now + Math.min(this.interval.toNanos(), SHARE * (now - this.beginOfStep));
		}
		if (this.queue != null) {
			return this.rest - now <= 0;
		}
		this.next = now + Math.max(this.interval.toNanos(), SHARE * (now - this.begin));
		if (!this.isToBeRepeated) {
			parts.forget(this.open);
		}
		this.isRequested |= this.isToBeRepeated;
		return this.isToBeRepeated && this.rest - now <= 0;
	}

	/** Ends the pass, because nothing waits. */
	void reset(WaitingRows parts) {
		this.queue = null;
		this.isToBeRepeated = false;
		parts.forget(parts.open());
	}

}
