package io.lowkiq.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** The kernel's figures about processes and the machine, from {@code /proc}. */
final class ProcFile {

	/** Clock ticks per second, as Linux shows them to every process. */
	private static final double TICKS = 100;

	private ProcFile() {
	}

	/**
	 * CPU seconds of a process.
	 * @return user and system time; 0 if it is gone
	 */
	static double processCpu(long pid) {
		return cpu(pid, 2);
	}

	/**
	 * CPU seconds of a process and its children, including children that have ended.
	 * @return user and system time; 0 if it is gone
	 */
	static double familyCpu(long pid) {
		double living = ProcessHandle.of(pid)
			.stream()
			.flatMap(ProcessHandle::children)
			.mapToDouble((child) -> processCpu(child.pid()))
			.sum();
		return living + cpu(pid, 4);
	}

	/**
	 * The first of: own user and system time, and the same of the children waited for.
	 */
	private static double cpu(long pid, int times) {
		try {
			String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
			String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
			return Arrays.stream(fields, 11, 11 + times).mapToLong(Long::parseLong).sum() / TICKS;
		}
		catch (NoSuchFileException ex) {
			return 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * CPU seconds of the whole machine, without what was idle or waiting for disks.
	 * @return the seconds since it was started
	 */
	static double machineCpu() {
		String line = firstLine(Path.of("/proc/stat"), "cpu ");
		long[] fields = Arrays.stream(line.substring(4).trim().split(" ", -1)).mapToLong(Long::parseLong).toArray();
		return Arrays.stream(fields, 0, 8).sum() / TICKS - (fields[3] + fields[4]) / TICKS;
	}

	/** The processor's name. */
	static String processor() {
		String line = firstLine(Path.of("/proc/cpuinfo"), "model name");
		return line.substring(line.indexOf(':') + 1).trim();
	}

	/** The machine's memory. */
	static long memoryGib() {
		String line = firstLine(Path.of("/proc/meminfo"), "MemTotal");
		return Math.round(Long.parseLong(line.replaceAll("\\D", "")) / (1024.0 * 1024.0));
	}

	private static String firstLine(Path file, String prefix) {
		try {
			return Files.readAllLines(file)
				.stream()
				.filter((line) -> line.startsWith(prefix))
				.findFirst()
				.orElse("unknown: 0");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
