package io.lowkiq.reliability.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Appends what a process does to its file. When {@link #write} returns, the operating
 * system has the events, so a SIGKILL of the process loses none of them. Thread-safe, and
 * not disturbed by an interrupt.
 */
public final class HistoryWriter implements EventLog, AutoCloseable {

	static final String SUFFIX = ".history";

	private final FileOutputStream file;

	/** Opens the file of a process. */
	public HistoryWriter(Path directory, String process) {
		try {
			this.file = new FileOutputStream(directory.resolve(process + SUFFIX).toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Appends the events by one system call. */
	@Override
	public void write(Event... events) {
		StringBuilder lines = new StringBuilder();
		for (Event event : events) {
			lines.append(EventLines.format(event));
		}
		byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
		synchronized (this.file) {
			try {
				this.file.write(bytes);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	@Override
	public void close() {
		try {
			this.file.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
