package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The places of a sorted set, by score and then by id.
 *
 * @param scripts runs the script
 * @param shard the shard
 * @param set the set as {@code set-places.lua} names it
 * @param descending whether the order is turned round
 * @param from the score at which to begin; null for the end of the order
 * @param after the place after which to begin, in place of {@code from}
 */
record SetPlaces(ShardScripts scripts, Shard shard, String set, boolean descending, @Nullable Long from,
		@Nullable JobPlace after) implements PlaceSource {

	private static final LuaScript SCRIPT = LuaScript.load("set-places");

	@Override
	public List<JobPlace> first(int limit) {
		String score = (this.after != null) ? Double.toString(this.after.number())
				: (this.from != null) ? this.from.toString() : "";
		byte[] id = (this.after != null) ? this.after.id() : new byte[0];
		Reply reply = this.scripts.run(SCRIPT, this.shard, argument(this.set), argument(this.descending),
				argument(score), argument(this.after != null), id, argument(limit));
		List<JobPlace> places = new ArrayList<>(reply.size() / 3);
		for (int i = 0; i < reply.size(); i += 3) {
			places.add(
					new JobPlace(reply.decimal(i + 1), JobPlace.NOT_IN_LINE, reply.bytes(i), reply.number(i + 2) == 1));
		}
		return places;
	}

}
