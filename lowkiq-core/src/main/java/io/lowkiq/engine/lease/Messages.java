package io.lowkiq.engine.lease;

import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the store's messages, and detects whether they arrive at all. Thread-safe.
 */
abstract class Messages implements WakeUps.Listener {

	private static final Logger logger = LoggerFactory.getLogger(Messages.class);

	private static final int BEATS_WITHOUT_ECHO = 2;

	/** Whether messages may not arrive. Written by all under the monitor, read by all. */
	private volatile boolean polling = true;

	/** Guarded by the monitor. */
	private int beatsWithoutEcho;

	/** Whether only an echo proves that messages arrive. Guarded by the monitor. */
	private boolean echoMissed;

	/** Null also if the store sends no messages. Guarded by the monitor. */
	private WakeUps.@Nullable Subscription subscription;

	/** Guarded by the monitor. */
	private boolean closed;

	/** Messages were lost, or polling begins or ends: check everything. */
	abstract void uncertain();

	boolean isPolling() {
		return this.polling;
	}

	void subscribe(WakeUps wakeUps, String session) {
		replace(null);
		reset();
		WakeUps.Subscription begun = wakeUps.subscribe(session, this);
		if (begun != WakeUps.Subscription.NONE) {
			replace(begun);
		}
	}

	private void replace(WakeUps.@Nullable Subscription next) {
		WakeUps.Subscription ended;
		synchronized (this) {
			ended = this.closed ? next : this.subscription;
			this.subscription = this.closed ? null : next;
		}
		if (ended != null) {
			ended.close();
		}
	}

	private synchronized void reset() {
		this.polling = true;
		this.beatsWithoutEcho = 0;
		this.echoMissed = false;
	}

	void close() {
		WakeUps.Subscription last;
		synchronized (this) {
			last = this.subscription;
			this.subscription = null;
			this.closed = true;
		}
		if (last != null) {
			last.close();
		}
	}

	/** A heartbeat is about to be sent, and its echo to be expected. */
	void beat() {
		WakeUps.Subscription broken = missed();
		if (broken != null) {
			logger.warn("Messages from the store don't arrive; reconnecting, and polling until they do");
			uncertain();
			broken.reconnect();
		}
	}

	/** The store could not be reached. */
	void reconnect() {
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
		this.polling = true;
		this.echoMissed = true;
		return this.subscription;
	}

	@Override
	public synchronized void echo() {
		this.beatsWithoutEcho = 0;
		this.polling = false;
		this.echoMissed = false;
	}

	private synchronized void trust() {
		this.polling = this.echoMissed;
	}

	@Override
	public void connected() {
		trust();
		uncertain();
	}

}
