package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import io.lowkiq.store.Assignment;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The sessions of the nodes, by one script a step.
 */
final class RedisNodeRegistry implements NodeRegistry {

	private static final int FIRST_MEMBER = 3;

	private static final int VALUES_OF_MEMBER = 4;

	private final LuaScript join = LuaScript.load("node-join");

	private final LuaScript beat = LuaScript.load("node-beat");

	private final LuaScript leave = LuaScript.load("node-leave");

	private final LuaScript assign = LuaScript.load("node-assign");

	private final LuaScript members = LuaScript.load("node-members");

	private final ScriptRunner runner;

	private final ShardKeys keys;

	private final StoreClock clock;

	RedisNodeRegistry(ScriptRunner runner, ShardKeys keys, StoreClock clock) {
		this.runner = runner;
		this.keys = keys;
		this.clock = clock;
	}

	@Override
	public Membership join(String session, Duration duration, NodeInfo info) {
		return membership(run(this.join, argument(session), argument(duration.toMillis()), PackedNodeInfo.pack(info),
				this.keys.releasedChannel(), argument(WakeUpMessage.CHANGED)));
	}

	@Override
	public Membership beat(String session, Duration duration, NodeInfo info) {
		return membership(run(this.beat, argument(session), argument(duration.toMillis()), PackedNodeInfo.pack(info),
				this.keys.wakeChannel(session), argument(WakeUpMessage.ECHO)));
	}

	@Override
	public void leave(String session) {
		run(this.leave, argument(session), this.keys.releasedChannel(), argument(WakeUpMessage.CHANGED));
	}

	@Override
	public boolean assign(Assignment assignment) {
		return run(this.assign, argument(assignment.version()), argument(assignment.encode()),
				this.keys.releasedChannel(), argument(WakeUpMessage.CHANGED))
			.number(0) == 1;
	}

	@Override
	public Membership members() {
		return membership(run(this.members));
	}

	private Reply run(LuaScript script, byte[]... arguments) {
		List<byte[]> all = new ArrayList<>(arguments.length + 1);
		all.add(this.clock.now());
		all.addAll(List.of(arguments));
		return this.runner.run(script, this.keys.nodes(), all);
	}

	private static Membership membership(Reply reply) {
		SortedMap<Long, Member> living = new TreeMap<>();
		int position = FIRST_MEMBER;
		for (int count = reply.count(2); count > 0; count--) {
			living.put(reply.number(position + 2), new Member(reply.text(position), reply.number(position + 1),
					PackedNodeInfo.unpack(reply.bytes(position + 3))));
			position += VALUES_OF_MEMBER;
		}
		Assignment assignment = Assignment.parse(reply.number(position), reply.text(position + 1));
		position += 2;
		Set<String> ended = new LinkedHashSet<>();
		for (; position < reply.size(); position++) {
			ended.add(reply.text(position));
		}
		return new Membership(reply.number(0) == 1, List.copyOf(living.values()), Set.copyOf(ended), assignment,
				reply.number(1));
	}

}
