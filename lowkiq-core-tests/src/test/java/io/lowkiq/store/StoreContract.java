package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;
import static io.lowkiq.testing.Outcomes.buried;

/**
 * What the parts of the contract share: an empty storage with a movable clock, and short
 * names for what producers and people do. Payloads are texts.
 */
abstract class StoreContract {

	static final Shard SHARD = new Shard("orders", 1, 0);

	final MovableClock clock = new MovableClock();

	TestedStore store;

	/**
	 * Makes an empty storage.
	 * @param source its clock
	 * @return the storage
	 */
	abstract TestedStore open(InstantSource source);

	@BeforeEach
	void open() {
		this.store = open(this.clock);
	}

	@AfterEach
	void close() {
		this.store.close();
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

	/**
	 * A job as {@code id=[payload, …]}.
	 * @param job the job
	 * @return the text
	 */
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

	EnqueueResult enqueue(String id, String payload, double score) {
		return enqueue(NewPayload.of(id, bytes(payload)).withScore(score));
	}

	EnqueueResult enqueueIn(long millis, String id, String payload) {
		return enqueue(NewPayload.of(id, bytes(payload)).withPerformAt(now() + millis));
	}

	/**
	 * A session that got the free shard.
	 * @param session the session
	 * @return the owner
	 */
	TestOwner owner(String session) {
		return owner(session, LeaseRequest.forFreeShard(session));
	}

	TestOwner owner(String session, LeaseRequest request) {
		TestOwner owner = new TestOwner(this.store.shards(), SHARD, session);
		assertThat(owner.acquire(request)).isInstanceOf(Acquisition.Acquired.class);
		return owner;
	}

	/**
	 * Lets the id's queued job be busy in so many crashes; it is the only due one.
	 * @param id the id
	 * @param crashes the number of crashes
	 * @return the owner after them
	 */
	TestOwner crash(String id, int crashes) {
		TestOwner owner = owner("crashing-0");
		for (int i = 1; i <= crashes; i++) {
			assertThat(ids(owner.fetchSuspect())).containsExactly(id);
			owner = owner("crashing-" + i, LeaseRequest.afterCrash("crashing-" + i, "crashing-" + (i - 1)));
		}
		return owner;
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

	/**
	 * The ids of a list.
	 * @param list the list
	 * @return up to 1,000 ids in the order of the list
	 */
	List<String> listed(JobList list) {
		JobPage page = this.store.inspection().list(SHARD, JobQuery.first(list, 1_000));
		return page.jobs().stream().map(JobView::id).toList();
	}

	/**
	 * Buries the id's only payload.
	 * @param owner the owner of the shard, with nothing due
	 * @param id the id
	 * @param payload the payload
	 */
	void bury(TestOwner owner, String id, String payload) {
		enqueue(id, payload);
		assertThat(ids(owner.fetch(1))).containsExactly(id);
		owner.complete(buried(id, "fatal"));
	}

	/**
	 * Makes a job that failed once.
	 * @param owner the owner of the shard, with nothing due
	 * @param id the id
	 * @param payload the payload
	 * @param delay milliseconds until the retry
	 */
	void fail(TestOwner owner, String id, String payload, long delay) {
		enqueue(id, payload);
		assertThat(ids(owner.fetch(1))).containsExactly(id);
		owner.complete(new Outcome.Retry(id, delay, "failed " + id));
	}

}
