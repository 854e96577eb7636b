package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import io.lowkiq.internal.LogText;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.redis.wire.AssignmentText;
import io.lowkiq.redis.wire.PackedNodeInfo;
import io.lowkiq.redis.wire.PackedPast;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Forgotten.Degree;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import org.jspecify.annotations.Nullable;

import static io.lowkiq.redis.ShardScripts.argument;

/** The sessions of the nodes, in one hash. */
final class RedisNodeRegistry implements NodeRegistry {

	private static final int FIRST_MEMBER = 5;

	private static final LuaScript JOIN = LuaScript.load("node-join", "let a node join");

	private static final LuaScript BEAT = LuaScript.load("node-beat", "count a heartbeat");

	private static final LuaScript END = LuaScript.load("node-end", "end a session");

	private static final LuaScript ASSIGN = LuaScript.load("node-assign", "record an assignment");

	private static final LuaScript READ_ASSIGNMENT = LuaScript.load("node-assignment", "look up the assignment");

	private static final LuaScript READ_SHARDS = LuaScript.load("read", "look up the shards of a session");

	private static final LuaScript REPORT = LuaScript.load("node-report", "record what a node does");

	private static final LuaScript READ_REPORTS = LuaScript.load("read", "look up what the nodes do");

	private static final LuaScript READ_PAST = LuaScript.load("read", "look up the ended sessions");

	private static final LuaScript FORGOTTEN = LuaScript.load("node-forgotten", "record a loss of data");

	private static final LuaScript READ_FORGOTTEN = LuaScript.load("read", "look up losses of data");

	private static final LuaScript READ_TIME = LuaScript.load("time", "look up the time");

	private final ScriptCaller caller;

	private final ShardKeys keys;

	private final StoreClock clock;

	/** The last full reading. Written and read by all threads; any of them will do. */
	private volatile @Nullable Reading known;

	RedisNodeRegistry(ScriptCaller caller, ShardKeys keys, StoreClock clock) {
		this.caller = caller;
		this.keys = keys;
		this.clock = clock;
	}

	@Override
	public Membership join(String session, NodeInfo info) {
		return membership(run(JOIN, argument(session), PackedNodeInfo.pack(info), this.keys.commonChannel(),
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
		return run(BEAT, argument(session), info, argument(revision), this.keys.wakeChannel(session),
				argument(WakeUpMessage.ECHO), this.keys.commonChannel(), argument(WakeUpMessage.CHANGED),
				this.clock.now());
	}

	/** Joins a reply with what was known before, or null. */
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
	public boolean end(String session, long beats, boolean crashed) {
		return end(session, Long.toString(beats), crashed);
	}

	@Override
	public void leave(String session) {
		end(session, "", false);
	}

	private boolean end(String session, String beats, boolean crashed) {
		return run(END, argument(session), argument(beats), argument(crashed), this.keys.commonChannel(),
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
		return run(ASSIGN, arguments.toArray(byte[][]::new)).number(0) == 1;
	}

	@Override
	public Assignment assignment() {
		Reply reply = run(READ_ASSIGNMENT);
		Map<Shard, String> owners = new HashMap<>();
		for (int i = 1; i < reply.size(); i += 2) {
			String session = reply.text(i);
			AssignmentText.parse(reply.text(i + 1)).forEach((shard) -> owners.put(shard, session));
		}
		return new Assignment(reply.number(0), owners);
	}

	@Override
	public AssignedShards assignedTo(String session) {
		Reply reply = run(READ_SHARDS, argument("version"), argument("a:" + session));
		long version = reply.isNull(0) ? 0 : Long.parseLong(reply.text(0));
		return new AssignedShards(version, reply.isNull(1) ? Set.of() : AssignmentText.parse(reply.text(1)));
	}

	@Override
	public void report(String session, String status) {
		run(REPORT, argument(session), argument(status));
	}

	@Override
	public Map<String, String> reports() {
		return reports("report:", members().members().stream().map(Member::session).toList());
	}

	@Override
	public Map<String, String> lastReports(Collection<String> sessions) {
		return reports("last:", List.copyOf(sessions));
	}

	private Map<String, String> reports(String prefix, List<String> sessions) {
		Map<String, String> reports = new HashMap<>();
		if (sessions.isEmpty()) {
			return reports;
		}
		Reply reply = run(READ_REPORTS,
				sessions.stream().map((session) -> argument(prefix + session)).toArray(byte[][]::new));
		for (int i = 0; i < sessions.size(); i++) {
			if (!reply.isNull(i)) {
				reports.put(sessions.get(i), reply.text(i));
			}
		}
		return reports;
	}

	@Override
	public List<EndedNode> endedNodes() {
		Reply reply = run(READ_PAST, argument("past"));
		return reply.isNull(0) ? List.of() : PackedPast.unpack(reply.bytes(0));
	}

	@Override
	public boolean recordForgotten(Forgotten forgotten) {
		return run(FORGOTTEN, argument(forgotten.degree().name()), argument(forgotten.noticedAt()),
				argument(forgotten.knownAt() + "\t" + LogText.of(forgotten.node()) + "\t" + forgotten.sentence()))
			.number(0) == 1;
	}

	@Override
	public List<Forgotten> forgotten() {
		Reply reply = run(READ_FORGOTTEN, argument("forgotten"));
		if (reply.isNull(0)) {
			return List.of();
		}
		return reply.text(0)
			.lines()
			.map(RedisNodeRegistry::loss)
			.flatMap(Optional::stream)
			.sorted(Comparator.comparing(Forgotten::degree)
				.thenComparing(Comparator.comparingLong(Forgotten::noticedAt).reversed()))
			.toList();
	}

	/** Leaves out values that a newer version wrote in another form. */
	private static Optional<Forgotten> loss(String line) {
		String[] parts = line.split("\t", -1);
		try {
			return (parts.length == 5) ? Optional.of(new Forgotten(Degree.valueOf(parts[0]), Long.parseLong(parts[1]),
					Long.parseLong(parts[2]), parts[3], parts[4])) : Optional.empty();
		}
		catch (IllegalArgumentException ex) {
			return Optional.empty();
		}
	}

	@Override
	public long now() {
		byte[] own = this.clock.now();
		if (own.length > 0) {
			return (long) Double.parseDouble(Utf8.text(own));
		}
		return run(READ_TIME).number(0);
	}

	private Reply run(LuaScript script, byte[]... arguments) {
		return this.caller.run(script, new byte[][] { this.keys.nodes() }, arguments);
	}

	/** The part of the registry that changes rarely. */
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
