package io.lowkiq.engine.schedule;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShardLimitsTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static ShardLimits limits(int concurrency, RateLimit rate, int shards) {
		return new ShardLimits(new Limits(concurrency, rate), 0, shards, 0);
	}

	@Test
	void sharesAddUpToTheLimit() {
		for (int shards : List.of(1, 7, 48, 200)) {
			Limits limits = new Limits(200, new RateLimit(5, Duration.ofSeconds(1), 333));
			List<Integer> shares = IntStream.range(0, shards)
				.mapToObj((shard) -> limits.concurrency(shard, shards))
				.toList();
			assertThat(shares).allMatch((share) -> share == 200 / shards || share == 200 / shards + 1);
			assertThat(shares.stream().mapToInt(Integer::intValue).sum()).isEqualTo(200);
			assertThat(IntStream.range(0, shards).map((shard) -> limits.rate().burst(shard, shards)).sum())
				.isEqualTo(333);
		}
	}

	@Test
	void fetchedJobsCountAsIfTheyHadBegun() {
		ShardLimits limits = limits(10, new RateLimit(4, Duration.ofSeconds(1), 4), 1);
		assertThat(limits.room(3, 5, SECOND)).isEqualTo(-1);
		assertThat(limits.room(8, 1, SECOND)).isEqualTo(1);
		assertThat(limits.room(0, 1, SECOND)).isEqualTo(3);
		assertThat(limits.untilRoom(9, 1, SECOND)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void startsAreSavedUpToTheBurst() {
		ShardLimits limits = limits(0, new RateLimit(4, Duration.ofSeconds(1), 3), 1);
		assertThat(limits.room(0, 0, 0)).isZero();
		assertThat(limits.untilRoom(0, 0, 0)).isEqualTo(SECOND / 4);
		assertThat(limits.room(0, 0, SECOND / 4 - 1)).isZero();
		assertThat(limits.room(0, 0, SECOND / 4)).isEqualTo(1);
		assertThat(limits.room(0, 0, 100 * SECOND)).isEqualTo(3);
		limits.begin(2, 100 * SECOND);
		assertThat(limits.room(0, 0, 100 * SECOND)).isEqualTo(1);
		assertThat(limits.room(0, 1, 100 * SECOND)).isZero();
		assertThat(limits.untilRoom(0, 1, 100 * SECOND)).isEqualTo(SECOND / 4);
		// Nobody can wait for a fourth
		assertThat(limits.untilRoom(0, 3, 100 * SECOND)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void defaultBurstIsATenthOfASecondAndOneForEachShard() {
		assertThat(new RateLimit(1_000, Duration.ofSeconds(1)).burst(0, 1)).isEqualTo(100);
		assertThat(new RateLimit(1_000, Duration.ofSeconds(1)).burst(0, 48)).isEqualTo(2);
		assertThat(new RateLimit(1, Duration.ofMinutes(1)).burst(47, 48)).isEqualTo(1);
		assertThat(new RateLimit(1, Duration.ofMinutes(1)).interval(65_536)).isEqualTo(65_536 * 60 * SECOND);
	}

	/** A million starts at a minute each, over all shards, are longer than a long. */
	@Test
	void burstOfASlowRateIsSavedUpWithoutOverflow() {
		RateLimit rate = new RateLimit(1_440, Duration.ofDays(1), RateLimit.MAX);
		for (TokenBucket starts : List.of(new TokenBucket(rate.interval(1), RateLimit.MAX, 0),
				new TokenBucket(rate.interval(65_536), RateLimit.MAX, 0))) {
			long interval = starts.until(1, 0);
			assertThat(starts.tokens(interval - 1)).isZero();
			assertThat(starts.tokens(2 * interval)).isEqualTo(2);
			assertThat(starts.isFull(2 * interval)).isFalse();
			assertThat(starts.until(RateLimit.MAX, 2 * interval)).isGreaterThan(interval);
			starts.take(1, 2 * interval);
			assertThat(starts.tokens(2 * interval)).isEqualTo(1);
			assertThat(starts.until(2, 2 * interval)).isEqualTo(interval);
		}
	}

	@Test
	void rateIsNeverExceeded() {
		RateLimit rate = new RateLimit(7, Duration.ofSeconds(1), 5);
		ShardLimits limits = limits(0, rate, 3);
		long nanos = 0;
		int begun = 0;
		while (begun < 1_000) {
			nanos += limits.untilRoom(0, 0, nanos);
			limits.begin(1, nanos);
			begun++;
			assertThat(begun * 3L * SECOND).isLessThanOrEqualTo(7 * nanos);
		}
	}

}
