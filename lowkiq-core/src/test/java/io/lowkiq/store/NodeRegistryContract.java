package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sessions of the nodes (I7).
 */
abstract class NodeRegistryContract extends StoreContract {

	private static final Duration DURATION = Duration.ofSeconds(15);

	private static final NodeInfo INFO = new NodeInfo("node", 42, List.of("orders", "mails"), "{\"a\":\"ä\"}");

	private Membership join(String session) {
		return this.store.nodes().join(session, DURATION, INFO);
	}

	private Membership beat(String session) {
		return this.store.nodes().beat(session, DURATION, INFO);
	}

	private List<String> living() {
		return this.store.nodes().members().members().stream().map(Member::session).toList();
	}

	@Test
	void joinBeginsASession() {
		Membership membership = join("s");
		assertThat(membership.held()).isTrue();
		assertThat(membership.now()).isEqualTo(now());
		assertThat(membership.ended()).isEmpty();
		assertThat(membership.members()).containsExactly(new Member("s", now() + 15_000, INFO));
	}

	@Test
	void membersAreListedByTheOrderOfJoining() {
		join("b");
		join("c");
		join("a");
		beat("b");
		assertThat(living()).containsExactly("b", "c", "a");
		assertThat(this.store.nodes().members().held()).isFalse();
	}

	@Test
	void beatProlongsTheSessionAndReplacesItsInfo() {
		join("s");
		this.clock.advanceMillis(10_000);
		NodeInfo later = new NodeInfo("node", 42, List.of(), "{}");
		Membership membership = this.store.nodes().beat("s", Duration.ofSeconds(20), later);
		assertThat(membership.held()).isTrue();
		assertThat(membership.members()).containsExactly(new Member("s", now() + 20_000, later));
	}

	@Test
	void sessionWithoutABeatEnds() {
		join("s");
		join("t");
		this.clock.advanceMillis(10_000);
		beat("t");
		this.clock.advanceMillis(5_001);
		Membership membership = this.store.nodes().members();
		assertThat(membership.members()).extracting(Member::session).containsExactly("t");
		assertThat(membership.ended()).containsExactly("s");
	}

	@Test
	void expiredSessionNeverLivesAgain() {
		join("s");
		this.clock.advanceMillis(15_001);
		assertThat(beat("s").held()).isFalse();
		assertThat(beat("s").held()).isFalse();
		assertThat(living()).isEmpty();
		assertThat(this.store.nodes().members().ended()).contains("s");
	}

	@Test
	void expiryThatWasSeenIsFinalAlthoughTheClockGoesBack() {
		join("s");
		this.clock.advanceMillis(15_001);
		assertThat(this.store.nodes().members().ended()).contains("s");
		this.clock.goBackMillis(10_000);
		assertThat(living()).isEmpty();
		assertThat(beat("s").held()).isFalse();
	}

	@Test
	void endedSessionCannotJoinAgain() {
		join("s");
		this.store.nodes().leave("s");
		assertThat(join("s").held()).isFalse();
		assertThat(living()).isEmpty();
	}

	@Test
	void leaveEndsASession() {
		join("s");
		join("t");
		this.store.nodes().leave("s");
		Membership membership = beat("t");
		assertThat(membership.members()).extracting(Member::session).containsExactly("t");
		assertThat(membership.ended()).containsExactly("s");
		assertThat(beat("s").held()).isFalse();
	}

	@Test
	void beatOfAnUnknownSessionBeginsNone() {
		assertThat(beat("s").held()).isFalse();
		assertThat(living()).isEmpty();
	}

	@Test
	void leaveOfAnUnknownSessionIsHarmless() {
		this.store.nodes().leave("s");
		assertThat(living()).isEmpty();
	}

	@Test
	void nothingIsAssignedAtFirst() {
		assertThat(join("s").assignment()).isEqualTo(Assignment.NONE);
	}

	@Test
	void anAssignmentIsReadByAll() {
		Assignment assignment = new Assignment(1,
				Map.of(new Shard("orders", 1, 0), "a", new Shard("orders", 1, 2), "b", new Shard("mails", 3, 1), "a"));
		join("a");
		assertThat(this.store.nodes().assign(assignment)).isTrue();
		assertThat(beat("a").assignment()).isEqualTo(assignment);
		assertThat(join("b").assignment()).isEqualTo(assignment);
		assertThat(this.store.nodes().members().assignment()).isEqualTo(assignment);
	}

	@Test
	void anAssignmentOfAnotherThanTheNextVersionIsNotRecorded() {
		Assignment first = new Assignment(1, Map.of(new Shard("orders", 1, 0), "a"));
		assertThat(this.store.nodes().assign(new Assignment(2, first.owners()))).isFalse();
		assertThat(this.store.nodes().assign(first)).isTrue();
		assertThat(this.store.nodes().assign(new Assignment(1, Map.of()))).isFalse();
		assertThat(this.store.nodes().members().assignment()).isEqualTo(first);
	}

}
