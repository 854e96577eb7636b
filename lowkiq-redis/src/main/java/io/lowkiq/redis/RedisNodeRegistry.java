package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.lettuce.core.KeyValue;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptRunner;
import io.lowkiq.redis.call.WakeUpMessage;
import io.lowkiq.redis.wire.AssignmentText;
import io.lowkiq.redis.wire.PackedNodeInfo;
import io.lowkiq.redis.wire.PackedPast;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.Assignment;
import io.lowkiq.store.EndedNode;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The sessions of the nodes, in one hash. What changes rarely is read only when it has
 * changed.
 */
final class RedisNodeRegistry implements NodeRegistry {

	private static final int FIRST_MEMBER = 5;

	private static final byte[] VERSION = Utf8.bytes("version");

	private static final String ASSIGNED = "a:";

	private final LuaScript join = LuaScript.load("node-join", "let a node join");

	private final LuaScript beat = LuaScript.load("node-beat", "count a heartbeat");

	private final LuaScript end = LuaScript.load("node-end", "end a session");

	private final LuaScript assign = LuaScript.load("node-assign", "record an assignment");

	private static final byte[] PAST = Utf8.bytes("past");

	private final ScriptRunner runner;

	private final ShardKeys keys;

	private final StoreClock clock;

	/** The last full reading. Written and read by all threads; any of them will do. */
	private volatile @Nullable Reading known;

	RedisNodeRegistry(ScriptRunner runner, ShardKeys keys, StoreClock clock) {
		this.runner = runner;
		this.keys = keys;
		this.clock = clock;
	}

	@Override
	public Membership join(String session, NodeInfo info) {
		forgetReportsOfTheDead();
		return membership(run(this.join, argument(session), PackedNodeInfo.pack(info), this.keys.commonChannel(),
				argument(WakeUpMessage.CHANGED)), null);
	}

	@Override
	public Membership beat(String session, NodeInfo info) {
		return read(session, PackedNodeInfo.pack(info));
	}

	@Override
	public Membership members() {
		return read("", new byte[0]);
	}

	private Membership read(String session, byte[] info) {
		Reading before = this.known;
		return membership(beat(session, info, (before != null) ? Long.toString(before.revision()) : ""), before);
	}

	private Reply beat(String session, byte[] info, String revision) {
		return run(this.beat, argument(session), info, argument(revision), this.keys.wakeChannel(session),
				argument(WakeUpMessage.ECHO), this.keys.commonChannel(), argument(WakeUpMessage.CHANGED),
				this.clock.now());
	}

	/**
	 * Joins a reply with what was known when it was asked for.
	 * @param reply as {@code lib/nodes.lua} says
	 * @param before what was known; null for nothing
	 * @return the sessions
	 */
	private Membership membership(Reply reply, @Nullable Reading before) {
		boolean held = reply.number(0) == 1;
		int count = reply.count(4);
		Reading reading = (reply.number(3) == 1) ? Reading.of(reply, count) : before;
		if (reading == null || !reading.infos().keySet().equals(sessions(reply, count))) {
			// Redis lost the registry, and another one has come to the same revision
			Membership all = membership(beat("", new byte[0], ""), null);
			return new Membership(held, all.members(), all.ended(), all.assignmentVersion());
		}
		this.known = reading;
		List<Member> members = new ArrayList<>(count);
		for (int i = FIRST_MEMBER; i < FIRST_MEMBER + 2 * count; i += 2) {
			String session = reply.text(i);
			members.add(new Member(session, reply.number(i + 1), Objects.requireNonNull(reading.infos().get(session))));
		}
		return new Membership(held, members, reading.ended(), reply.number(2));
	}

	private static Set<String> sessions(Reply reply, int count) {
		Set<String> sessions = new HashSet<>();
		for (int i = 0; i < count; i++) {
			sessions.add(reply.text(FIRST_MEMBER + 2 * i));
		}
		return sessions;
	}

	@Override
	public boolean end(String session, long beats) {
		return end(session, Long.toString(beats));
	}

	@Override
	public void leave(String session) {
		end(session, "");
	}

	private boolean end(String session, String beats) {
		return run(this.end, argument(session), argument(beats), this.keys.commonChannel(),
				argument(WakeUpMessage.CHANGED), this.clock.now())
			.number(0) == 1;
	}

	@Override
	public boolean assign(Assignment assignment) {
		List<byte[]> arguments = new ArrayList<>(
				List.of(argument(assignment.version()), this.keys.commonChannel(), argument(WakeUpMessage.CHANGED)));
		new TreeSet<>(assignment.owners().values()).forEach((session) -> {
			arguments.add(argument(session));
			arguments.add(argument(AssignmentText.format(assignment.of(session))));
		});
		return run(this.assign, arguments.toArray(byte[][]::new)).number(0) == 1;
	}

	@Override
	public Assignment assignment() {
		Map<String, byte[]> fields = new TreeMap<>();
		this.runner.call("look up the assignment", (commands) -> commands.hgetall(this.keys.nodes()))
			.forEach((field, value) -> fields.put(Utf8.text(field), value));
		Map<Shard, String> owners = new HashMap<>();
		fields.forEach((field, value) -> {
			if (field.startsWith(ASSIGNED)) {
				AssignmentText.parse(Utf8.text(value))
					.forEach((shard) -> owners.put(shard, field.substring(ASSIGNED.length())));
			}
		});
		return new Assignment(version(fields.get("version")), owners);
	}

	@Override
	public AssignedShards assignedTo(String session) {
		List<KeyValue<byte[], byte[]>> values = this.runner.call("look up the shards of a session",
				(commands) -> commands.hmget(this.keys.nodes(), VERSION, Utf8.bytes(ASSIGNED + session)));
		String shards = Utf8.text(values.get(1).getValueOrElse(new byte[0]));
		return new AssignedShards(version(values.get(0).getValueOrElse(null)), AssignmentText.parse(shards));
	}

	private static long version(byte @Nullable [] text) {
		return (text != null) ? Long.parseLong(Utf8.text(text)) : 0;
	}

	@Override
	public void report(String session, String status) {
		this.runner.call("record what a node does",
				(commands) -> commands.hset(this.keys.nodeReports(), Utf8.bytes(session), Utf8.bytes(status)));
	}

	@Override
	public Map<String, String> reports() {
		Map<String, String> reports = new HashMap<>();
		this.runner.call("look up what the nodes do", (commands) -> commands.hgetall(this.keys.nodeReports()))
			.forEach((session, status) -> reports.put(Utf8.text(session), Utf8.text(status)));
		reports.keySet().retainAll(sessions(members()));
		return reports;
	}

	@Override
	public List<EndedNode> endedNodes() {
		byte[] packed = this.runner.call("look up the ended sessions",
				(commands) -> commands.hget(this.keys.nodes(), PAST));
		return (packed != null) ? PackedPast.unpack(packed) : List.of();
	}

	@Override
	public long now() {
		byte[] own = this.clock.now();
		if (own.length > 0) {
			return (long) Double.parseDouble(Utf8.text(own));
		}
		List<byte[]> time = this.runner.call("look up the time", (commands) -> commands.time());
		return Long.parseLong(Utf8.text(time.get(0))) * 1_000 + Long.parseLong(Utf8.text(time.get(1))) / 1_000;
	}

	/** Reports stay until the next node joins. */
	private void forgetReportsOfTheDead() {
		Set<String> dead = this.runner
			.call("look up what the nodes do", (commands) -> commands.hkeys(this.keys.nodeReports()))
			.stream()
			.map(Utf8::text)
			.collect(Collectors.toSet());
		if (dead.isEmpty()) {
			return;
		}
		dead.removeAll(sessions(members()));
		if (!dead.isEmpty()) {
			byte[][] fields = dead.stream().map(Utf8::bytes).toArray(byte[][]::new);
			this.runner.call("forget what nodes did", (commands) -> commands.hdel(this.keys.nodeReports(), fields));
		}
	}

	private static Set<String> sessions(Membership membership) {
		return membership.members().stream().map(Member::session).collect(Collectors.toSet());
	}

	private Reply run(LuaScript script, byte[]... arguments) {
		return this.runner.run(script, new byte[][] { this.keys.nodes() }, arguments);
	}

	/**
	 * What changes rarely.
	 *
	 * @param revision grows with each change
	 * @param infos what the nodes say of themselves, by session
	 * @param ended the sessions that ended last, and whether by a crash
	 */
	private record Reading(long revision, Map<String, NodeInfo> infos, Map<String, Boolean> ended) {

		static Reading of(Reply reply, int count) {
			Map<String, NodeInfo> infos = new HashMap<>();
			int position = FIRST_MEMBER + 2 * count;
			for (int i = 0; i < count; i++) {
				infos.put(reply.text(FIRST_MEMBER + 2 * i), PackedNodeInfo.unpack(reply.bytes(position + i)));
			}
			Map<String, Boolean> ended = new HashMap<>();
			for (position += count; position < reply.size(); position += 2) {
				ended.put(reply.text(position), reply.number(position + 1) == 1);
			}
			return new Reading(reply.number(1), infos, ended);
		}

	}

}
