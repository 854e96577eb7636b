package io.lowkiq.engine.perform;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.lowkiq.Batch;
import io.lowkiq.Producers;
import io.lowkiq.TraceParent;

/** The jobs of one call of a worker; the fencing token is the lease's epoch (I6). */
record ReadableBatch(List<ReadableJob> readable, long fencingToken,
		BooleanSupplier leaseLost) implements Batch<Object> {

	@Override
	public List<Batch.Job<Object>> jobs() {
		return List.copyOf(this.readable);
	}

	List<String> ids() {
		String[] ids = new String[this.readable.size()];
		for (int i = 0; i < ids.length; i++) {
			ids[i] = this.readable.get(i).id();
		}
		return List.of(ids);
	}

	/** The producers of the payloads, each once. */
	Producers producers() {
		if (this.readable.size() == 1) {
			return this.readable.get(0).producers();
		}
		Set<TraceParent> traces = new LinkedHashSet<>();
		long more = 0;
		for (ReadableJob job : this.readable) {
			traces.addAll(job.producers().traces());
			more += job.producers().more();
		}
		return new Producers(List.copyOf(traces), more);
	}

	@Override
	public Iterator<Batch.Job<Object>> iterator() {
		return jobs().iterator();
	}

	@Override
	public boolean isLeaseLost() {
		return this.leaseLost.getAsBoolean();
	}

}
