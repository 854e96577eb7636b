package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardActions;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * What people do to the jobs of a shard, by one script a step.
 */
final class RedisShardActions implements ShardActions {

	/** No step changes more jobs than this, so that none holds Redis up for long. */
	private static final int MAX_JOBS = 1_000;

	private final LuaScript performAllNow = LuaScript.load("perform-all-now");

	private final LuaScript performNow = LuaScript.load("perform-now");

	private final LuaScript killAllFailed = LuaScript.load("kill-all-failed");

	private final LuaScript deleteAllFailed = LuaScript.load("delete-all-failed");

	private final LuaScript delete = LuaScript.load("delete");

	private final LuaScript reviveAll = LuaScript.load("revive-all");

	private final LuaScript revive = LuaScript.load("revive");

	private final LuaScript deleteAllDead = LuaScript.load("delete-all-dead");

	private final LuaScript deleteDead = LuaScript.load("delete-dead");

	private final LuaScript pause = LuaScript.load("pause");

	private final ShardScripts scripts;

	private final byte[] wakeChannels;

	RedisShardActions(ShardScripts scripts, ShardKeys keys) {
		this.scripts = scripts;
		this.wakeChannels = keys.wakeChannels();
	}

	@Override
	public Step performAllNow(Shard shard, int limit) {
		return step(this.scripts.run(this.performAllNow, shard, name(shard), this.wakeChannels, limited(limit)));
	}

	@Override
	public Step performNow(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> this.scripts.run(this.performNow, shard, name(shard), this.wakeChannels, packed));
	}

	@Override
	public Step killAllFailed(Shard shard, int limit) {
		return step(this.scripts.run(this.killAllFailed, shard, limited(limit)));
	}

	@Override
	public Step deleteAllFailed(Shard shard, int limit) {
		return step(this.scripts.run(this.deleteAllFailed, shard, limited(limit)));
	}

	@Override
	public Step delete(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> this.scripts.run(this.delete, shard, packed));
	}

	@Override
	public Step reviveAll(Shard shard, int limit, long before) {
		return step(this.scripts.run(this.reviveAll, shard, name(shard), this.wakeChannels, limited(limit),
				argument(before)));
	}

	@Override
	public Step revive(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> this.scripts.run(this.revive, shard, name(shard), this.wakeChannels, packed));
	}

	@Override
	public Step deleteAllDead(Shard shard, int limit, long before) {
		return step(this.scripts.run(this.deleteAllDead, shard, limited(limit), argument(before)));
	}

	@Override
	public Step deleteDead(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> this.scripts.run(this.deleteDead, shard, packed));
	}

	@Override
	public void pause(Shard shard, boolean paused) {
		this.scripts.run(this.pause, shard, name(shard), this.wakeChannels, argument(paused));
	}

	private static Step named(Collection<String> ids, NamedStep step) {
		List<String> distinct = new ArrayList<>(new LinkedHashSet<>(ids));
		int changed = 0;
		for (int first = 0; first < distinct.size(); first += MAX_JOBS) {
			PackedArgument packed = new PackedArgument();
			distinct.subList(first, Math.min(first + MAX_JOBS, distinct.size()))
				.forEach((id) -> packed.putBytes(IdBytes.encode(id)));
			changed += step.run(packed.toBytes()).count(0);
		}
		return new Step(changed, false);
	}

	private static Step step(Reply reply) {
		return new Step(reply.count(0), reply.number(1) != 0);
	}

	private static byte[] limited(int limit) {
		return argument(Math.min(limit, MAX_JOBS));
	}

	private static byte[] name(Shard shard) {
		return argument(shard.toString());
	}

	/**
	 * A step on named jobs.
	 */
	private interface NamedStep {

		/**
		 * Runs the step.
		 * @param packedIds the ids
		 * @return the answer of its script
		 */
		Reply run(byte[] packedIds);

	}

}
