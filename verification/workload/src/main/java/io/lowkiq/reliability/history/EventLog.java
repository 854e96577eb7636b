package io.lowkiq.reliability.history;

/** The place where a process writes down what it does. Thread-safe. */
@FunctionalInterface
public interface EventLog {

	/** Writes events down, in this order. */
	void write(Event... events);

}
