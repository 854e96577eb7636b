package io.lowkiq.dashboard.jobs;

import java.time.Instant;
import java.time.InstantSource;
import java.util.stream.Collectors;

import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.cluster.Deaths;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/** Tests of {@link ErrorGroups}. */
class ErrorGroupsTests {

	private static final String LOCKED = "a.Locked: order %d is locked";

	private static final String REFUSED = "a.Refused: port %d";

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private Instant now = Instant.now();

	private final InstantSource clock = () -> this.now;

	@Test
	void groupsByQueueAndKindTheLargestFirst() {
		queue("orders").buryWith(LOCKED.formatted(1), TestQueue.ids("A", 20))
			.buryWith(LOCKED.formatted(22), TestQueue.ids("B", 10))
			.failWith(LOCKED.formatted(333), TestQueue.ids("C", 5))
			.failWith(REFUSED.formatted(80), TestQueue.ids("D", 3));
		queue("mails").buryWith(LOCKED.formatted(1), "E");
		JobDocuments.Errors errors = groups(ErrorGroups.MAX_READ).recent(null);
		assertThat(errors.complete()).isTrue();
		assertThat(errors.scanned()).isEqualTo(39);
		assertThat(errors.groups())
			.extracting(JobDocuments.ErrorGroup::queue, JobDocuments.ErrorGroup::type, JobDocuments.ErrorGroup::message,
					JobDocuments.ErrorGroup::dead, JobDocuments.ErrorGroup::retrying,
					(group) -> group.example().state())
			.containsExactly(tuple("orders", "a.Locked", "order # is locked", 30L, 5L, "queued"),
					tuple("orders", "a.Refused", "port #", 0L, 3L, "queued"),
					tuple("mails", "a.Locked", "order # is locked", 1L, 0L, "dead"));
		assertThat(errors.groups().get(1).first()).isNull();
		assertThat(errors.groups().get(0).first()).isPositive().isLessThanOrEqualTo(errors.groups().get(0).last());
		assertThat(groups(ErrorGroups.MAX_READ).recent("mails").groups()).hasSize(1);
	}

	@Test
	void readsABoundedNumberOfJobsOfWhichEveryListHasItsShare() {
		queue("large").buryWith(LOCKED.formatted(1), TestQueue.ids("", 3_000));
		queue("small").buryWith(REFUSED.formatted(1), TestQueue.ids("", 30)).failWith(REFUSED.formatted(1), "x");
		JobDocuments.Errors errors = groups(1_000).recent(null);
		assertThat(errors.complete()).isFalse();
		assertThat(errors.scanned()).isEqualTo(1_000);
		assertThat(errors.groups()).extracting(JobDocuments.ErrorGroup::size).containsExactly(969L, 31L);
	}

	/** Each look at the clock takes 300 ms, so a slice is a few steps. */
	@Test
	void countingGoesOnUntilAllIsCounted() {
		queue("large").buryWith(LOCKED.formatted(1), TestQueue.ids("", 8_000));
		queue("small").buryWith(REFUSED.formatted(1), TestQueue.ids("", 4));
		ErrorGroups groups = new ErrorGroups(this.store.inspection(), new ClusterReader(this.store, this.clock), () -> {
			this.now = this.now.plusMillis(300);
			return this.now;
		}, Runnable::run, ErrorGroups.MAX_READ);
		JobDocuments.Errors first = groups.recent(null);
		assertThat(first.counting()).isTrue();
		assertThat(first.complete()).isFalse();
		assertThat(first.total()).isEqualTo(8_004);
		assertThat(first.scanned()).isBetween(5, 8_000);
		assertThat(first.groups()).extracting(JobDocuments.ErrorGroup::queue, JobDocuments.ErrorGroup::complete)
			.containsExactly(tuple("large", false), tuple("small", true));
		assertThat(first.groups().get(1).dead()).isEqualTo(4);
		int slices = 1;
		JobDocuments.Errors last = first;
		while (last.counting()) {
			this.now = this.now.plusSeconds(1);
			JobDocuments.Errors next = groups.recent(null);
			assertThat(next.scanned()).isGreaterThan(last.scanned());
			last = next;
			slices++;
		}
		assertThat(slices).isGreaterThan(2);
		assertThat(last.complete()).isTrue();
		assertThat(last.scanned()).isEqualTo(8_004);
		assertThat(last.groups()).extracting(JobDocuments.ErrorGroup::dead, JobDocuments.ErrorGroup::complete)
			.containsExactly(tuple(8_000L, true), tuple(4L, true));
	}

	@Test
	void tellsWhatMostDeadJobsOfAQueueHaveDiedOf() {
		queue("orders").buryWith(LOCKED.formatted(1), TestQueue.ids("A", 20))
			.buryWith(REFUSED.formatted(22), TestQueue.ids("B", 10))
			.failWith(REFUSED.formatted(22), TestQueue.ids("C", 40));
		Deaths deaths = groups(ErrorGroups.MAX_READ).deaths("orders");
		assertThat(deaths).isNotNull();
		assertThat(deaths.error()).isEqualTo("order # is locked");
		assertThat(deaths.of()).isEqualTo(20);
		assertThat(deaths.complete()).isTrue();
		assertThat(deaths.first()).isPositive().isLessThanOrEqualTo(deaths.last());
		assertThat(groups(ErrorGroups.MAX_READ).deaths("mails")).isNull();
	}

	@Test
	void keepsABoundedNumberOfGroups() {
		TestQueue queue = queue("orders");
		for (int i = 0; i < ErrorGroups.MAX_KEPT + 10; i++) {
			String letters = Integer.toString(i, 9)
				.chars()
				.mapToObj((digit) -> "" + (char) (digit + 'a' - '0'))
				.collect(Collectors.joining());
			this.store.actions()
				.bury(queue.layout().shardOf("" + i), "" + i, new byte[] { 1 }, 0, "a.B: kind " + letters + "!");
		}
		JobDocuments.Errors errors = groups(ErrorGroups.MAX_READ).recent(null);
		assertThat(errors.complete()).isFalse();
		assertThat(errors.groups()).hasSize(ErrorGroups.MAX_SHOWN);
	}

	@Test
	void aReadingIsAnsweredForTenSeconds() {
		TestQueue queue = queue("orders").buryWith(LOCKED.formatted(1), "1");
		ErrorGroups groups = groups(ErrorGroups.MAX_READ);
		assertThat(groups.recent(null).scanned()).isEqualTo(1);
		queue.buryWith(LOCKED.formatted(1), "2");
		this.now = this.now.plusSeconds(9);
		assertThat(groups.recent(null).scanned()).isEqualTo(1);
		this.now = this.now.plusSeconds(2);
		assertThat(groups.recent(null).scanned()).isEqualTo(2);
		queue.buryWith(LOCKED.formatted(1), "3");
		this.now = this.now.plusSeconds(2);
		groups.forget();
		assertThat(groups.recent(null).scanned()).isEqualTo(3);
	}

	@Test
	void countsAreOfAMomentAndNoDeathIsLater() {
		TestQueue queue = new TestQueue(this.store, "orders", 1).buryWith(LOCKED.formatted(1), "0");
		ClusterReader reader = new ClusterReader(this.store, this.clock);
		long before = reader.recent().now();
		queue.buryWith(LOCKED.formatted(1), "1");
		ErrorGroups groups = new ErrorGroups(this.store.inspection(), reader, this.clock, Runnable::run,
				ErrorGroups.MAX_READ);
		JobDocuments.Errors first = groups.recent(null);
		assertThat(first.asOf()).isBetween(Math.max(before, latest(first)), first.now());
		this.now = this.now.plusSeconds(9);
		JobDocuments.Errors later = groups.recent(null);
		assertThat(later.asOf()).isEqualTo(first.asOf());
		assertThat(later.now() - later.asOf()).isBetween(1L, 9_000L);
	}

	private static long latest(JobDocuments.Errors errors) {
		return errors.groups().stream().map(JobDocuments.ErrorGroup::last).max(Long::compare).orElseThrow();
	}

	private ErrorGroups groups(int mostRead) {
		return new ErrorGroups(this.store.inspection(), new ClusterReader(this.store, this.clock), this.clock,
				Runnable::run, mostRead);
	}

	private TestQueue queue(String name) {
		return new TestQueue(this.store, name, 3);
	}

}
