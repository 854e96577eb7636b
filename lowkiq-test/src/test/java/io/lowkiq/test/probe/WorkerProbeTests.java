package io.lowkiq.test.probe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.lowkiq.PerformContext;
import io.lowkiq.QueueWorker;
import io.lowkiq.Worker;
import io.lowkiq.test.probe.Accounts.Change;
import io.lowkiq.test.probe.ProbeReport.Deviation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class WorkerProbeTests {

	private final AccountTable table = new AccountTable();

	private final WorkerProbe<Change> probe = new WorkerProbe<>();

	private final Accounts accounts = this.probe.cutOffAt(Accounts.class, this.table);

	private final PerformContext context = this.probe.context();

	WorkerProbeTests() {
		this.probe.payloads("42", new Change(1, 10), new Change(2, 20), new Change(3, 30))
			.state(this.table::state)
			.reset(this.table::clear);
	}

	@ParameterizedTest
	@EnumSource
	void findsTheFaultOfEveryFaultyWorker(FaultyWorkers faulty) {
		this.probe.worker(() -> faulty.create(this.accounts, this.context));
		ProbeReport report = this.probe.run();
		assertThat(report.faults()).as("%s", report).contains(faulty.fault);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.probe::check)
			.withMessageContaining(faulty.fault.name());
	}

	@ParameterizedTest
	@EnumSource
	void findsNothingInRightWorkers(RightWorkers right) {
		this.probe.worker(() -> right.create(this.accounts, this.context));
		ProbeReport report = this.probe.check();
		assertThat(report.faults()).isEmpty();
		assertThat(report.schedules()).isGreaterThan(50);
	}

	@ParameterizedTest
	@EnumSource
	void everyDeviationCanBeReplayed(FaultyWorkers faulty) {
		this.probe.worker(() -> faulty.create(this.accounts, this.context));
		List<Deviation> deviations = this.probe.run().deviations();
		assertThat(deviations).isNotEmpty().allSatisfy((deviation) -> {
			assertThat(Schedule.parse(deviation.schedule())).hasToString(deviation.schedule());
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> this.probe.replay(deviation.schedule()))
				.withMessageContaining(deviation.schedule())
				.withMessageContaining(deviation.story());
		});
	}

	@Test
	void replayOfAScheduleWithTheRightEndSaysWhatHappened() {
		this.probe.worker(() -> RightWorkers.COMPARES_VERSION.create(this.accounts, this.context));
		assertThat(this.probe.replay("1+2 crash 1 after call 1")).isEqualToNormalizingNewlines("""
				  perform under token 1: [Change[version=1, amount=10]]
				    writeIfNewer(42, Change[version=1, amount=10]) = true
				    (the process dies after this call)
				  threw io.lowkiq.test.probe.CutOffError: WorkerProbe: the process has died at this call
				  (another node takes over)
				  perform under token 2: [Change[version=1, amount=10]]
				    writeIfNewer(42, Change[version=1, amount=10]) = false
				  returned
				  perform under token 2: [Change[version=2, amount=20], Change[version=3, amount=30]]
				    writeIfNewer(42, Change[version=3, amount=30]) = true
				  returned\
				""");
	}

	@Test
	void reportNamesTheScheduleAndBothEnds() {
		this.probe.worker(() -> FaultyWorkers.ADDS_AMOUNTS.create(this.accounts, this.context));
		assertThat(this.probe.run().toString()).contains("idempotent: NO", "independent of merging: yes",
				"NOT_IDEMPOTENT is shown by schedule \"3 twice 1\":", "end:      [{}, {42=120}, [], []]",
				"expected: [{}, {42=60}, [], []]", "probe.replay(\"3 twice 1\")");
	}

	@Test
	void payloadsAreSplitInEveryWay() {
		assertThat(Schedule.splits(3)).hasToString("[3, 1+2, 2+1, 1+1+1]");
		assertThat(Schedule.splits(6)).hasSize(32).doesNotHaveDuplicates();
		assertThat(Schedule.splits(40)).hasSize(32)
			.doesNotHaveDuplicates()
			.allSatisfy((split) -> assertThat(split.sizes().stream().mapToInt(Integer::intValue).sum()).isEqualTo(40));
	}

	@Test
	void withoutARepositoryNothingIsCutOff() {
		WorkerProbe<Change> blind = new WorkerProbe<Change>().payloads("42", new Change(1, 10), new Change(2, 20))
			.worker(() -> FaultyWorkers.WRITES_WITHOUT_VERSION.create(this.table, this.context))
			.state(this.table::state)
			.reset(this.table::clear);
		assertThat(blind.check().toString()).contains("respects the fencing token: not tried");
	}

	@Test
	void newerOwnerMayWaitForALockOfTheOlder() {
		ReentrantLock lock = new ReentrantLock();
		QueueWorker<Change> locking = worker((id, changes) -> {
			lock.lock();
			try {
				long version = this.accounts.version(id).orElse(-1);
				if (version < changes.get(0).version()) {
					this.accounts.write(id, changes.get(0), 0);
				}
			}
			finally {
				lock.unlock();
			}
		});
		this.probe.payloads("42", new Change(1, 10)).lockPatience(Duration.ofMillis(20)).worker(() -> locking);
		assertThat(this.probe.check().faults()).isEmpty();
	}

	@Test
	void numberOfSchedulesIsLimited() {
		this.probe.worker(() -> RightWorkers.COMPARES_VERSION.create(this.accounts, this.context)).maxSchedules(7);
		ProbeReport report = this.probe.check();
		assertThat(report.schedules()).isEqualTo(4 + 7);
		assertThat(report.toString()).contains("11 of ");
	}

	@Test
	void workerThatAlwaysFailsIsRefused() {
		this.probe.worker(() -> worker((id, changes) -> {
			throw new IllegalStateException("no");
		}));
		assertThatIllegalStateException().isThrownBy(this.probe::run).withMessageContaining("even if nothing happens");
	}

	@Test
	void workerThatMakesNoCallIsRefused() {
		this.probe.worker(() -> worker((id, changes) -> this.table.add(id, 1)));
		assertThatIllegalStateException().isThrownBy(this.probe::run).withMessageContaining("cutOffAt");
	}

	@Test
	void stateThatIsNoCopyIsRefused() {
		List<String> live = new ArrayList<>();
		this.probe.worker(() -> worker((id, changes) -> {
			this.accounts.add(id, 1);
			live.add(id);
		})).state(() -> live).reset(live::clear);
		assertThatIllegalStateException().isThrownBy(this.probe::run).withMessageContaining("copy");
	}

	@Test
	void stateThatShowsNothingIsRefused() {
		this.probe.worker(() -> worker((id, changes) -> this.accounts.version(id)));
		assertThatIllegalStateException().isThrownBy(this.probe::run).withMessageContaining("before and after");
	}

	@Test
	void stateThatIsDifferentEachTimeIsRefused() {
		AtomicInteger time = new AtomicInteger();
		this.probe.worker(() -> worker((id, changes) -> this.accounts.add(id, time.incrementAndGet())));
		assertThatIllegalStateException().isThrownBy(this.probe::run).withMessageContaining("different states");
	}

	/** Remembers in a static field; cleared by the tests. */
	static final class ForgetsNothing implements Worker<Change> {

		private static final Set<Long> seen = new HashSet<>();

		private final Accounts accounts;

		ForgetsNothing(Accounts accounts) {
			this.accounts = accounts;
		}

		@Override
		public void perform(String id, List<Change> changes) {
			changes.stream()
				.filter((change) -> seen.add(change.version()))
				.forEach((change) -> this.accounts.add(id, change.amount()));
		}

	}

	@Test
	void stateInAStaticFieldIsNamed() {
		ForgetsNothing.seen.clear();
		this.probe.worker(() -> new ForgetsNothing(this.accounts));
		assertThatIllegalStateException().isThrownBy(this.probe::run)
			.withMessageContaining("The static field 'seen' of ForgetsNothing remembers what was performed")
			.withMessageContaining("not static")
			.withMessageNotContaining("random numbers");
	}

	@Test
	void stateInAWorkerThatIsAlwaysTheSameIsNamed() {
		Worker<Change> same = new Worker<>() {

			private final Set<Long> done = new HashSet<>();

			@Override
			public void perform(String id, List<Change> changes) {
				changes.stream()
					.filter((change) -> this.done.add(change.version()))
					.forEach((change) -> WorkerProbeTests.this.accounts.add(id, change.amount()));
			}

		};
		this.probe.worker(() -> same);
		assertThatIllegalStateException().isThrownBy(this.probe::run)
			.withMessageContaining("The field 'done' of")
			.withMessageContaining("Let the factory return a new worker each time");
	}

	@Test
	void incompleteProbeSaysWhatIsMissing() {
		WorkerProbe<Change> empty = new WorkerProbe<>();
		assertThatIllegalStateException().isThrownBy(empty::run).withMessageContaining("payloads");
		empty.payloads("42", new Change(1, 1));
		assertThatIllegalStateException().isThrownBy(empty::run).withMessageContaining("reset(…)");
		assertThatIllegalArgumentException().isThrownBy(() -> this.probe.replay("3 twice"))
			.withMessageContaining("report");
		assertThatIllegalArgumentException().isThrownBy(() -> this.probe.replay("2+2"))
			.withMessageContaining("does not fit 3 payloads");
	}

	private static QueueWorker<Change> worker(Worker<Change> worker) {
		return worker;
	}

}
