package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Forgotten.Degree;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.store.node.NodeRegistry.AssignedShards;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The sessions of the nodes (I7). */
abstract class NodeRegistryContract extends StoreContract {

	private static final NodeInfo INFO = info(false);

	private static final NodeInfo STOPPING = info(true);

	private static NodeInfo info(boolean stopping) {
		return new NodeInfo("node ä", 42, Duration.ofSeconds(15), Set.of("orders", "mails"), stopping);
	}

	private NodeRegistry nodes() {
		return this.store.nodes();
	}

	private Membership join(String session) {
		return nodes().join(session, INFO);
	}

	private Membership beat(String session) {
		return nodes().beat(session, INFO);
	}

	private List<String> living() {
		return nodes().members().members().stream().map(Member::session).toList();
	}

	@Test
	void joinBeginsASession() {
		Membership membership = join("s");
		assertThat(membership.held()).isTrue();
		assertThat(membership.ended()).isEmpty();
		assertThat(membership.members()).containsExactly(new Member("s", 0, INFO));
		assertThat(membership.assignmentVersion()).isZero();
	}

	@Test
	void infoIsKeptWhole() {
		NodeInfo described = new NodeInfo("node", 0, Duration.ofSeconds(1), Set.of("orders"), false, "shop",
				Map.of("orders", "com.acme.Order", "mails", "java.util.List<java.lang.String>"));
		for (NodeInfo info : List.of(INFO, STOPPING, described,
				new NodeInfo("", 0, Duration.ofMillis(1), Set.of(), false))) {
			String session = "s" + living().size();
			nodes().join(session, info);
			assertThat(nodes().members().members()).contains(new Member(session, 0, info));
		}
	}

	@Test
	void membersAreListedInTheOrderOfJoining() {
		join("b");
		join("c");
		join("a");
		beat("b");
		join("c");
		assertThat(living()).containsExactly("b", "c", "a");
		assertThat(nodes().members().held()).isFalse();
	}

	@Test
	void repeatedJoinLeavesTheHeartbeats() {
		join("s");
		beat("s");
		Membership membership = join("s");
		assertThat(membership.held()).isTrue();
		assertThat(membership.members()).containsExactly(new Member("s", 1, INFO));
	}

	@Test
	void beatsAreCounted() {
		join("s");
		join("t");
		assertThat(beat("s").members()).containsExactly(new Member("s", 1, INFO), new Member("t", 0, INFO));
		assertThat(beat("s").members()).containsExactly(new Member("s", 2, INFO), new Member("t", 0, INFO));
	}

	@Test
	void beatReplacesTheInfo() {
		join("s");
		assertThat(nodes().beat("s", STOPPING).members()).containsExactly(new Member("s", 1, STOPPING));
	}

	@Test
	void sessionEndsByNoClock() {
		join("s");
		this.clock.advance(Duration.ofDays(365));
		assertThat(living()).containsExactly("s");
		assertThat(beat("s").held()).isTrue();
	}

	@Test
	void sessionIsEndedAsACrashByOneWhoSawAllItsBeats() {
		join("s");
		join("t");
		beat("s");
		assertThat(nodes().end("s", 1, true)).isTrue();
		Membership membership = beat("t");
		assertThat(membership.members()).extracting(Member::session).containsExactly("t");
		assertThat(membership.ended()).isEqualTo(Map.of("s", true));
	}

	/** People are shown that it was lost. */
	@Test
	void sessionIsEndedWithoutACrashIfTheObserverSaysSo() {
		join("s");
		assertThat(nodes().end("s", 0, false)).isTrue();
		assertThat(nodes().members().ended()).isEqualTo(Map.of("s", false));
		assertThat(nodes().endedNodes()).extracting(EndedNode::crashed).containsExactly(true);
	}

	@Test
	void sessionThatHasBeatenMeanwhileIsNotEnded() {
		join("s");
		beat("s");
		beat("s");
		assertThat(nodes().end("s", 1, true)).isFalse();
		assertThat(nodes().end("s", 3, true)).isFalse();
		assertThat(living()).containsExactly("s");
		assertThat(beat("s").held()).isTrue();
	}

	@Test
	void endOfANodeThatWasStoppingIsNoCrash() {
		join("s");
		nodes().beat("s", STOPPING);
		assertThat(nodes().end("s", 1, true)).isTrue();
		assertThat(nodes().members().ended()).isEqualTo(Map.of("s", false));
	}

	@Test
	void repeatedEndSaysSo() {
		join("s");
		assertThat(nodes().end("s", 0, true)).isTrue();
		assertThat(nodes().end("s", 0, true)).isTrue();
		assertThat(nodes().end("s", 7, true)).isTrue();
		nodes().leave("s");
		assertThat(nodes().members().ended()).isEqualTo(Map.of("s", true));
	}

	@Test
	void endOfAnUnknownSessionIsHarmless() {
		assertThat(nodes().end("s", 0, true)).isFalse();
		assertThat(nodes().members().ended()).isEmpty();
	}

	@Test
	void endedSessionNeverLivesAgain() {
		join("s");
		nodes().end("s", 0, true);
		assertThat(beat("s").held()).isFalse();
		assertThat(join("s").held()).isFalse();
		assertThat(beat("s").held()).isFalse();
		assertThat(living()).isEmpty();
		assertThat(nodes().members().ended()).isEqualTo(Map.of("s", true));
	}

	@Test
	void sessionThatHasLeftCannotJoinAgain() {
		join("s");
		nodes().leave("s");
		assertThat(join("s").held()).isFalse();
		assertThat(living()).isEmpty();
	}

	@Test
	void leavingIsNoCrash() {
		join("s");
		join("t");
		nodes().leave("s");
		Membership membership = beat("t");
		assertThat(membership.members()).extracting(Member::session).containsExactly("t");
		assertThat(membership.ended()).isEqualTo(Map.of("s", false));
		assertThat(beat("s").held()).isFalse();
	}

	@Test
	void beatOfAnUnknownSessionBeginsNone() {
		assertThat(beat("s").held()).isFalse();
		assertThat(living()).isEmpty();
	}

	@Test
	void leaveOfAnUnknownSessionIsHarmless() {
		nodes().leave("s");
		assertThat(living()).isEmpty();
		assertThat(nodes().members().ended()).isEmpty();
	}

	@Test
	void nothingIsAssignedAtFirst() {
		assertThat(join("s").assignmentVersion()).isZero();
		assertThat(nodes().assignment()).isEqualTo(Assignment.NONE);
		assertThat(nodes().assignedTo("s")).isEqualTo(new AssignedShards(0, Set.of()));
	}

	@Test
	void assignmentIsReadWholeAndInParts() {
		Shard first = new Shard("orders", 1, 0);
		Shard second = new Shard("orders", 1, 2);
		Shard third = new Shard("mails", 3, 1);
		Assignment assignment = new Assignment(1, Map.of(first, "a", second, "b", third, "a"));
		join("a");
		assertThat(nodes().assign(assignment)).isTrue();
		assertThat(nodes().assignment()).isEqualTo(assignment);
		assertThat(nodes().assignedTo("a")).isEqualTo(new AssignedShards(1, Set.of(first, third)));
		assertThat(nodes().assignedTo("b")).isEqualTo(new AssignedShards(1, Set.of(second)));
		assertThat(nodes().assignedTo("c")).isEqualTo(new AssignedShards(1, Set.of()));
		assertThat(beat("a").assignmentVersion()).isEqualTo(1);
		assertThat(join("b").assignmentVersion()).isEqualTo(1);
		assertThat(nodes().members().assignmentVersion()).isEqualTo(1);
	}

	@Test
	void newAssignmentReplacesTheOneBefore() {
		nodes().assign(new Assignment(1, Map.of(SHARD, "a")));
		Assignment second = new Assignment(2, Map.of(new Shard("mails", 1, 0), "b"));
		assertThat(nodes().assign(second)).isTrue();
		assertThat(nodes().assignment()).isEqualTo(second);
		assertThat(nodes().assignedTo("a")).isEqualTo(new AssignedShards(2, Set.of()));
	}

	@Test
	void assignmentOfManyShardsIsReadAsItWasWritten() {
		Map<Shard, String> owners = new QueueLayout("orders", 2, 500).allShards()
			.stream()
			.collect(Collectors.toMap((shard) -> shard, (shard) -> "s" + shard.index() % 7));
		Assignment assignment = new Assignment(1, owners);
		nodes().assign(assignment);
		assertThat(nodes().assignment()).isEqualTo(assignment);
		IntStream.range(0, 7)
			.forEach((i) -> assertThat(nodes().assignedTo("s" + i).shards()).isEqualTo(assignment.of("s" + i)));
	}

	@Test
	void assignmentOfAnotherThanTheNextVersionIsNotRecorded() {
		Assignment first = new Assignment(1, Map.of(SHARD, "a"));
		assertThat(nodes().assign(new Assignment(2, first.owners()))).isFalse();
		assertThat(nodes().assign(first)).isTrue();
		assertThat(nodes().assign(new Assignment(1, Map.of()))).isFalse();
		assertThat(nodes().assign(new Assignment(3, Map.of()))).isFalse();
		assertThat(nodes().assignment()).isEqualTo(first);
	}

	@Test
	void lastReportOfEachLivingSessionIsKept() {
		nodes().report("s", "too early");
		join("s");
		join("t");
		assertThat(nodes().reports()).isEmpty();
		nodes().report("s", "{\"busy\":1}");
		nodes().report("s", "{\"busy\":\"ä\"}");
		assertThat(nodes().reports()).isEqualTo(Map.of("s", "{\"busy\":\"ä\"}"));
		nodes().report("t", "{}");
		nodes().leave("s");
		nodes().report("s", "{}");
		assertThat(nodes().reports()).isEqualTo(Map.of("t", "{}"));
	}

	@Test
	void aNodeThatDiedEndedWhenItWasLastSeen() {
		nodes().join("died", INFO);
		nodes().join("left", INFO);
		nodes().beat("died", INFO);
		nodes().beat("left", INFO);
		long seen = nodes().now();
		this.clock.advance(Duration.ofMinutes(7));
		nodes().end("died", 1, true);
		nodes().leave("left");
		assertThat(nodes().endedNodes()).extracting(EndedNode::endedAt).containsExactly(seen, nodes().now());
	}

	@Test
	void theSessionsThatEndedLastAreDescribed() {
		long begin = nodes().now();
		assertThat(nodes().endedNodes()).isEmpty();
		join("left");
		nodes().leave("left");
		nodes().join("died", INFO);
		nodes().end("died", 0, true);
		nodes().join("stopped", STOPPING);
		nodes().end("stopped", 0, true);
		assertThat(nodes().endedNodes()).extracting(EndedNode::session).containsExactly("left", "died", "stopped");
		assertThat(nodes().endedNodes()).extracting(EndedNode::crashed).containsExactly(false, true, false);
		assertThat(nodes().endedNodes()).extracting(EndedNode::info).containsExactly(INFO, INFO, STOPPING);
		assertThat(nodes().endedNodes())
			.allSatisfy((ended) -> assertThat(ended.endedAt()).isBetween(begin, nodes().now()));
		IntStream.range(0, 30).mapToObj((i) -> "s" + i).forEach((session) -> {
			join(session);
			nodes().leave(session);
		});
		assertThat(nodes().endedNodes()).hasSize(20).first().extracting(EndedNode::session).isEqualTo("s10");
	}

	@Test
	void theLastReportOfANodeThatCrashedIsKept() {
		for (String session : List.of("crashed", "lapsed", "left", "silent")) {
			join(session);
		}
		List<String> reporting = List.of("crashed", "lapsed", "left");
		reporting.forEach((session) -> nodes().report(session, "{\"of\":\"" + session + "\"}"));
		nodes().end("crashed", 0, true);
		nodes().end("lapsed", 0, false);
		nodes().leave("left");
		nodes().end("silent", 0, true);
		List<String> all = List.of("crashed", "lapsed", "left", "silent", "unknown");
		assertThat(nodes().lastReports(all)).isEqualTo(Map.of("crashed", "{\"of\":\"crashed\"}"));
		assertThat(nodes().lastReports(List.of())).isEmpty();
		assertThat(nodes().reports()).isEmpty();
		for (int i = 0; i < 20; i++) {
			join("s" + i);
			nodes().report("s" + i, "{}");
			nodes().end("s" + i, 0, true);
		}
		assertThat(nodes().lastReports(all)).as("of a session that is not described any more").isEmpty();
		assertThat(nodes().lastReports(List.of("s0", "s19"))).hasSize(2);
	}

	@Test
	void theLossOfEverythingIsRecordedOnceAndThatOfCallsByEachNode() {
		Forgotten everything = Forgotten.everything(2_000, 1_000, "node ä", List.of("orders", "mails"));
		Forgotten first = Forgotten.calls(3_000, 1_000, "a", Set.of(new Shard("orders", 1, 0)));
		Forgotten second = Forgotten.calls(4_000, 0, "b", Set.of(new Shard("orders", 1, 1)));
		assertThat(nodes().forgotten()).isEmpty();
		assertThat(nodes().recordForgotten(everything)).isTrue();
		assertThat(nodes().recordForgotten(everything)).as("repeated, since the answer may be lost").isTrue();
		assertThat(nodes().recordForgotten(Forgotten.everything(3_000, 1_000, "other", List.of()))).isFalse();
		assertThat(nodes().recordForgotten(first)).isTrue();
		assertThat(nodes().recordForgotten(first)).as("repeated, since the answer may be lost").isTrue();
		assertThat(nodes().recordForgotten(second)).isTrue();
		assertThat(nodes().forgotten()).containsExactly(everything, second, first);
	}

	@Test
	void lossesOfDataAreKeptForAnHourAndNotMoreThan100() {
		long hour = Duration.ofHours(1).toMillis();
		nodes().recordForgotten(Forgotten.everything(2_000, 1_000, "first", List.of()));
		Forgotten next = Forgotten.everything(2_000 + hour, 3_000, "next", List.of());
		assertThat(nodes().recordForgotten(next)).isFalse();
		assertThat(nodes().recordForgotten(Forgotten.calls(2_000 + hour, 0, "a", Set.of()))).isTrue();
		assertThat(nodes().recordForgotten(next)).isTrue();
		for (int i = 0; i < 200; i++) {
			nodes().recordForgotten(Forgotten.calls(3_000 + hour + i, 0, "a", Set.of()));
		}
		assertThat(nodes().forgotten()).hasSize(100).allMatch((loss) -> loss.degree() == Degree.CALLS);
	}

	@Test
	void peopleAreToldOfALossOfDataForAnHour() {
		long now = nodes().now();
		nodes().recordForgotten(Forgotten.everything(now, now, "node", List.of()));
		assertThat(Forgotten.recent(nodes())).hasSize(1);
		this.clock.advanceMillis(3_599_999);
		assertThat(Forgotten.recent(nodes())).hasSize(1);
		this.clock.advanceMillis(1);
		assertThat(Forgotten.recent(nodes())).isEmpty();
	}

}
