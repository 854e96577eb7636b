package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;

import io.lowkiq.reliability.failover.LaggingReplica;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import io.lowkiq.testing.TestRedis;

/**
 * A Redis that forgets what it has confirmed, in one of several ways, under an address
 * that stays the same. Not thread-safe.
 */
final class ForgetfulRedis implements AutoCloseable {

	/** What is confirmed is in the file, which is never rewritten. */
	private static final String[] ARGUMENTS = { "--appendonly", "yes", "--auto-aof-rewrite-percentage", "0",
			"--repl-diskless-sync-delay", "0" };

	private RedisProcess master = TestRedis.startPrivate(ARGUMENTS);

	private LaggingReplica replica = new LaggingReplica(this.master, ARGUMENTS);

	private final TcpProxy entrance = new TcpProxy(this.master.port());

	String url() {
		return "redis://127.0.0.1:" + this.entrance.port();
	}

	/** Waits until it can forget. */
	void awaitReady() {
		this.replica.awaitSync();
	}

	/** Marks the moment to which it will go back. */
	Runnable beginForgetting(Way way) {
		return switch (way) {
			case PROMOTION -> {
				this.replica.lag();
				yield this::promote;
			}
			case TRUNCATION -> {
				long end = size(appendOnlyFile());
				yield () -> truncate(end);
			}
			case FLUSH -> () -> this.master.call("FLUSHALL");
		};
	}

	private void promote() {
		this.master.close();
		this.master = this.replica.promote();
		this.entrance.target(this.master.port());
		this.replica = new LaggingReplica(this.master, ARGUMENTS);
	}

	private void truncate(long end) {
		Path file = appendOnlyFile();
		this.master.kill();
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.truncate(end);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.master.restart();
	}

	private static long size(Path file) {
		try {
			return Files.size(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Its name and directory depend on the version of Redis. */
	private Path appendOnlyFile() {
		String directory = String.valueOf(this.master.call("CONFIG", "GET", "dir")).split("\n")[1].trim();
		try (Stream<Path> files = Files.walk(Path.of(directory))) {
			return files.filter((file) -> file.toString().endsWith(".aof"))
				.max(Comparator.naturalOrder())
				.orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.entrance.close();
		this.replica.close();
		this.master.close();
	}

	/** How it forgets. */
	enum Way {

		/** The master is killed, and a replica that lags is promoted. */
		PROMOTION,

		/** The process is killed, and its append-only file ends earlier. */
		TRUNCATION,

		/** All data is deleted, and no connection notices. */
		FLUSH

	}

}
