package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SessionWatchTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final long LEASE_AND_DRIFT = LEASE.plusMillis(100).toNanos();

	/** Near the end of the monotonic clock's range. */
	private static final long BEGIN = Long.MAX_VALUE - 5;

	private final SessionWatch watch = new SessionWatch();

	private static Member member(String session, long beats) {
		return new Member(session, beats, new NodeInfo(session, 0, LEASE, Set.of(), false));
	}

	@Test
	void aSessionIsDeadWhenItsCounterStandsStillForALease() {
		Member other = member("other", 7);
		this.watch.seen(List.of(member("own", 1), other), "own", BEGIN);
		this.watch.seen(List.of(member("own", 1), other), "own", BEGIN + LEASE.toNanos());
		assertThat(this.watch.dead(BEGIN + LEASE.toNanos())).isEmpty();
		assertThat(this.watch.nanosUntilDeath(BEGIN)).isEqualTo(LEASE_AND_DRIFT);
		assertThat(this.watch.dead(BEGIN + LEASE_AND_DRIFT)).containsExactly(other);
	}

	@Test
	void aHeartbeatProlongsTheSession() {
		this.watch.seen(List.of(member("other", 7)), "own", BEGIN);
		this.watch.seen(List.of(member("other", 8)), "own", BEGIN + LEASE.toNanos());
		assertThat(this.watch.dead(BEGIN + LEASE_AND_DRIFT)).isEmpty();
		assertThat(this.watch.dead(BEGIN + LEASE.toNanos() + LEASE_AND_DRIFT)).hasSize(1);
	}

	@Test
	void aSessionThatHasEndedIsNotWatched() {
		this.watch.seen(List.of(member("other", 7)), "own", BEGIN);
		this.watch.seen(List.of(), "own", BEGIN + 1);
		assertThat(this.watch.dead(BEGIN + 2 * LEASE_AND_DRIFT)).isEmpty();
		assertThat(this.watch.nanosUntilDeath(BEGIN)).isEqualTo(Long.MAX_VALUE);
	}

}
