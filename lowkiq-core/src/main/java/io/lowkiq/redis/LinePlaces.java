package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The places in line, in steps.
 *
 * @param scripts runs the script
 * @param shard the shard
 * @param descending whether the order is turned round
 * @param from the performAt at which to begin; null for the end of the order
 * @param after the place in line after which to begin, in place of {@code from}
 */
record LinePlaces(ShardScripts scripts, Shard shard, boolean descending, @Nullable Long from,
		@Nullable Long after) implements PlaceSource {

	private static final LuaScript SCRIPT = LuaScript.load("line-places");

	private static final int ENTRIES_OF_STEP = 500;

	@Override
	public List<JobPlace> first(int limit) {
		List<JobPlace> places = new ArrayList<>();
		Long begin = (this.after != null) ? Long.valueOf(this.after + (this.descending ? -1 : 1)) : null;
		String bound = (this.after == null && this.from != null) ? this.from.toString() : "";
		while (true) {
			Reply reply = this.scripts.run(SCRIPT, this.shard, argument(this.descending),
					argument((begin != null) ? begin.toString() : ""), argument(bound),
					argument(Math.min(limit, ENTRIES_OF_STEP)));
			for (int i = 1; i < reply.size() && places.size() < limit; i += 3) {
				places.add(new JobPlace(reply.number(i + 2), reply.number(i), reply.bytes(i + 1), false));
			}
			if (places.size() >= limit || reply.isNull(0)) {
				return places;
			}
			begin = reply.number(0);
		}
	}

}
