package io.lowkiq.test.probe;

import java.util.OptionalLong;

/** What the probed workers write to. */
interface Accounts {

	/** The version of a row. */
	OptionalLong version(String id);

	/** Writes a row whatever is there. */
	void write(String id, Change change, long token);

	/** Writes a row unless it has the same version or a newer one. */
	boolean writeIfNewer(String id, Change change);

	/** Writes a row unless it was written under a newer token. */
	boolean writeUnder(String id, Change change, long token);

	/** Adds to a balance. */
	void add(String id, long amount);

	/** Enters something once. */
	boolean enter(String id, String key);

	/** Sends something, each time it is called. */
	void send(String id, String text);

	/** A payload. */
	record Change(long version, long amount) {
	}

}
