package io.lowkiq.dashboard.api;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.admin.store.SelectionWalk;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.jobs.Deadline;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.dashboard.jobs.JobLines;
import io.lowkiq.dashboard.jobs.JobViews;
import io.lowkiq.dashboard.jobs.PageToken;
import io.lowkiq.dashboard.jobs.PayloadText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Answers the API's questions about all jobs of a selection, for a limited time each. */
final class SelectionApi {

	/** The number of jobs read at a time to be counted. */
	private static final int COUNTED = 1_000;

	/** The same with their errors. */
	private static final int COUNTED_WITH_ERRORS = 200;

	private static final int MAX_EXPORTED = 1_000;

	/** The number of jobs read at a time to be exported. */
	private static final int EXPORTED = 50;

	private static final int EXPORTED_PAYLOADS = 20;

	private static final int EXPORTED_CHARACTERS = 65_536;

	/** A page of an export ends when it has so many bytes. */
	private static final int ENOUGH_BYTES = 4 * 1024 * 1024;

	private final RedisStore store;

	private final PayloadText.Renderer renderer;

	private final JobViews views;

	private final InstantSource clock;

	private final JsonMapper mapper;

	SelectionApi(RedisStore store, ClusterReader reader, PayloadText.Renderer renderer, InstantSource clock,
			JsonMapper mapper) {
		this.store = store;
		this.renderer = renderer;
		this.views = new JobViews(renderer, reader, clock);
		this.clock = clock;
		this.mapper = mapper;
	}

	JobDocuments.Count count(QueueLayout queue, ApiRequest request) {
		JobSelection selection = Selections.of(queue, request);
		Deadline deadline = Deadline.in(Deadline.REQUEST, this.clock);
		List<ShardCounts> counts = counts(queue, selection);
		long now = counts.stream().mapToLong(ShardCounts::now).max().orElseThrow();
		String after = request.parameter("after");
		if (after == null && selection.isWholeList() && isCounted(selection)) {
			return new JobDocuments.Count(now, counts.stream().mapToLong(selection::most).sum(), true, null);
		}
		SelectionWalk walk = new SelectionWalk(this.store.inspection(), shards(counts, selection), selection, false, 0,
				0);
		int limit = selection.isFiltered() ? COUNTED_WITH_ERRORS : COUNTED;
		long count = 0;
		SelectionWalk.@Nullable Place place = (after != null) ? PageToken.decode(after).single() : walk.start();
		// Every request makes some progress
		do {
			SelectionWalk.Step step = walk.step(place, limit);
			count += step.jobs().size();
			place = step.next();
		}
		while (place != null && !deadline.isOver());
		return new JobDocuments.Count(now, count, place == null, (place != null) ? PageToken.of(place).encode() : null);
	}

	/** Whether the store knows the length of the list without reading it. */
	private static boolean isCounted(JobSelection selection) {
		return switch (selection.list()) {
			case QUEUED, SCHEDULED, HELD, RETRIES, BUSY, DEAD -> true;
			case READY, DELAYED, DUE, SUSPECTS -> false;
		};
	}

	JobLines export(QueueLayout queue, ApiRequest request) {
		JobSelection selection = Selections.of(queue, request);
		int limit = request.number("limit", MAX_EXPORTED, 1, MAX_EXPORTED);
		Deadline deadline = Deadline.in(Deadline.REQUEST, this.clock);
		SelectionWalk walk = new SelectionWalk(this.store.inspection(), shards(counts(queue, selection), selection),
				selection, false, this.renderer.read(EXPORTED_PAYLOADS), Outcome.MAX_ERROR_BYTES);
		String after = request.parameter("after");
		SelectionWalk.@Nullable Place place = (after != null) ? PageToken.decode(after).single() : walk.start();
		int size = Math.min(limit, EXPORTED);
		int count = 0;
		ByteArrayOutputStream lines = new ByteArrayOutputStream();
		do {
			SelectionWalk.Step step = walk.step(place, size);
			step.jobs().forEach((job) -> lines.writeBytes(line(job)));
			count += step.jobs().size();
			place = step.next();
		}
		while (place != null && count + size <= limit && lines.size() < ENOUGH_BYTES && !deadline.isOver());
		return new JobLines(lines.toByteArray(), (place != null) ? PageToken.of(place).encode() : null);
	}

	private byte[] line(JobView job) {
		String document = this.mapper.writeValueAsString(this.views.job(job, EXPORTED_CHARACTERS, null));
		return (document + '\n').getBytes(StandardCharsets.UTF_8);
	}

	private List<ShardCounts> counts(QueueLayout queue, JobSelection selection) {
		Integer shard = selection.shard();
		return this.store.inspection().counts((shard != null) ? List.of(queue.shard(shard)) : queue.allShards());
	}

	private static List<Shard> shards(List<ShardCounts> counts, JobSelection selection) {
		return counts.stream().filter((shard) -> selection.most(shard) > 0).map(ShardCounts::shard).toList();
	}

}
