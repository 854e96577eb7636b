package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The places in the order of the ids' unsigned bytes: goes through all ids of a state in
 * steps and keeps those of the page.
 *
 * @param scripts runs the script
 * @param shard the shard
 * @param state where the jobs lie
 * @param descending whether the order is turned round
 * @param prefix what the ids begin with
 * @param from the id at which to begin; null for the end of the order
 * @param after the id after which to begin; null to begin at {@code from}
 */
@SuppressWarnings("ArrayRecordComponent")
record IdPlaces(ShardScripts scripts, Shard shard, JobView.State state, boolean descending, byte[] prefix,
		byte @Nullable [] from, byte @Nullable [] after) implements PlaceSource {

	private static final LuaScript SCRIPT = LuaScript.load("scan-ids");

	private static final int IDS_OF_STEP = 500;

	@Override
	public List<JobPlace> first(int limit) {
		Comparator<byte[]> ascending = Arrays::compareUnsigned;
		Comparator<byte[]> order = this.descending ? ascending.reversed() : ascending;
		NavigableSet<byte[]> ids = new TreeSet<>(order);
		String cursor = "0";
		do {
			Reply reply = this.scripts.run(SCRIPT, this.shard, argument(this.state.name()), argument(cursor),
					argument(IDS_OF_STEP));
			for (int i = 1; i < reply.size(); i++) {
				byte[] id = reply.bytes(i);
				if (belongs(id, order)) {
					ids.add(id);
				}
				if (ids.size() > limit) {
					ids.pollLast();
				}
			}
			cursor = reply.text(0);
		}
		while (!cursor.equals("0"));
		List<JobPlace> places = new ArrayList<>(ids.size());
		ids.forEach((id) -> places.add(new JobPlace(0, JobPlace.NOT_IN_LINE, id, false)));
		return places;
	}

	private boolean belongs(byte[] id, Comparator<byte[]> order) {
		return id.length >= this.prefix.length
				&& Arrays.equals(id, 0, this.prefix.length, this.prefix, 0, this.prefix.length)
				&& (this.from == null || order.compare(id, this.from) >= 0)
				&& (this.after == null || order.compare(id, this.after) > 0);
	}

}
