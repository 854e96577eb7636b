package io.lowkiq.store.node;

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

	@Test
	void aSessionThatDiesBeforeTheEyesOfItsObserverHasCrashed() {
		Member other = member("other", 7);
		this.watch.seen(List.of(member("own", 1), other), "own", BEGIN);
		this.watch.seen(List.of(member("own", 9), other), "own", BEGIN + LEASE_AND_DRIFT);
		assertThat(this.watch.isCrash(other, BEGIN + LEASE_AND_DRIFT)).isTrue();
	}

	/** Its own heartbeats weren't answered either: the store was out of reach. */
	@Test
	void anObserverThatHasLostItsOwnSessionMeanwhileSeesNoCrash() {
		Member other = member("other", 7);
		this.watch.seen(List.of(member("own-1", 1), other), "own-1", BEGIN);
		this.watch.seen(List.of(other, member("own-2", 1)), "own-2", BEGIN + LEASE_AND_DRIFT);
		assertThat(this.watch.dead(BEGIN + LEASE_AND_DRIFT)).containsExactly(other);
		assertThat(this.watch.isCrash(other, BEGIN + LEASE_AND_DRIFT)).isFalse();
		Member beaten = member("other", 8);
		this.watch.seen(List.of(beaten, member("own-2", 1)), "own-2", BEGIN + LEASE_AND_DRIFT + 1);
		this.watch.seen(List.of(beaten, member("own-2", 9)), "own-2", BEGIN + 3 * LEASE_AND_DRIFT);
		assertThat(this.watch.isCrash(beaten, BEGIN + 3 * LEASE_AND_DRIFT)).isTrue();
	}

	@Test
	void aProcessThatLivesOnUnderAYoungerSessionHasNotCrashed() {
		Member lapsed = new Member("a-1", 7, process("a", 1));
		Member younger = new Member("a-2", 1, process("a", 1));
		this.watch.seen(List.of(lapsed), "own", BEGIN);
		this.watch.seen(List.of(lapsed, younger), "own", BEGIN + LEASE_AND_DRIFT);
		assertThat(this.watch.isCrash(lapsed, BEGIN + LEASE_AND_DRIFT)).isFalse();
		// Now it has
		assertThat(this.watch.isCrash(younger, BEGIN + 2 * LEASE_AND_DRIFT)).isTrue();
		assertThat(this.watch.isCrash(lapsed, BEGIN + 2 * LEASE_AND_DRIFT)).isTrue();
	}

	@Test
	void anObserverHasNotCrashedUnderItsEarlierSession() {
		Member lapsed = new Member("own-1", 7, process("own", 1));
		Member own = new Member("own-2", 1, process("own", 1));
		this.watch.seen(List.of(lapsed, own), "own-2", BEGIN);
		assertThat(this.watch.dead(BEGIN + LEASE_AND_DRIFT)).containsExactly(lapsed);
		assertThat(this.watch.isCrash(lapsed, BEGIN + LEASE_AND_DRIFT)).isFalse();
	}

	@Test
	void theNextProcessOfANodeDoesNotHideTheCrashOfTheLastOne() {
		Member crashed = new Member("a-1", 7, process("a", 1));
		Member next = new Member("b-1", 1, process("a", 2));
		this.watch.seen(List.of(crashed), "own", BEGIN);
		this.watch.seen(List.of(crashed, next), "own", BEGIN + LEASE_AND_DRIFT);
		assertThat(this.watch.isCrash(crashed, BEGIN + LEASE_AND_DRIFT)).isTrue();
	}

	private static NodeInfo process(String node, long startedAt) {
		return new NodeInfo(node, startedAt, LEASE, Set.of(), false);
	}

}
