package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import io.lowkiq.redis.ShardActions;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

import static io.lowkiq.testing.Outcomes.buried;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the parts of the contract share: an empty storage with a movable clock, and a
 * vocabulary. Given are queued jobs ({@code enqueue}), jobs that failed or are dead, and
 * an owner ({@code owner}, {@code performing}); then come expectations
 * ({@code thenQueued}, {@code thenCounts}). Payloads are texts.
 */
@ExtendWith(StoreSource.Resolver.class)
abstract class StoreContract {

	static final Shard SHARD = new Shard("orders", 1, 0);

	final MovableClock clock = new MovableClock();

	@AutoClose
	TestedStore store;

	/** The session that got the shard last. */
	TestOwner owner;

	@BeforeEach
	void open(StoreSource source) {
		this.store = source.open(this.clock);
		know(SHARD, new Shard("orders", 1, 1), new Shard("mails", 1, 0), new Shard("prints", 1, 0));
		this.owner = new TestOwner(this.store.shards(), SHARD, "s");
	}

	/** Shards that somebody has served or enqueued into before. */
	void know(Shard... shards) {
		Stream.of(shards).forEach((shard) -> actions().pause(shard, false));
	}

	static byte[] bytes(String payload) {
		return payload.getBytes(StandardCharsets.UTF_8);
	}

	static String text(Payload payload) {
		return new String(payload.bytes(), StandardCharsets.UTF_8);
	}

	static List<String> texts(List<Payload> payloads) {
		return payloads.stream().map(StoreContract::text).toList();
	}

	static Payload payload(String text, double score) {
		return new Payload(bytes(text), score);
	}

	/** A job as {@code id=[payload, …]}. */
	static String text(FetchedJob job) {
		return job.id() + "=" + texts(job.payloads());
	}

	static List<String> jobTexts(FetchResult.Fetched fetched) {
		return fetched.jobs().stream().map(StoreContract::text).toList();
	}

	static List<String> ids(FetchResult.Fetched fetched) {
		return fetched.jobs().stream().map(FetchedJob::id).toList();
	}

	long now() {
		return this.clock.millis();
	}

	EnqueueResult enqueue(NewPayload... payloads) {
		return this.store.shards().enqueue(SHARD, List.of(payloads));
	}

	EnqueueResult enqueue(String id, String payload) {
		return enqueue(NewPayload.of(id, bytes(payload)));
	}

	/** Enqueues several payloads of one id, one after the other. */
	void enqueue(String id, String... payloads) {
		for (String payload : payloads) {
			enqueue(id, payload);
		}
	}

	/** Enqueues jobs whose payloads don't matter, one after the other. */
	void enqueueEach(String... ids) {
		for (String id : ids) {
			enqueue(id, "p");
		}
	}

	EnqueueResult enqueue(String id, String payload, double score) {
		return enqueue(NewPayload.of(id, bytes(payload)).withScore(score));
	}

	EnqueueResult enqueueIn(long millis, String id, String payload) {
		return enqueue(NewPayload.of(id, bytes(payload)).withPerformAt(now() + millis));
	}

	Acquisition acquire(LeaseRequest request) {
		return this.store.shards().acquire(SHARD, request).join();
	}

	/** A session that got the free shard. */
	TestOwner owner(String session) {
		return owner(session, LeaseRequest.forFreeShard(session));
	}

	TestOwner owner(String session, LeaseRequest request) {
		this.owner = new TestOwner(this.store.shards(), SHARD, session);
		assertThat(this.owner.acquire(request)).isInstanceOf(Acquisition.Acquired.class);
		return this.owner;
	}

	/**
	 * A job that the owner of the shard performs; nothing else is due.
	 * @return the owner: {@code s}, if the shard was free
	 */
	TestOwner performing(String id, String... payloads) {
		own();
		enqueue(id, payloads);
		then(this.owner.fetch(1)).ids(id);
		return this.owner;
	}

	/**
	 * Jobs that the owner of the shard performs; their payloads don't matter.
	 * @return the owner: {@code s}, if the shard was free
	 */
	TestOwner performingEach(String... ids) {
		own();
		enqueueEach(ids);
		then(this.owner.fetch(ids.length)).ids(ids);
		return this.owner;
	}

	void own() {
		if (counts().session() == null) {
			owner("s");
		}
	}

	static Outcome done(String id) {
		return new Outcome.Done(id);
	}

	static Outcome returned(String id) {
		return new Outcome.Returned(id);
	}

	static Outcome retry(String id, long delay, String error) {
		return new Outcome.Retry(id, delay, error);
	}

	static Outcome retryAsSuspect(String id, long delay, String error) {
		return new Outcome.Retry(id, delay, error, true);
	}

	/** Some payloads of a job are done; the outcome of the others comes next. */
	static Outcome partlyDone(String id, Integer... payloads) {
		return new Outcome.PartlyDone(id, List.of(payloads), List.of(), "", false);
	}

	/** The retries of a job are used up, and some of its payloads are buried. */
	static Outcome exhausted(String id, Integer... payloads) {
		return new Outcome.PartlyDone(id, List.of(), List.of(payloads), "fatal", true);
	}

	ShardActions actions() {
		return this.store.actions();
	}

	static FetchedAssert then(FetchResult.Fetched answer) {
		return new FetchedAssert(answer);
	}

	static AcquiredAssert then(Acquisition answer) {
		return new AcquiredAssert((Acquisition.Acquired) answer);
	}

	static JobAssert then(FetchedJob job) {
		return JobAssert.of(job);
	}

	static JobAssert then(JobView job) {
		return JobAssert.of(job);
	}

	JobAssert thenQueued(String id) {
		return JobAssert.of(queued(id));
	}

	JobAssert thenBusy(String id) {
		return JobAssert.of(busy(id));
	}

	JobAssert thenDead(String id) {
		return JobAssert.of(dead(id));
	}

	CountsAssert thenCounts() {
		return new CountsAssert(counts());
	}

	/** Milliseconds until an id's queued job is due. */
	long dueIn(String id) {
		return queued(id).performAt() - now();
	}

	/**
	 * A queued job that was busy in so many crashes; it is the only due one.
	 * @param payloads its payloads, if it isn't queued yet
	 */
	TestOwner crash(String id, int crashes, String... payloads) {
		own();
		enqueue(id, payloads);
		for (int i = 1; i <= crashes; i++) {
			then(this.owner.fetchSuspect()).ids(id);
			crashTo("crashing-" + i);
		}
		return this.owner;
	}

	/** The node of the owner dies, and another session takes its shard over. */
	TestOwner crashTo(String session) {
		return owner(session, LeaseRequest.afterCrash(session, this.owner.lease().session()));
	}

	/** The session of the owner lapses, and another one takes its shard over. */
	TestOwner lapseTo(String session) {
		return owner(session, LeaseRequest.afterLapse(session, this.owner.lease().session()));
	}

	ShardCounts counts() {
		return this.store.inspection().counts(SHARD);
	}

	JobView queued(String id) {
		return find(JobView.State.QUEUED, id);
	}

	JobView busy(String id) {
		return find(JobView.State.BUSY, id);
	}

	JobView dead(String id) {
		return find(JobView.State.DEAD, id);
	}

	private JobView find(JobView.State state, String id) {
		return this.store.inspection().find(SHARD, state, id, 1_000).orElseThrow();
	}

	boolean isQueued(String id) {
		return this.store.inspection().find(SHARD, JobView.State.QUEUED, id, 1).isPresent();
	}

	boolean isBusy(String id) {
		return this.store.inspection().find(SHARD, JobView.State.BUSY, id, 1).isPresent();
	}

	boolean isDead(String id) {
		return this.store.inspection().find(SHARD, JobView.State.DEAD, id, 1).isPresent();
	}

	/** The ids of a list. */
	List<String> listed(JobList list) {
		JobPage page = this.store.inspection().list(SHARD, JobQuery.first(list, 1_000));
		return page.jobs().stream().map(JobView::id).toList();
	}

	/** Buries the id's only payload. The shard has an owner, and nothing is due. */
	void bury(String id, String payload) {
		enqueue(id, payload);
		then(this.owner.fetch(1)).ids(id);
		this.owner.complete(buried(id, "fatal"));
	}

	/**
	 * Makes a job that failed once. The shard has an owner, and nothing is due.
	 * @param delay milliseconds until the retry
	 */
	void fail(String id, String payload, long delay) {
		enqueue(id, payload);
		then(this.owner.fetch(1)).ids(id);
		this.owner.complete(retry(id, delay, "failed " + id));
	}

}
