package io.lowkiq.sample.orders;

import java.time.Duration;

import org.springframework.stereotype.Component;

/** Stands for a remote system that takes its time and sometimes refuses. Thread-safe. */
@Component
class Warehouse {

	/** The status of a change that the warehouse refuses at the first two attempts. */
	static final String BUSY = "WAREHOUSE_BUSY";

	/** The status of a change that the warehouse never takes. */
	static final String REFUSES = "WAREHOUSE_REFUSES";

	private static final int BUSY_ATTEMPTS = 2;

	private final Duration workTime;

	Warehouse(SampleSettings settings) {
		this.workTime = settings.workTime();
	}

	/** Books an order. */
	void book(String id, OrderSnapshot snapshot, int attempt) throws InterruptedException {
		Thread.sleep(this.workTime.toMillis());
		boolean busy = snapshot.status().equals(BUSY) && attempt < BUSY_ATTEMPTS;
		if (busy || snapshot.status().equals(REFUSES)) {
			throw new WarehouseException("The warehouse did not take order %s, version %s (attempt %s)".formatted(id,
					snapshot.version(), attempt + 1));
		}
	}

	/** Thrown when the warehouse does not take an order. */
	static final class WarehouseException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		WarehouseException(String message) {
			super(message);
		}

	}

}
