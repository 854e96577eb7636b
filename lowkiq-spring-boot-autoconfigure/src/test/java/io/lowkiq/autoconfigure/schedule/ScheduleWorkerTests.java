package io.lowkiq.autoconfigure.schedule;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.Producers;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.OutOfMemoryWatch;
import io.lowkiq.engine.perform.Performer;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.StackTraceErrorFormatter;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.perform.ThreadBaseline;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Lease;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** Each time of a schedule gives one job, and the time after it is waited for. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduleWorkerTests {

	private static final Schedule HOURLY = new Schedule("nightly", "0 0 * * * *", ZoneId.of("UTC"));

	private static final Schedule HALF_PAST = new Schedule("nightly", "0 30 * * * *", ZoneId.of("UTC"));

	private Instant now = Instant.parse("2030-01-01T10:00:00Z");

	private Instant performAt = this.now;

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final JacksonPayloadCodec codec = new JacksonPayloadCodec();

	private final RegisteredWorker reports = new RegisteredWorker("reports", Reports.class, String.class,
			RegisteredWorker.Settings.DEFAULTS, Reports::new);

	private final RegisteredWorker schedules = new RegisteredWorker("reports.schedules", ScheduleWorker.class,
			ScheduleTick.class, ScheduleWorker.SETTINGS,
			() -> new ScheduleWorker(this.reports, Set.of("nightly", "broken"), this.context));

	private final ShardedLowkiqClient client = new ShardedLowkiqClient(
			new WorkerRegistry(List.of(this.reports, this.schedules)), this.store.shards(), this.store.queues(),
			this.codec, List.of(), LowkiqObserver.NONE);

	private final ThreadPerformContext context = new ThreadPerformContext(this.client::keeping);

	static class Reports implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			if (schedule.equals("broken")) {
				throw new IllegalStateException("No payload");
			}
			return schedule + " at " + time;
		}

	}

	private Completed perform(String id, int retryCount, ScheduleTick... ticks) {
		List<Payload> payloads = new ArrayList<>();
		for (ScheduleTick tick : ticks) {
			payloads.add(new Payload(this.codec.encode(tick, ScheduleTick.class), payloads.size()));
		}
		Performer performer = new Performer(this.codec, new StackTraceErrorFormatter(), List.of(), List.of(),
				LowkiqObserver.NONE, this.context, new OutOfMemoryWatch(System::nanoTime, (message) -> {
				}), System::nanoTime, "node", InstantSource.system());
		Lease lease = new Lease(new Shard("reports.schedules", 1, 0), "session", 42);
		long dueFor = Math.max(Duration.between(this.performAt, this.now).toMillis(), 0);
		FetchedJob job = new FetchedJob(id, this.performAt.toEpochMilli(), retryCount, 0, null, payloads, 0, dueFor,
				Producers.NONE);
		return performer
			.perform(
					new Task(new ServedQueue(this.schedules, 1), lease, () -> true, List.of(job), (other) -> false,
							System.nanoTime()),
					new ThreadActivity("thread", InstantSource.system()), ThreadBaseline.capture(List.of()))
			.get(0);
	}

	private List<String> after(ScheduleTick... ticks) {
		Completed completed = perform("nightly", -1, ticks);
		assertThat(completed.outcomes()).containsExactly(new Outcome.Done("nightly"));
		return completed.followUps().stream().map(this::text).toList();
	}

	private String text(FollowUp followUp) {
		byte[] payload = followUp.payload().payload();
		if (followUp.queue().equals("reports")) {
			return "%s with score %s: %s".formatted(followUp.payload().id(), followUp.payload().score(),
					new String(payload, StandardCharsets.UTF_8));
		}
		ScheduleTick tick = (ScheduleTick) this.codec.decode(payload, ScheduleTick.class);
		assertThat(followUp.queue()).isEqualTo("reports.schedules");
		assertThat(followUp.payload().performAt()).isEqualTo(tick.time());
		return "then %s by %s".formatted(tick.instant(), tick.cron());
	}

	private static ScheduleTick tick(Schedule schedule, String time) {
		return schedule.tick(Instant.parse("2030-01-01T" + time + ":00Z"), 0);
	}

	private static ScheduleTick start(Schedule schedule, String first) {
		return schedule.start(Instant.parse("2030-01-01T" + first + ":00Z"));
	}

	private static String job(String time) {
		Instant at = Instant.parse("2030-01-01T" + time + ":00Z");
		return "nightly with score %s: \"nightly at %s\"".formatted((double) at.toEpochMilli(), at);
	}

	private static String then(String time, Schedule schedule) {
		return "then 2030-01-01T%s:00Z by %s".formatted(time, schedule.cron());
	}

	@Test
	void aTimeGivesAJobAndTheTimeAfterItIsWaitedFor() {
		assertThat(after(tick(HOURLY, "10:00"))).containsExactly(job("10:00"), then("11:00", HOURLY));
	}

	@Test
	void ofTimesThatWereMissedTheFirstGivesAJob() {
		this.now = Instant.parse("2030-01-01T13:20:00Z");
		assertThat(after(tick(HOURLY, "10:00"))).containsExactly(job("10:00"), then("14:00", HOURLY));
	}

	@Test
	void aTimeThatWasMissedCountsThoughANodeHasStartedMeanwhile() {
		this.now = Instant.parse("2030-01-01T13:20:00Z");
		assertThat(after(tick(HOURLY, "10:00"), start(HOURLY, "11:00"))).containsExactly(job("10:00"),
				then("14:00", HOURLY));
		assertThat(after(start(HOURLY, "11:00"), tick(HOURLY, "10:00"))).containsExactly(job("10:00"),
				then("14:00", HOURLY));
	}

	@Test
	void aNodeThatStartsChangesNothingAboutTheTimeThatIsWaitedFor() {
		assertThat(after(tick(HOURLY, "11:00"), start(HOURLY, "11:00"))).containsExactly(then("11:00", HOURLY));
	}

	@Test
	void aFirstNodeBeginsWithTheNextTime() {
		assertThat(after(start(HOURLY, "11:00"))).containsExactly(then("11:00", HOURLY));
	}

	@Test
	void aClockThatIsBehindDoublesNothing() {
		this.now = Instant.parse("2030-01-01T09:59:58Z");
		assertThat(after(tick(HOURLY, "10:00"))).containsExactly(job("10:00"), then("11:00", HOURLY));
		assertThat(after(start(HOURLY, "11:00"))).containsExactly(then("11:00", HOURLY));
	}

	@Test
	void twoTimesThatAreWaitedForGiveOneJob() {
		this.now = Instant.parse("2030-01-01T10:59:58Z");
		assertThat(after(tick(HOURLY, "10:00"), tick(HOURLY, "11:00"))).containsExactly(job("10:00"),
				then("11:00", HOURLY));
	}

	/** That is the tick of a resumed schedule, which no other job's outcome enqueues. */
	@Test
	void aTickThatTheNetworkHeldBackUntilItsTimeHadItsJobGivesNone() {
		ScheduleTick waiting = HOURLY.tick(Instant.parse("2030-01-01T11:00:00Z"), this.now.toEpochMilli());
		assertThat(after(waiting, tick(HOURLY, "10:00"))).containsExactly(then("11:00", HOURLY));
	}

	@Test
	void afterTheClockHasGoneBackATimeThatHadItsJobComesAgain() {
		assertThat(after(HOURLY.tick(this.now, Instant.parse("2031-01-01T10:00:00Z").toEpochMilli())))
			.containsExactly(job("10:00"), then("11:00", HOURLY));
	}

	@Test
	void anExpressionThatHoldsNoMoreGivesNoJob() {
		assertThat(after(tick(HOURLY, "10:00"), start(HALF_PAST, "10:30"))).containsExactly(then("10:30", HALF_PAST));
		assertThat(after(tick(HOURLY, "10:00"), tick(HALF_PAST, "10:30"))).containsExactly(then("10:30", HALF_PAST));
	}

	/** Whether its node is of an older version, or the network held it back. */
	@Test
	void anAnnouncementThatComesLateIsThatOfANodeThatStarts() {
		assertThat(after(tick(HALF_PAST, "10:30"), start(HOURLY, "11:00"))).containsExactly(then("11:00", HOURLY));
	}

	@Test
	void aNewExpressionHoldsAtItsFirstTime() {
		this.now = Instant.parse("2030-01-01T10:30:00Z");
		assertThat(after(tick(HOURLY, "11:00"), tick(HALF_PAST, "10:30"))).containsExactly(job("10:30"),
				then("11:30", HALF_PAST));
	}

	@Test
	void aScheduleEndsWithItsLastTime() {
		Schedule once = new Schedule("nightly", "0 0 10 31 2 *", ZoneId.of("UTC"));
		assertThat(after(tick(once, "10:00"))).containsExactly(job("10:00"));
	}

	@Test
	void nothingFollowsAPayloadThatCanNotBeMade() {
		Completed completed = perform("broken", 3, tick(HOURLY, "10:00"));
		assertThat(completed.followUps()).isEmpty();
		assertThat(completed.outcomes()).singleElement()
			.satisfies((outcome) -> assertThat(((Outcome.Retry) outcome).delay())
				.isEqualTo(Duration.ofMinutes(1).toMillis()));
	}

	@Test
	void theFirstTimeAfterAnAnnouncementCountsIfItWasMissed() {
		this.now = Instant.parse("2030-01-01T11:20:00Z");
		assertThat(after(start(HOURLY, "11:00"))).containsExactly(job("11:00"), then("12:00", HOURLY));
	}

	@Test
	void anAnnouncementThatCameAfterItsFirstTimeGivesNoJob() {
		this.performAt = Instant.parse("2030-01-01T11:00:00Z");
		this.now = Instant.parse("2030-01-01T11:00:01Z");
		assertThat(after(start(HOURLY, "11:00"))).containsExactly(then("12:00", HOURLY));
	}

	private ScheduleTick passedOn(ScheduleTick... ticks) {
		Completed completed = perform("other", -1, ticks);
		assertThat(completed.outcomes()).containsExactly(new Outcome.Done("other"));
		FollowUp followUp = completed.followUps().get(0);
		assertThat(completed.followUps()).hasSize(1);
		assertThat(followUp.queue()).isEqualTo("reports.schedules");
		ScheduleTick tick = (ScheduleTick) this.codec.decode(followUp.payload().payload(), ScheduleTick.class);
		this.performAt = Instant.ofEpochMilli(followUp.payload().performAt().longValue());
		return tick;
	}

	@Test
	void aScheduleThatIsNotKnownIsPassedOnWithItsFirstTimeAfterSeconds() {
		ScheduleTick tick = passedOn(start(HOURLY, "11:00"));
		assertThat(tick.instant()).isEqualTo(Instant.parse("2030-01-01T11:00:00Z"));
		assertThat(this.performAt).isEqualTo(tick.instant());
		this.now = Instant.parse("2030-01-01T11:00:00Z");
		tick = passedOn(tick);
		assertThat(this.performAt).isEqualTo(this.now.plusSeconds(5));
		this.now = this.now.plusSeconds(6);
		assertThat(after(tick)).containsExactly(job("11:00"), then("12:00", HOURLY));
	}

	@Test
	void aScheduleThatNoNodeHasEndsAfterADayAndIsLoggedTwice(CapturedOutput output) {
		ScheduleTick tick = tick(HOURLY, "10:00");
		int times = 0;
		for (Instant end = this.now.plus(Duration.ofDays(1)); this.now.isBefore(end); this.now = this.performAt) {
			tick = passedOn(tick);
			times++;
		}
		assertThat(times).isGreaterThan(1_400);
		Completed ended = perform("other", -1, tick);
		assertThat(ended.outcomes()).containsExactly(new Outcome.Done("other"));
		assertThat(ended.followUps()).isEmpty();
		assertThat(output).containsOnlyOnce("is not in this version of the application")
			.containsOnlyOnce("has ended: no node has had it for a day");
	}

}
