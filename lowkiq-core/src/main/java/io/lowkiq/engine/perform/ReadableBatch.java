package io.lowkiq.engine.perform;

import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.lowkiq.Batch;

/**
 * The jobs that one call of a worker performs.
 *
 * @param readable the jobs
 * @param fencingToken the epoch of the lease (I6)
 * @param leaseLost whether the lease has run out
 */
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

	@Override
	public Iterator<Batch.Job<Object>> iterator() {
		return jobs().iterator();
	}

	@Override
	public boolean isLeaseLost() {
		return this.leaseLost.getAsBoolean();
	}

}
