package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.lowkiq.InvalidJobException;
import io.lowkiq.redis.ShardScripts.ShardCall;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

/**
 * The read side of a shard, in steps that Redis does in a few milliseconds each.
 */
final class RedisShardInspection implements ShardInspection {

	private static final int MAX_LIMIT = 1_000;

	private final LuaScript counts = LuaScript.load("counts");

	private final ShardScripts scripts;

	private final JobViews views;

	RedisShardInspection(ShardScripts scripts) {
		this.scripts = scripts;
		this.views = new JobViews(scripts);
	}

	@Override
	public ShardCounts counts(Shard shard) {
		return counts(shard, this.scripts.run(this.counts, shard));
	}

	@Override
	public List<ShardCounts> counts(List<Shard> shards) {
		List<ShardCounts> counts = new ArrayList<>(shards.size());
		this.scripts.runAll(this.counts, () -> shards.stream().map((shard) -> new ShardCall(shard)).iterator(),
				(reply) -> counts.add(counts(shards.get(counts.size()), reply)));
		return counts;
	}

	private static ShardCounts counts(Shard shard, Reply reply) {
		long queued = reply.number(0);
		long retry = reply.number(1);
		String session = reply.text(8);
		return new ShardCounts(shard, Math.max(queued - retry, 0), retry, reply.number(2), reply.number(3),
				reply.time(4), reply.number(5), reply.number(6), reply.number(7) == 1,
				session.isEmpty() ? null : session, reply.number(9), reply.number(10), reply.number(11));
	}

	@Override
	public Optional<JobView> find(Shard shard, JobView.State state, String id, int payloads) {
		return this.views.of(shard, state, List.of(IdBytes.encode(id)), payloads).stream().findFirst();
	}

	@Override
	public JobPage list(Shard shard, JobQuery query) {
		check(query);
		List<JobPlace> places = source(shard, query).first(query.limit() + 1);
		boolean more = places.size() > query.limit();
		List<JobPlace> page = more ? places.subList(0, query.limit()) : places;
		List<JobView> jobs = this.views.of(shard, query.state(), page.stream().map(JobPlace::id).toList(),
				query.payloads());
		return new JobPage(jobs, more ? PageToken.of(page.get(page.size() - 1)) : null);
	}

	private PlaceSource source(Shard shard, JobQuery query) {
		JobPlace after = PageToken.parse(query.after());
		return switch (query.order()) {
			case ID -> byId(shard, query, after);
			case RETRY_COUNT ->
				new QueuePlaces(this.scripts, shard, query.descending()).byRetryCount(number(query.from()), after);
			case PERFORM_AT -> byPerformAt(shard, query, number(query.from()), after);
		};
	}

	private PlaceSource byPerformAt(Shard shard, JobQuery query, @Nullable Long from, @Nullable JobPlace after) {
		boolean descending = query.descending();
		return switch (query.state()) {
			case QUEUED -> new QueuePlaces(this.scripts, shard, descending).byPerformAt(from, after);
			case DEAD -> new SetPlaces(this.scripts, shard, "burials", descending, from, after);
			case BUSY -> new BusyPlaces(this.views,
					new IdPlaces(this.scripts, shard, JobView.State.BUSY, false, new byte[0], null, null), shard,
					descending, from, after);
		};
	}

	private PlaceSource byId(Shard shard, JobQuery query, @Nullable JobPlace after) {
		String from = query.from();
		String prefix = query.prefix();
		return new IdPlaces(this.scripts, shard, query.state(), query.descending(),
				IdBytes.encode((prefix != null) ? prefix : ""), (from != null) ? IdBytes.encode(from) : null,
				(after != null) ? after.id() : null);
	}

	private static void check(JobQuery query) {
		if (query.limit() < 1 || query.limit() > MAX_LIMIT) {
			throw new InvalidJobException(
					"The limit of a page is %d; it must lie between 1 and %d".formatted(query.limit(), MAX_LIMIT));
		}
		if (query.payloads() < 0 || query.payloads() > MAX_LIMIT) {
			throw new InvalidJobException("The payloads of a page are %d a job; they must lie between 0 and %d"
				.formatted(query.payloads(), MAX_LIMIT));
		}
		if (query.prefix() != null && query.order() != JobQuery.Order.ID) {
			throw new InvalidJobException("A prefix goes with the order by id only, not " + query.order());
		}
		if (query.order() == JobQuery.Order.RETRY_COUNT && query.state() != JobView.State.QUEUED) {
			throw new InvalidJobException("Only queued jobs have an order by retryCount, not " + query.state());
		}
	}

	private static @Nullable Long number(@Nullable String text) {
		if (text == null) {
			return null;
		}
		try {
			return Long.valueOf(text);
		}
		catch (NumberFormatException ex) {
			throw new InvalidJobException("Not a number: '%s'".formatted(text));
		}
	}

}
