package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.Payload;
import io.lowkiq.store.Shard;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * Brings jobs as people look at them, in steps.
 */
final class JobViews {

	private static final int JOBS_OF_STEP = 100;

	private static final int PAYLOADS_OF_STEP = 1_000;

	private final LuaScript views = LuaScript.load("views");

	private final ShardScripts scripts;

	JobViews(ShardScripts scripts) {
		this.scripts = scripts;
	}

	/**
	 * The jobs with these ids that are there.
	 * @param shard the shard
	 * @param state where they lie
	 * @param ids the ids
	 * @param payloads how many payloads of each to bring at the most
	 * @return the jobs in the order of the ids
	 */
	List<JobView> of(Shard shard, JobView.State state, List<byte[]> ids, int payloads) {
		int step = Math.min(JOBS_OF_STEP, Math.max(1, PAYLOADS_OF_STEP / Math.max(1, payloads)));
		List<JobView> found = new ArrayList<>(ids.size());
		for (int first = 0; first < ids.size(); first += step) {
			PackedArgument packed = new PackedArgument();
			ids.subList(first, Math.min(first + step, ids.size())).forEach(packed::putBytes);
			add(shard, state,
					this.scripts.run(this.views, shard, argument(state.name()), argument(payloads), packed.toBytes()),
					found);
		}
		return found;
	}

	private static void add(Shard shard, JobView.State state, Reply reply, List<JobView> found) {
		int position = 0;
		while (position < reply.size()) {
			int count = reply.count(position + 6);
			List<Payload> payloads = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				int at = position + 7 + 2 * i;
				payloads.add(new Payload(reply.bytes(at), reply.decimal(at + 1)));
			}
			found.add(new JobView(shard, state, reply.id(position), reply.number(position + 1),
					(int) reply.number(position + 2), reply.count(position + 3),
					reply.isNull(position + 4) ? null : reply.text(position + 4), reply.number(position + 5),
					payloads));
			position += 7 + 2 * count;
		}
	}

}
