package io.lowkiq.store;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lowkiq.store.job.Shard;

/** Waits until messages would arrive, and heeds none of them unless a subclass does. */
public class ConnectionLatch implements WakeUps.Listener {

	private final CountDownLatch connected = new CountDownLatch(1);

	/** Waits up to 20 seconds. */
	public boolean await() {
		try {
			return this.connected.await(20, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	@Override
	public void wake(Shard shard) {
	}

	@Override
	public void connected() {
		this.connected.countDown();
	}

}
