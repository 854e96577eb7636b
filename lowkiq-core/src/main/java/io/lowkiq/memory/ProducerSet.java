package io.lowkiq.memory;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.lowkiq.Producers;
import io.lowkiq.TraceParent;
import io.lowkiq.store.TracedProducer;
import org.jspecify.annotations.Nullable;

/**
 * The producers of a job: the first ones, each once, and the number of the others.
 * Guarded by the lock of its shard.
 */
final class ProducerSet {

	private final Set<TraceParent> traces = new LinkedHashSet<>();

	/** How many are kept: as many as one of the producers wants. */
	private int most;

	private long more;

	ProducerSet copy() {
		ProducerSet copy = new ProducerSet();
		copy.addAll(this);
		return copy;
	}

	/** Adds a producer, if it is traced. */
	void add(@Nullable TracedProducer producer) {
		if (producer != null) {
			this.most = Math.max(this.most, producer.most());
			add(producer.trace());
		}
	}

	/** Adds producers. */
	void addAll(ProducerSet others) {
		this.most = Math.max(this.most, others.most);
		this.more += others.more;
		others.traces.forEach(this::add);
	}

	private void add(TraceParent trace) {
		if (this.traces.contains(trace)) {
			return;
		}
		if (this.traces.size() < this.most) {
			this.traces.add(trace);
		}
		else {
			this.more++;
		}
	}

	Producers view() {
		return this.traces.isEmpty() ? Producers.NONE : new Producers(List.copyOf(this.traces), this.more);
	}

}
