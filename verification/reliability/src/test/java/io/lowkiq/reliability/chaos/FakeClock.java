package io.lowkiq.reliability.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

/**
 * The clock of one Redis, which may differ from the machine's and jump. Needs Linux and a
 * C compiler, {@code cc}; without them Redis goes by the clock of the machine.
 */
final class FakeClock {

	private static final String SOURCE = "fake-clock.c";

	private static final String LIBRARY = "fake-clock.so";

	private final Path file;

	private final Map<String, String> environment;

	/** How far it is ahead of the right time. */
	private Duration present = Duration.ZERO;

	/** A clock that shows the right time. */
	FakeClock(Path directory, String name) {
		this.file = directory.resolve(name + ".clock");
		offset(Duration.ZERO);
		Path library = directory.resolve(LIBRARY);
		boolean there = Files.exists(library) || compile(directory, library);
		this.environment = there ? Map.of("LD_PRELOAD", library.toString(), "FAKE_CLOCK", this.file.toString())
				: Map.of();
	}

	private static boolean compile(Path directory, Path library) {
		Path source = directory.resolve(SOURCE);
		try (InputStream resource = FakeClock.class.getResourceAsStream(SOURCE)) {
			if (resource == null || !System.getProperty("os.name").equals("Linux")) {
				return false;
			}
			Files.write(source, resource.readAllBytes());
			return new ProcessBuilder("cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString())
				.inheritIO()
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			// No compiler
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Whether Redis goes by it. */
	boolean works() {
		return !this.environment.isEmpty();
	}

	/** What a process needs to go by this clock; its monotonic clock stays as it is. */
	Map<String, String> environment() {
		return this.environment;
	}

	/** Jumps. */
	void goBack(Duration by) {
		offset(this.present.minus(by));
	}

	/** Jumps to a distance from the right time. */
	void offset(Duration offset) {
		this.present = offset;
		ByteBuffer nanos = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(offset.toNanos());
		try (FileChannel channel = FileChannel.open(this.file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
			channel.write(nanos.flip(), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
