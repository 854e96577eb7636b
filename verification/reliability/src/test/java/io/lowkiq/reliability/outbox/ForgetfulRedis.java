package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
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

	/** How long the other master takes calls. */
	private static final long INTERIM = Duration.ofMillis(1_500).toNanos();

	private RedisProcess master = TestRedis.startPrivate(ARGUMENTS);

	private LaggingReplica replica = new LaggingReplica(this.master, ARGUMENTS);

	private final List<TcpProxy> entrances = List.of(new TcpProxy(this.master.port()),
			new TcpProxy(this.master.port()));

	/** The same Redis, behind networks of their own. */
	List<String> urls() {
		return this.entrances.stream().map((entrance) -> "redis://127.0.0.1:" + entrance.port()).toList();
	}

	/** Holds all calls through one of the networks back, until they are released. */
	Runnable holdBack(int entrance) {
		this.entrances.get(entrance).hang();
		return this.entrances.get(entrance)::heal;
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
			case TO_AND_FRO -> {
				this.replica.lag();
				yield this::goToAndFro;
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
		moveTo(this.master);
		this.replica = new LaggingReplica(this.master, ARGUMENTS);
	}

	private void goToAndFro() {
		moveTo(this.replica.promote());
		LockSupport.parkNanos(INTERIM);
		moveTo(this.master);
		this.replica.close();
		this.replica = new LaggingReplica(this.master, ARGUMENTS);
	}

	private void moveTo(RedisProcess server) {
		this.entrances.forEach((entrance) -> entrance.target(server.port()));
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
		this.entrances.forEach(TcpProxy::close);
		this.replica.close();
		this.master.close();
	}

	/** How it forgets. */
	enum Way {

		/** The master is killed, and a replica that lags is promoted. */
		PROMOTION,

		/** A replica that lags is promoted, and then the master is back as it was. */
		TO_AND_FRO,

		/** The process is killed, and its append-only file ends earlier. */
		TRUNCATION,

		/** All data is deleted, and no connection notices. */
		FLUSH

	}

}
