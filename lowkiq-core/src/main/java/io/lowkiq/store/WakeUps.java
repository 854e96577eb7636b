package io.lowkiq.store;

import io.lowkiq.store.job.Shard;

/**
 * Messages to waiting nodes. They may be lost while the connection is down: whoever
 * listens asks the store itself after {@link Listener#connected()}. Thread-safe.
 */
public interface WakeUps {

	/**
	 * Listens for the messages to one session and to all. When no {@link Listener#echo()}
	 * arrives for two heartbeats, the caller calls {@link Subscription#reconnect()}.
	 */
	Subscription subscribe(String session, Listener listener);

	/** A subscription that can be ended. */
	interface Subscription extends AutoCloseable {

		/** To a store that sends no messages, so that its nodes poll. */
		Subscription NONE = new Subscription() {

			@Override
			public void reconnect() {
			}

			@Override
			public void close() {
			}

		};

		/** Breaks the connection, if there is one, and makes a new one. */
		void reconnect();

		/** Ends the subscription. No call of the listener begins after it. */
		@Override
		void close();

	}

	interface Listener {

		/** A job of a shard is due earlier than its owner thinks. */
		void wake(Shard shard);

		/** A shard was given back. */
		default void released(Shard shard) {
		}

		/** A node came or went, or the assignment is new: the registry must be read. */
		default void changed() {
		}

		/** A heartbeat of the session was seen by the registry. */
		default void echo() {
		}

		/** For the first time or again: messages before this were lost. */
		default void connected() {
		}

	}

}
