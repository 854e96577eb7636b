package io.lowkiq.reliability.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The records of all processes.
 *
 * @param byProcess the events of each process in the order of their writing
 */
public record History(Map<String, List<Event>> byProcess) {

	/**
	 * Reads the files of a directory. A last line without an end was torn by a kill and
	 * is left out.
	 */
	public static History read(Path directory) {
		EventLines lines = new EventLines();
		Map<String, List<Event>> byProcess = new LinkedHashMap<>();
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.sorted().toList()) {
				String name = file.getFileName().toString();
				if (name.endsWith(HistoryWriter.SUFFIX)) {
					byProcess.put(name.substring(0, name.length() - HistoryWriter.SUFFIX.length()), read(file, lines));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return new History(byProcess);
	}

	/** Counts the lines that begin with a word, while the processes still write. */
	public static long count(Path directory, String word) {
		try (Stream<Path> files = Files.list(directory)) {
			long count = 0;
			for (Path file : files.filter((path) -> path.toString().endsWith(HistoryWriter.SUFFIX)).toList()) {
				try (Stream<String> lines = Files.lines(file)) {
					count += lines.filter((line) -> line.startsWith(word)).count();
				}
			}
			return count;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<Event> read(Path file, EventLines lines) throws IOException {
		List<Event> events = new ArrayList<>();
		boolean torn = !endsWithNewline(file);
		try (var reader = Files.newBufferedReader(file)) {
			String line = reader.readLine();
			while (line != null) {
				String next = reader.readLine();
				if (next != null || !torn) {
					events.add(lines.parse(line));
				}
				line = next;
			}
		}
		return events;
	}

	private static boolean endsWithNewline(Path file) throws IOException {
		try (var channel = Files.newByteChannel(file)) {
			if (channel.size() == 0) {
				return true;
			}
			channel.position(channel.size() - 1);
			var last = ByteBuffer.allocate(1);
			channel.read(last);
			return last.get(0) == '\n';
		}
	}

}
