package io.lowkiq.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.lowkiq.store.Fetch;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverrides;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.TestTurns;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static io.lowkiq.testing.Outcomes.buried;
import static io.lowkiq.testing.Outcomes.rejected;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every script of a shard is called with all its fixed keys, and uses no other but the
 * payload sets of ids (I5); every script of a registry uses the one key of that. What
 * they use is read from Redis' monitor.
 */
class RedisKeysIntegrationTests {

	private static final Pattern ARGUMENT = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"");

	private static final Set<String> WITHOUT_KEY = Set.of("time", "publish");

	private final RedisProcess server = TestRedis.startPrivate();

	private final RedisShardFixture fixture = new RedisShardFixture(TestRedis.connectionFactory(this.server.url()));

	@AfterEach
	void close() {
		this.fixture.close();
		this.server.close();
	}

	@Test
	void scriptsUseOnlyTheirKeys() throws IOException {
		List<String> log;
		try (Socket monitor = new Socket(this.server.host(), this.server.port())) {
			monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
			BufferedReader lines = new BufferedReader(
					new InputStreamReader(monitor.getInputStream(), StandardCharsets.ISO_8859_1));
			assertThat(lines.readLine()).isEqualTo("+OK");
			useEverything();
			log = readUntil(lines, "no script has this text");
		}
		Set<String> declared = Set.of();
		Set<String> called = new HashSet<>();
		for (String line : log) {
			List<String> call = arguments(line);
			String command = call.get(0).toLowerCase(Locale.ROOT);
			if (line.contains(" lua]")) {
				String key = WITHOUT_KEY.contains(command) ? "" : call.get(command.equals("zunionstore") ? 3 : 1);
				String name = key.substring(key.lastIndexOf('}') + 1);
				assertThat(key.isEmpty() || name.startsWith(":p:") || name.startsWith(":d:") || name.startsWith(":g:")
						|| declared.contains(key))
					.as(line)
					.isTrue();
				// A policy that evicts keys with a time to live must not evict jobs
				assertThat(!command.contains("expire") || name.equals(":meta")).as(line).isTrue();
			}
			else if (command.equals("evalsha") || command.equals("eval")) {
				called.add(call.get(1));
				declared = new HashSet<>(call.subList(3, 3 + Integer.parseInt(call.get(2))));
				if (!declared.stream().allMatch((key) -> key.matches(".*:\\{(nodes|queues)}.*"))) {
					assertThat(call.get(3 + 13)).as(line).endsWith(":guard");
					assertThat(call.subList(3 + 14, 3 + declared.size())).as("Those of targets, and calls")
						.allMatch((key) -> key.endsWith("}:follow-ups") || key.endsWith("}:calls"));
				}
				else {
					assertThat(declared).as(line)
						.hasSizeBetween(1, 4)
						.allMatch((key) -> key.matches(".*:\\{(nodes|queues)}(:uses|:group(s|-changes):1:orders)?"));
				}
			}
			else {
				assertThat(line).as("a plain command").doesNotContain("{nodes}", "{queues}");
			}
		}
		NewerShardTests.scripts().forEach((name, script) -> assertThat(called).as(name).contains(script.sha()));
		assertThat(this.fixture.redis.hasKey(this.fixture.key("guard"))).isFalse();
	}

	private void useRegistries() {
		QueueRegistry queues = this.fixture.store.queues();
		QueueLayout layout = queues.register("orders", 5);
		assertThat(queues.find("orders")).contains(layout);
		assertThat(queues.all()).hasSize(1);
		queues.override(layout,
				Map.of("a", new GroupOverride(new GroupOverride.Change<>(true, "anna", 0), null, null, null)),
				EnumSet.of(GroupOverride.Part.PAUSE));
		assertThat(queues.overrides(layout).groups()).hasSize(1);
		assertThat(queues.changedOverrides(Map.of(layout, GroupOverrides.NONE))).containsExactly(layout);
		queues.override(layout, Map.of("a", GroupOverride.NONE), EnumSet.allOf(GroupOverride.Part.class));
		assertThat(queues.overrides(layout).groups()).isEmpty();
		queues.beginRemoval(layout);
		queues.cancelRemoval(layout);
		queues.endRemoval(layout);
		NodeRegistry nodes = this.fixture.store.nodes();
		NodeInfo info = new NodeInfo("node", 0, Duration.ofSeconds(9), Set.of("orders"), false);
		nodes.join("s1", info);
		nodes.beat("s1", info);
		nodes.report("s1", "{}");
		assertThat(nodes.reports()).hasSize(1);
		nodes.assign(new Assignment(1, Map.of(this.fixture.shard, "s1")));
		assertThat(nodes.assignment().owners()).hasSize(1);
		assertThat(nodes.assignedTo("s1").shards()).hasSize(1);
		nodes.end("s1", 0, true);
		nodes.leave("s1");
		assertThat(nodes.endedNodes()).hasSize(1);
		new RedisStore(this.fixture.connectionFactory, this.fixture.prefix, null).nodes().now();
	}

	private List<String> readUntil(BufferedReader lines, String end) throws IOException {
		this.server.call("ECHO", end);
		List<String> log = new ArrayList<>();
		for (String line = lines.readLine(); !line.contains(end); line = lines.readLine()) {
			log.add(line);
		}
		return log;
	}

	private static List<String> arguments(String line) {
		List<String> arguments = new ArrayList<>();
		Matcher matcher = ARGUMENT.matcher(line);
		while (matcher.find()) {
			arguments.add(matcher.group(1));
		}
		return arguments;
	}

	private void useEverything() {
		useRegistries();
		this.fixture.own();
		FollowUp followUp = new FollowUp("mails", newPayload("m", "1"));
		for (int round = 0; round < 2; round++) {
			this.fixture.enqueue(newPayload("a", "1"), newPayload("a", "2"), newPayload("b", "1"),
					newPayload("c", "1").withPerformAt(RedisShardFixture.NOW), newPayload("d", "1"),
					newPayload("e", "1"), newPayload("f", "1"), newPayload("f", "2"));
			this.fixture.completeAndFetch(new Fetch(9, 1, true));
			this.fixture.enqueue(newPayload("b", "2"));
			this.fixture.completeAndFetch(new Fetch(9, 1, true), new Outcome.FollowUp("b", round, followUp),
					new Outcome.Done("b"), buried("a", "dead"), new Outcome.Retry("c", 1_000, "oops"),
					rejected("d", List.of(0), "unreadable"), new Outcome.Returned("e"));
			this.fixture.acquire(LeaseRequest.forFreeShard("me"));
			this.fixture.moveFollowUps(round);
		}
		for (JobList list : JobList.values()) {
			this.fixture.store.inspection().list(this.fixture.shard, JobQuery.first(list, 2));
		}
		for (JobView.State state : JobView.State.values()) {
			this.fixture.store.inspection().find(this.fixture.shard, state, "a", 9);
		}
		this.fixture.store.inspection().counts(this.fixture.shard);
		this.fixture.shards()
			.enqueueFenced(List.of(new ShardPayloads(this.fixture.shard, List.of(newPayload("g", "1")))),
					new OutboxCall("outbox", new Stamp(1, 1), new HashMap<>(), (shard) -> Stamp.NONE));
		this.fixture.store.actions().performNow(this.fixture.shard, List.of("c"));
		this.fixture.store.actions().performAllNow(this.fixture.shard, 9);
		this.fixture.store.actions().reEnqueue(this.fixture.shard, List.of("a"));
		this.fixture.store.actions().killAllFailed(this.fixture.shard, 9);
		this.fixture.store.actions().delete(this.fixture.shard, List.of("b"));
		this.fixture.store.actions().bury(this.fixture.shard, "c", new byte[] { 1 }, 1, "no job");
		this.fixture.store.actions().deleteAllFailed(this.fixture.shard, 9);
		this.fixture.store.actions().deleteDead(this.fixture.shard, List.of("c"));
		this.fixture.store.actions().deleteAllDead(this.fixture.shard, 9, Long.MAX_VALUE / 2);
		useGroups();
		this.fixture.store.actions().pause(this.fixture.shard, true);
		this.fixture.shards()
			.enqueue(this.fixture.shard, IntStream.range(0, 1_500).mapToObj((i) -> newPayload("v" + i, "1")).toList());
		this.fixture.store.actions()
			.delete(this.fixture.shard, IntStream.range(1, 1_500).mapToObj((i) -> "v" + i).toList());
		useFurtherActions();
		this.fixture.release();
		this.fixture.store.actions().close(this.fixture.shard, null, false);
		this.fixture.store.actions().empty(this.fixture.shard, 9);
	}

	private void useGroups() {
		Fetch fetch = new Fetch(2, 9, true, TestTurns.of(":"));
		this.fixture.enqueue(newPayload("x:1", "1"), newPayload("y:1", "1"), newPayload("x:2", "1"));
		this.fixture.completeAndFetch(fetch);
		this.fixture.completeAndFetch(fetch.with(GroupTurns.OF_BEFORE), new Outcome.Returned("x:1"));
		this.fixture.enqueue(newPayload("x:3", "1"), newPayload("x:4", "1"));
		this.fixture.completeAndFetch(fetch, new Outcome.Returned("x:2"));
		this.fixture.store.inspection().counts(this.fixture.shard);
		this.fixture.store.inspection().groups(List.of(this.fixture.shard), ":", 9);
		this.fixture.store.inspection().group(List.of(this.fixture.shard), ":", "a");
		this.fixture.store.inspection().list(this.fixture.shard, JobQuery.first(JobList.READY, 2));
	}

	private void useFurtherActions() {
		ShardActions actions = this.fixture.store.actions();
		Shard shard = this.fixture.shard;
		byte[] payload = { '1' };
		this.fixture.enqueue(newPayload("held", "1"), newPayload("erased", "1"), newPayload("erased", "2"),
				newPayload("repaired", "1").withPerformAt(RedisShardFixture.NOW + 1));
		this.fixture.redis.delete(this.fixture.key("delayed"));
		actions.repair(shard, ShardActions.Repair.START, 1_000);
		actions.hold(shard, List.of("held"));
		actions.editHeld(shard, "held", payload, new byte[] { '2' });
		actions.release(shard, List.of("held"));
		actions.releaseAll(shard, 9);
		actions.bury(shard, "dead", payload, 1, "no job");
		actions.editDead(shard, "dead", payload, new byte[] { '2' });
		actions.erase(shard, "erased");
		Shard other = new Shard("mails", 1, 0);
		Origin origin = new Origin(shard, 1, 1);
		this.fixture.store.inspection().followUps(shard, 0, 9);
		actions.dropFollowUps(shard, List.of(origin));
		actions.dropEnqueued(shard, List.of(origin), shard, other);
		this.fixture.shards().followUpTargets(new Lease(shard, "me", 1), List.of(other)).join();
		this.fixture.shards().forgetOrigin(shard, new Origin(other, 1, 1), true).join();
	}

}
