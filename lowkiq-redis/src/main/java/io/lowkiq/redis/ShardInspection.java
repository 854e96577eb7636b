package io.lowkiq.redis;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.lowkiq.Producers;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.wire.JobEntry;
import io.lowkiq.redis.wire.PackedAttempts;
import io.lowkiq.redis.wire.PageToken;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardCounts.ParkedGroup;
import io.lowkiq.store.inspection.ShardGroup;
import io.lowkiq.store.inspection.ShardGroups;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.IdBytes;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import io.lowkiq.store.job.StoredFollowUp;
import io.lowkiq.store.job.StoredPayload;
import org.jspecify.annotations.Nullable;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The read side of a shard, for people, in steps that Redis does in a few milliseconds
 * each. Throws {@link io.lowkiq.StoreException} when Redis can't be reached. Thread-safe.
 */
public final class ShardInspection {

	private static final int FIRST_PAYLOAD = 9;

	private static final LuaScript COUNTS = LuaScript.load("counts", "count jobs");

	private static final LuaScript FIND = LuaScript.load("find", "look up a job");

	private static final LuaScript LIST = LuaScript.load("list", "list jobs");

	private static final LuaScript LIST_FOLLOW_UPS = LuaScript.load("list-follow-ups", "list follow-ups");

	private static final LuaScript LIST_GROUPS = LuaScript.load("list-groups", "list groups");

	private final ShardScripts scripts;

	ShardInspection(ShardScripts scripts) {
		this.scripts = scripts;
	}

	public ShardCounts counts(Shard shard) {
		return counts(shard, this.scripts.run(COUNTS, shard));
	}

	/** By one call a shard, several at a time where the store can. */
	public List<ShardCounts> counts(List<Shard> shards) {
		List<ShardCounts> counts = new ArrayList<>(shards.size());
		this.scripts.runAll(COUNTS, shards, (reply) -> counts.add(counts(shards.get(counts.size()), reply)));
		return counts;
	}

	/** Reads the counts of queues, and then the living sessions. */
	public List<QueueSnapshot> snapshots(List<QueueLayout> queues, Supplier<Set<String>> sessions) {
		Iterator<ShardCounts> counts = counts(queues.stream().flatMap((queue) -> queue.allShards().stream()).toList())
			.iterator();
		Set<String> living = sessions.get();
		return queues.stream()
			.map((queue) -> new QueueSnapshot(queue, queue.allShards().stream().map((shard) -> counts.next()).toList(),
					living))
			.toList();
	}

	private static ShardCounts counts(Shard shard, Reply reply) {
		long queued = reply.number(0);
		long retry = reply.number(1);
		String session = reply.text(10);
		return new ShardCounts(shard, Math.max(queued - retry, 0), retry, reply.number(2), reply.number(3),
				reply.number(4), reply.number(5), reply.time(6), reply.number(7), reply.number(8), reply.number(9) == 1,
				session.isEmpty() ? null : session, reply.number(11), reply.number(12), reply.number(13),
				reply.number(14), reply.number(15) == 1, reply.number(16), reply.number(17), reply.time(18),
				IntStream.iterate(19, (i) -> i < reply.size(), (i) -> i + 3)
					.mapToObj((i) -> new ParkedGroup(reply.id(i), reply.number(i + 1), reply.time(i + 2)))
					.toList());
	}

	/** Looks a job up. */
	public Optional<JobView> find(Shard shard, JobView.State state, String id, int payloads) {
		Reply reply = this.scripts.run(FIND, shard, argument(state.name()), IdBytes.encode(id), argument(payloads));
		return views(shard, state, reply).stream().findFirst();
	}

	/** Lists jobs, and throws if {@link JobQuery#after()} is no token. */
	public JobPage list(Shard shard, JobQuery query) {
		if (query.list() == JobQuery.JobList.DUE) {
			return new DueJobs(this, shard, counts(shard).now()).page(query);
		}
		PageToken after = PageToken.parse(query.after());
		String prefix = (query.prefix() != null) ? query.prefix() : "";
		Reply reply = this.scripts.run(LIST, shard, argument(query.list().name()), argument(query.descending()),
				IdBytes.encode(wholeCharacters(prefix)), argument(after.number()), IdBytes.encode(after.id()),
				argument(query.limit()), argument(query.payloads()), errorBytes(query));
		List<JobView> jobs = views(shard, state(query.list()), reply.inner(2)).stream()
			.filter((job) -> job.id().startsWith(prefix))
			.toList();
		return new JobPage(jobs, reply.isNull(0) ? null : new PageToken(reply.text(0), reply.id(1)).toString());
	}

	/** Lists all jobs of a list, page by page. */
	public List<JobView> listAll(Shard shard, JobQuery query) {
		JobPage page = list(shard, query);
		List<JobView> all = new ArrayList<>(page.jobs());
		for (String next = page.next(); next != null; next = page.next()) {
			page = list(shard, query.after(next));
			all.addAll(page.jobs());
		}
		return all;
	}

	/** Attempts are read with whole errors only. */
	private static byte[] errorBytes(JobQuery query) {
		return argument((query.errorBytes() < Outcome.MAX_ERROR_BYTES) ? String.valueOf(query.errorBytes()) : "");
	}

	/** UTF-8 can't express the first half of a surrogate pair at the end of a prefix. */
	private static String wholeCharacters(String prefix) {
		int last = prefix.length() - 1;
		return (last >= 0 && Character.isHighSurrogate(prefix.charAt(last))) ? prefix.substring(0, last) : prefix;
	}

	private static JobView.State state(JobQuery.JobList list) {
		return switch (list) {
			case QUEUED, READY, DELAYED, DUE, SCHEDULED, HELD, SUSPECTS, RETRIES -> JobView.State.QUEUED;
			case BUSY -> JobView.State.BUSY;
			case DEAD -> JobView.State.DEAD;
		};
	}

	/**
	 * Lists the follow-ups that wait in a shard, by number. One that can't be read has a
	 * queue without a name.
	 * @param after those with larger numbers are returned; 0 for all
	 */
	public List<StoredFollowUp> followUps(Shard shard, long after, int limit) {
		Reply reply = this.scripts.run(LIST_FOLLOW_UPS, shard, argument(after), argument(limit),
				argument(ShardPayloads.MAX_BYTES));
		List<StoredFollowUp> all = new ArrayList<>();
		for (int i = 0; i < reply.size(); i += 3) {
			all.add(new StoredFollowUp(new Origin(shard, reply.number(i), reply.number(i + 1)),
					followUp(reply.bytes(i + 2))));
		}
		return all;
	}

	/**
	 * Lists the groups that have the most ready jobs, of no more than 1,000 groups of a
	 * shard, and 1,000 jobs that were not given to their groups yet.
	 * @param separator what separates the group of an id from the rest; empty if it isn't
	 * known, so that only jobs that were given to their groups count
	 */
	public ShardGroups groups(List<Shard> shards, String separator, int most) {
		return groups(shards, argument(most), argument(separator));
	}

	/** Looks a group up in shards, as {@link #groups} does. */
	public List<ShardGroup> group(List<Shard> shards, String separator, String name) {
		return groups(shards, argument(1), argument(separator), argument(name)).groups();
	}

	private ShardGroups groups(List<Shard> shards, byte[]... arguments) {
		List<ShardGroup> groups = new ArrayList<>();
		AtomicLong undivided = new AtomicLong();
		Iterator<Shard> answered = shards.iterator();
		this.scripts.runAll(LIST_GROUPS, shards, (reply) -> {
			Shard shard = answered.next();
			undivided.addAndGet(reply.number(0));
			for (int i = 1; i < reply.size(); i += 3) {
				groups.add(new ShardGroup(shard, reply.id(i), reply.number(i + 1), reply.number(i + 2) == 1));
			}
		}, arguments);
		return new ShardGroups(groups, undivided.get());
	}

	private static FollowUp followUp(byte[] bytes) {
		FollowUp followUp = FollowUp.parse(bytes);
		return (followUp != null) ? followUp : new FollowUp("", NewPayload.of("", bytes));
	}

	private static List<JobView> views(Shard shard, JobView.State state, Reply replies) {
		return IntStream.range(0, replies.size()).mapToObj((i) -> view(shard, state, replies.inner(i))).toList();
	}

	private static JobView view(Shard shard, JobView.State state, Reply reply) {
		List<Payload> payloads = new ArrayList<>();
		for (int i = FIRST_PAYLOAD; i < reply.size(); i += 2) {
			payloads.add(StoredPayload.read(reply.bytes(i), reply.decimal(i + 1)));
		}
		return new JobView(shard, state, reply.id(0), reply.time(1), (int) reply.number(2), reply.count(3),
				failure(reply), reply.number(5), payloads, producers(reply), reply.isNull(8) ? 0 : reply.number(8));
	}

	private static @Nullable Failure failure(Reply reply) {
		if (reply.isNull(4)) {
			return null;
		}
		return new Failure(reply.text(4), reply.isNull(7) ? List.of() : PackedAttempts.parse(reply.bytes(7)));
	}

	private static Producers producers(Reply reply) {
		try {
			return reply.isNull(6) ? Producers.NONE : JobEntry.producers(ByteBuffer.wrap(reply.bytes(6)));
		}
		catch (BufferUnderflowException ex) {
			throw reply.unexpected(6);
		}
	}

}
