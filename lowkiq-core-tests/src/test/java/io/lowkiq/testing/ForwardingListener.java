package io.lowkiq.testing;

import io.lowkiq.store.WakeUps;
import io.lowkiq.store.job.Shard;

/** Passes all messages on; for tests that change what becomes of some. */
public class ForwardingListener implements WakeUps.Listener {

	private final WakeUps.Listener listener;

	protected ForwardingListener(WakeUps.Listener listener) {
		this.listener = listener;
	}

	@Override
	public void wake(Shard shard) {
		this.listener.wake(shard);
	}

	@Override
	public void released(Shard shard) {
		this.listener.released(shard);
	}

	@Override
	public void changed() {
		this.listener.changed();
	}

	@Override
	public void echo() {
		this.listener.echo();
	}

	@Override
	public void connected() {
		this.listener.connected();
	}

}
