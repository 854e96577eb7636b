package io.lowkiq.reliability.failover;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

import org.awaitility.Awaitility;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Measures how many acknowledged jobs are lost when Redis' process is killed, when its
 * machine is lost, and when a replica that lags is promoted. The failure comes when half
 * of the jobs are acknowledged. All settings take turns.
 * <p>
 * The loss of a machine is emulated: the process is stopped, and the append-only file is
 * cut to the size that it had a second before. A replica lags because nothing comes
 * through its connection, in neither direction.
 */
public final class LossTable {

	private LossTable() {
	}

	/** What fails. */
	private enum Failure {

		/** The process is killed and started again. */
		PROCESS,

		/** The same, without what was appended within the last second. */
		MACHINE,

		/** The master is killed, and a replica that lags is promoted. */
		MASTER

	}

	/** A row of the table. */
	private record Row(Failure failure, String appendfsync, int replicas, int lagSeconds, int waitForReplicas,
			int minReplicas) {

		private static Row failover(int replicas, int lagSeconds, int waitForReplicas, int minReplicas) {
			return new Row(Failure.MASTER, "everysec", replicas, lagSeconds, waitForReplicas, minReplicas);
		}

		private RedisProcess start() {
			return TestRedis.startPrivate(arguments());
		}

		private String[] arguments() {
			return new String[] { "--appendonly", "yes", "--appendfsync", this.appendfsync,
					"--auto-aof-rewrite-percentage", "0", "--repl-diskless-sync-delay", "0", "--min-replicas-to-write",
					Integer.toString(this.minReplicas), "--min-replicas-max-lag", "1" };
		}

	}

	private static final List<Row> ROWS = List.of(new Row(Failure.PROCESS, "everysec", 0, 0, 0, 0),
			new Row(Failure.PROCESS, "always", 0, 0, 0, 0), new Row(Failure.MACHINE, "everysec", 0, 0, 0, 0),
			Row.failover(1, 1, 0, 0), Row.failover(1, 1, 0, 1), Row.failover(1, 1, 1, 0), Row.failover(1, 1, 1, 1),
			Row.failover(1, 5, 0, 0), Row.failover(1, 5, 0, 1), Row.failover(2, 1, 1, 0), Row.failover(2, 1, 1, 1),
			Row.failover(2, 1, 2, 0));

	/**
	 * Measures and prints.
	 * @param arguments the number of jobs of a run, 20,000 or more, and of runs
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		int jobs = Integer.parseInt(arguments[0]);
		int runs = Integer.parseInt(arguments[1]);
		LoggingSystem.get(LossTable.class.getClassLoader()).setLogLevel("ROOT", LogLevel.OFF);
		run(ROWS.get(0), jobs / 2);
		for (int run = 0; run < runs; run++) {
			for (Row row : ROWS) {
				System.out.println(row + ": " + run(row, jobs));
			}
		}
		System.exit(0);
	}

	private static String run(Row row, int jobs) throws IOException, InterruptedException {
		return (row.failure() == Failure.MASTER) ? failOver(row, jobs) : loseServer(row, jobs);
	}

	private static String loseServer(Row row, int jobs) throws IOException, InterruptedException {
		try (RedisProcess redis = row.start(); Enqueuers enqueuers = new Enqueuers(redis, jobs, 0)) {
			Path file = Path.of(String.valueOf(redis.call("CONFIG", "GET", "dir")).split("\n")[1],
					"appendonlydir/appendonly.aof.1.incr.aof");
			NavigableMap<Long, Long> sizes = new ConcurrentSkipListMap<>();
			Thread sampler = new Thread(() -> sample(file, sizes));
			sampler.setDaemon(true);
			sampler.start();
			enqueuers.startAndAwaitHalf();
			redis.pause();
			long stopped = System.nanoTime();
			sampler.interrupt();
			sampler.join();
			redis.kill();
			int before = enqueuers.acknowledged();
			if (row.failure() == Failure.MACHINE) {
				cut(file, sizes.floorEntry(stopped - Duration.ofSeconds(1).toNanos()).getValue());
			}
			redis.restart();
			return result(enqueuers, before);
		}
	}

	private static void cut(Path file, long size) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.truncate(size);
		}
	}

	/** Notes how large the file is, until it is interrupted. */
	private static void sample(Path file, NavigableMap<Long, Long> sizes) {
		try {
			while (true) {
				sizes.put(System.nanoTime(), Files.size(file));
				Thread.sleep(10);
			}
		}
		catch (InterruptedException ex) {
			// Redis is stopped
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String failOver(Row row, int jobs) throws InterruptedException {
		try (RedisProcess master = row.start();
				LaggingReplica lagging = new LaggingReplica(master, row.arguments());
				RedisProcess other = row.start()) {
			if (row.replicas() == 2) {
				follow(other, master);
			}
			Awaitility.await().until(() -> connectedReplicas(master) == row.replicas());
			try (Enqueuers enqueuers = new Enqueuers(master, jobs, row.waitForReplicas())) {
				enqueuers.startAndAwaitHalf();
				lagging.lag();
				Thread.sleep(Duration.ofSeconds(row.lagSeconds()).toMillis());
				master.kill();
				int before = enqueuers.acknowledged();
				RedisProcess promoted = lagging.promote();
				enqueuers.goOnWith(promoted);
				if (row.replicas() == 2) {
					follow(other, promoted);
				}
				master.restartAsReplicaOf(promoted);
				return result(enqueuers, before);
			}
		}
	}

	private static void follow(RedisProcess replica, RedisProcess master) {
		replica.call("REPLICAOF", master.host(), Integer.toString(master.port()));
	}

	private static long connectedReplicas(RedisProcess master) {
		return String.valueOf(master.call("INFO", "replication"))
			.lines()
			.filter((line) -> line.contains("state=online"))
			.count();
	}

	private static String result(Enqueuers enqueuers, int before) {
		enqueuers.awaitAll();
		return "%d lost of %d acknowledged, %d of these before the kill, %d exceptions, %.0f a second, %.2f ms an enqueue, p99 %.2f ms"
			.formatted(enqueuers.lost(), enqueuers.acknowledged(), before, enqueuers.refused(), enqueuers.perSecond(),
					enqueuers.millis(0.5), enqueuers.millis(0.99));
	}

}
