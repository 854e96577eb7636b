package io.lowkiq.benchmarks;

import java.util.List;
import java.util.Map;

/**
 * Where a measured process keeps its jobs: started for it, empty, and read from outside.
 */
interface Storage extends AutoCloseable {

	/** Starts a storage. */
	static Storage start(Kind kind, List<String> redisOptions) {
		return switch (kind) {
			case REDIS -> RedisStorage.single(redisOptions);
			case REDIS_CLUSTER -> RedisStorage.cluster(redisOptions);
			case POSTGRESQL -> PostgresStorage.start();
		};
	}

	/** How the measured process finds it. */
	Map<String, String> environment();

	/** The usage so far. */
	Usage usage();

	/** Its name and version. */
	String version();

	@Override
	void close();

	/** The kinds of storage. */
	enum Kind {

		/** One Redis. */
		REDIS,

		/** Three masters. */
		REDIS_CLUSTER,

		/** One PostgreSQL. */
		POSTGRESQL

	}

	/**
	 * The usage of a storage since it was started.
	 *
	 * @param cpu CPU seconds of all its processes
	 * @param memory bytes in use by Redis, else 0
	 * @param commands commands that Redis has processed, those inside scripts included,
	 * else 0
	 * @param traffic bytes that Redis has received and sent, else 0
	 */
	record Usage(double cpu, long memory, long commands, long traffic) {
	}

}
