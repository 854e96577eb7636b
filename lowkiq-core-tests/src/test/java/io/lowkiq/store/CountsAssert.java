package io.lowkiq.store;

import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** What a test expects of the counts of a shard, as one sentence. */
record CountsAssert(ShardCounts counts) {

	CountsAssert queued(long expected) {
		return that("queued", this.counts.queued(), expected);
	}

	CountsAssert fresh(long expected) {
		return that("fresh", this.counts.fresh(), expected);
	}

	CountsAssert retry(long expected) {
		return that("retry", this.counts.retry(), expected);
	}

	CountsAssert busy(long expected) {
		return that("busy", this.counts.busy(), expected);
	}

	CountsAssert dead(long expected) {
		return that("dead", this.counts.dead(), expected);
	}

	CountsAssert delayed(long expected) {
		return that("delayed", this.counts.delayed(), expected);
	}

	CountsAssert held(long expected) {
		return that("held", this.counts.held(), expected);
	}

	CountsAssert suspects(long expected) {
		return that("suspects", this.counts.suspects(), expected);
	}

	CountsAssert followUps(long expected) {
		return that("followUps", this.counts.followUps(), expected);
	}

	CountsAssert groups(long expected) {
		return that("groups", this.counts.groups(), expected);
	}

	CountsAssert processed(long expected) {
		return that("processed", this.counts.processed(), expected);
	}

	CountsAssert failed(long expected) {
		return that("failed", this.counts.failed(), expected);
	}

	CountsAssert oldest(long expected) {
		return that("oldest", this.counts.oldest(), expected);
	}

	CountsAssert lag(long expected) {
		return that("lag", this.counts.lag(), expected);
	}

	CountsAssert epoch(long expected) {
		return that("epoch", this.counts.epoch(), expected);
	}

	CountsAssert since(long expected) {
		return that("since", this.counts.since(), expected);
	}

	CountsAssert paused(boolean expected) {
		return that("paused", this.counts.paused(), expected);
	}

	CountsAssert session(@Nullable String expected) {
		return that("session", this.counts.session(), expected);
	}

	private CountsAssert that(String what, @Nullable Object actual, @Nullable Object expected) {
		assertThat(actual).as(what).isEqualTo(expected);
		return this;
	}

}
