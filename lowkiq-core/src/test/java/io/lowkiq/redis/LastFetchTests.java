package io.lowkiq.redis;

import java.util.List;

import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Outcome.Done;
import io.lowkiq.store.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LastFetchTests {

	private final Lease lease = new Lease(new Shard("orders", 1, 0), "me", 5);

	private final LastFetch last = new LastFetch(5, 7, List.of("a", "b"));

	@Test
	void nextCallThatTellsThatAllAreDone() {
		assertThat(this.last.isAllDone(this.lease, 8, List.of(new Done("a"), new Done("b")))).isTrue();
	}

	@Test
	void anyOtherOutcomes() {
		List<List<Outcome>> others = List.of(List.of(), List.of(new Done("a")), List.of(new Done("b"), new Done("a")),
				List.of(new Done("a"), new Done("c")), List.of(new Done("a"), new Done("b"), new Done("c")),
				List.of(new Done("a"), new Outcome.Retry("b", 1, "oops")));
		assertThat(others).noneMatch((outcomes) -> this.last.isAllDone(this.lease, 8, outcomes));
	}

	@Test
	void anyOtherCall() {
		List<Outcome> done = List.of(new Done("a"), new Done("b"));
		assertThat(this.last.isAllDone(this.lease, 7, done)).isFalse();
		assertThat(this.last.isAllDone(this.lease, 9, done)).isFalse();
		assertThat(this.last.isAllDone(new Lease(this.lease.shard(), "me", 6), 8, done)).isFalse();
	}

}
