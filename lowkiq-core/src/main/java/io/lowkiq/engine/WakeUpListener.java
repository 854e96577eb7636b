package io.lowkiq.engine;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.store.HandOver;
import io.lowkiq.store.Shard;
import io.lowkiq.store.WakeUps;

/**
 * Passes the store's messages to the slots, and knows whether they arrive at all.
 */
final class WakeUpListener implements WakeUps.Listener {

	private static final Logger logger = LoggerFactory.getLogger(WakeUpListener.class);

	private static final int BEATS_WITHOUT_ECHO = 2;

	private final Map<Shard, ShardSlot> slots;

	private final Runnable look;

	private final Runnable heard;

	/** Whether messages may not arrive. Written by all under the monitor, read by all. */
	private volatile boolean deaf = true;

	/** Guarded by the monitor. */
	private int beatsWithoutEcho;

	/** Whether only an echo proves that messages arrive. Guarded by the monitor. */
	private boolean echoMissed;

	/** Guarded by the monitor. */
	private WakeUps.@Nullable Subscription subscription;

	/**
	 * A listener.
	 * @param slots the shards that the node serves; may still be filled
	 * @param look called when it is time to look at the registry and at free shards
	 * @param heard called when all shards are to be asked, or polling begins or ends
	 */
	WakeUpListener(Map<Shard, ShardSlot> slots, Runnable look, Runnable heard) {
		this.slots = slots;
		this.look = look;
		this.heard = heard;
	}

	/** Whether messages may not arrive, so that the shards are to be polled. */
	boolean isDeaf() {
		return this.deaf;
	}

	/** Listens for a session, and for no other any more. */
	void subscribe(WakeUps wakeUps, String session) {
		close();
		reset();
		WakeUps.Subscription begun = wakeUps.subscribe(session, this);
		synchronized (this) {
			this.subscription = begun;
		}
	}

	private synchronized void reset() {
		this.deaf = true;
		this.beatsWithoutEcho = 0;
		this.echoMissed = false;
	}

	void close() {
		WakeUps.Subscription last;
		synchronized (this) {
			last = this.subscription;
			this.subscription = null;
		}
		if (last != null) {
			last.close();
		}
	}

	/** A heartbeat is about to be sent, and its echo to be expected. */
	void beat() {
		WakeUps.Subscription broken = missed();
		if (broken != null) {
			logger.warn("Messages of the store don't arrive; connecting anew and polling until they do");
			this.heard.run();
			broken.reconnect();
		}
	}

	/**
	 * The store was out of reach. It may be another server now than the one to which this
	 * node listens, and have forgotten of what it was to tell.
	 */
	void connectAnew() {
		WakeUps.Subscription present;
		synchronized (this) {
			present = this.subscription;
		}
		if (present != null) {
			present.reconnect();
		}
	}

	private synchronized WakeUps.@Nullable Subscription missed() {
		if (++this.beatsWithoutEcho <= BEATS_WITHOUT_ECHO) {
			return null;
		}
		this.beatsWithoutEcho = 1;
		this.deaf = true;
		this.echoMissed = true;
		return this.subscription;
	}

	@Override
	public void wake(Shard shard) {
		ShardSlot slot = this.slots.get(shard);
		if (slot != null) {
			slot.wake();
		}
	}

	@Override
	public void handOver(Shard shard, HandOver handOver) {
		ShardSlot slot = this.slots.get(shard);
		if (slot != null) {
			slot.handOver(handOver);
		}
	}

	@Override
	public void released(Shard shard) {
		ShardSlot slot = this.slots.get(shard);
		if (slot != null) {
			slot.maybeFree(true);
		}
		this.look.run();
	}

	@Override
	public void changed() {
		this.look.run();
	}

	@Override
	public synchronized void echo() {
		this.beatsWithoutEcho = 0;
		this.deaf = false;
		this.echoMissed = false;
	}

	private synchronized void trust() {
		this.deaf = this.echoMissed;
	}

	@Override
	public void connected() {
		trust();
		this.slots.values().forEach((slot) -> {
			slot.maybeFree(true);
			slot.wake();
		});
		this.look.run();
		this.heard.run();
	}

}
