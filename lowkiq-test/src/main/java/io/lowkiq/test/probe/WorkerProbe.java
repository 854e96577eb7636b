package io.lowkiq.test.probe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.lowkiq.PerformContext;
import io.lowkiq.QueueWorker;
import io.lowkiq.test.probe.ProbeReport.Deviation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;

/**
 * Performs the payloads of an id against a worker in every way that production may, and
 * compares the end states:
 * <ul>
 * <li>all payloads together, and split into deliveries in every way;</li>
 * <li>each delivery twice, alone and merged with the next one;</li>
 * <li>cut off before and after each call of a repository, by a crash or by an exception,
 * and performed again;</li>
 * <li>by an owner that stands still at a call, loses its lease, and goes on after a newer
 * owner has performed everything.</li>
 * </ul>
 * The same end every time means that the worker is idempotent, doesn't depend on what is
 * merged, and heeds the {@linkplain PerformContext#fencingToken() fencing token}. Used by
 * one thread.
 *
 * @param <P> the type of the payloads
 */
public final class WorkerProbe<P> {

	private static final int DEFAULT_MAX_SCHEDULES = 10_000;

	private final Stage stage = new Stage();

	private final List<Advised> beans = new ArrayList<>();

	private @Nullable Supplier<? extends QueueWorker<P>> workers;

	private @Nullable Supplier<?> state;

	private @Nullable Runnable reset;

	private String id = "";

	private List<P> payloads = List.of();

	private int maxSchedules = DEFAULT_MAX_SCHEDULES;

	private Duration lockPatience = Duration.ofSeconds(2);

	/**
	 * The end of a rehearsal.
	 *
	 * @param state what the state supplier returned; null if the payloads can't be
	 * performed
	 * @param rehearsal what happened
	 */
	private record End<P>(@Nullable Object state, Rehearsal<P> rehearsal) {

		String describe() {
			Throwable failure = this.rehearsal.failure();
			return (failure != null) ? "can't be performed: " + failure : Text.of(this.state);
		}

	}

	/**
	 * Has performs cut off at each call of a repository, or of whatever else the worker
	 * uses to change the world.
	 * @param <R> the type of the repository
	 * @param type its type: an interface, which may be package-private, or a class that
	 * isn't final, such as {@code JdbcTemplate}
	 * @param repository the repository
	 * @return what to give to the worker instead
	 */
	public <R> R cutOffAt(Class<R> type, R repository) {
		return this.stage.watched(type, repository);
	}

	/**
	 * Has performs cut off at each call of a bean of the test's context that is a proxy,
	 * such as a repository of Spring Data or a class with transactions. The bean itself
	 * is watched while the probe runs, so the worker can be a bean, too, with its
	 * transactions: {@code worker(() -> orderWorker)}.
	 * @param bean the bean
	 * @return this probe
	 * @throws IllegalArgumentException if the bean is no proxy of Spring: then pass what
	 * {@link #cutOffAt(Class, Object)} returns to a worker of your own
	 */
	public WorkerProbe<P> cutOffAtBean(Object bean) {
		if (!(bean instanceof Advised advised) || advised.isFrozen()) {
			throw new IllegalArgumentException(
					"%s is no proxy of Spring that can be watched. Give a worker what cutOffAt(type, repository) returns"
						.formatted(bean));
		}
		this.beans.add(advised);
		this.stage.expectBeans();
		return this;
	}

	/**
	 * The context to give to workers that need one.
	 * @return a context that knows the perform of the thread
	 */
	public PerformContext context() {
		return this.stage;
	}

	/**
	 * Sets the worker.
	 * @param factory makes a worker as a starting node does: a new one each time, since
	 * what a worker keeps in memory is lost in a crash
	 * @return this probe
	 */
	public WorkerProbe<P> worker(Supplier<? extends QueueWorker<P>> factory) {
		this.workers = factory;
		return this;
	}

	/**
	 * Sets what is performed.
	 * @param jobId the id of the job
	 * @param sequence its payloads, ascending by score: at least one, better three. They
	 * may have been {@linkplain io.lowkiq.test.QueueJobs#payloads(String, Class)
	 * recorded}
	 * @return this probe
	 */
	public WorkerProbe<P> payloads(String jobId, List<? extends P> sequence) {
		if (sequence.isEmpty()) {
			throw new IllegalArgumentException("There are no payloads of '%s'".formatted(jobId));
		}
		this.id = jobId;
		this.payloads = List.copyOf(sequence);
		return this;
	}

	/**
	 * Sets what is performed.
	 * @param jobId the id of the job
	 * @param sequence its payloads, ascending by score: at least one, better three
	 * @return this probe
	 */
	@SafeVarargs
	@SuppressWarnings("varargs")
	public final WorkerProbe<P> payloads(String jobId, P... sequence) {
		return payloads(jobId, Arrays.asList(sequence));
	}

	/**
	 * Sets what is compared.
	 * @param supplier reads what the worker has changed, as a value: a copy that has
	 * {@code equals}, without times, tokens and random numbers
	 * @return this probe
	 */
	public WorkerProbe<P> state(Supplier<?> supplier) {
		this.state = supplier;
		return this;
	}

	/**
	 * Sets what is done before each schedule.
	 * @param action takes back all that the worker has changed
	 * @return this probe
	 */
	public WorkerProbe<P> reset(Runnable action) {
		this.reset = action;
		return this;
	}

	/**
	 * Limits how many schedules are tried. Of more, an even choice is tried, the same
	 * each time.
	 * @param schedules at least 1; 10,000 by default
	 * @return this probe
	 */
	public WorkerProbe<P> maxSchedules(int schedules) {
		if (schedules < 1) {
			throw new IllegalArgumentException("%s schedules are too few".formatted(schedules));
		}
		this.maxSchedules = schedules;
		return this;
	}

	/**
	 * Sets how long a newer owner is waited for, while the older one stands still in the
	 * middle of a run. If the newer one waits for a lock of the older, such as that of a
	 * row, the older goes on after this time.
	 * @param patience 2 seconds by default
	 * @return this probe
	 */
	public WorkerProbe<P> lockPatience(Duration patience) {
		this.lockPatience = patience;
		return this;
	}

	/**
	 * Tries all schedules, and fails if one leads to another end.
	 * @return the report
	 * @throws AssertionError with the report, if the worker has a fault
	 * @throws IllegalStateException if the probe can't tell: see {@link #run()}
	 */
	public ProbeReport check() {
		ProbeReport report = run();
		if (!report.faults().isEmpty()) {
			throw new AssertionError(report.toString());
		}
		return report;
	}

	/**
	 * Tries all schedules.
	 * @return the report
	 * @throws IllegalStateException if the probe can't tell: a part of it is missing, the
	 * worker fails even undisturbed, changes nothing that the state shows or doesn't call
	 * the watched repositories, or the state is not a value that is the same each time
	 */
	public ProbeReport run() {
		return this.stage.watching(this.beans, this::tryAll);
	}

	private ProbeReport tryAll() {
		Map<Schedule, End<P>> undisturbed = rehearseUndisturbed();
		End<P> expected = undisturbed.values().iterator().next();
		List<Schedule> possible = new ArrayList<>();
		undisturbed.forEach((schedule, end) -> possible.addAll(schedule.disturbed(callsOf(schedule, end))));
		List<Schedule> chosen = choice(possible);
		List<Deviation> deviations = new ArrayList<>();
		undisturbed.forEach((schedule, end) -> {
			if (!Objects.equals(end.state(), expected.state())) {
				deviations.add(deviation(Fault.DEPENDS_ON_MERGING, schedule, end, expected));
			}
		});
		for (Schedule schedule : chosen) {
			End<P> end = rehearse(schedule);
			if (isDeviation(end, undisturbed)) {
				deviations.add(deviation(fault(schedule, end, undisturbed), schedule, end, expected));
			}
		}
		required(this.reset, "reset").run();
		return new ProbeReport(worker(), this.payloads.size(), undisturbed.size() + chosen.size(),
				undisturbed.size() + possible.size(), this.stage.hasRepositories(), deviations);
	}

	/**
	 * Tries one schedule again, for instance with a debugger.
	 * @param schedule the schedule as the report names it
	 * @return what happened, a line for each call
	 * @throws AssertionError if it leads to another end
	 * @throws IllegalArgumentException if it is not a schedule for these payloads
	 */
	public String replay(String schedule) {
		return this.stage.watching(this.beans, () -> tryOne(schedule));
	}

	private String tryOne(String schedule) {
		Schedule parsed = Schedule.parse(schedule);
		parsed.deliveries(this.payloads);
		Map<Schedule, End<P>> undisturbed = rehearseUndisturbed();
		End<P> expected = undisturbed.values().iterator().next();
		End<P> end = rehearse(parsed);
		boolean deviates = (parsed.disturbance() != null) ? isDeviation(end, undisturbed)
				: !Objects.equals(end.state(), expected.state());
		if (deviates) {
			throw new AssertionError("%s, schedule \"%s\": %s%n%s".formatted(worker(), parsed,
					fault(parsed, end, undisturbed), story(end, expected)));
		}
		return String.join("\n", end.rehearsal().trace());
	}

	private Map<Schedule, End<P>> rehearseUndisturbed() {
		if (this.payloads.isEmpty()) {
			throw new IllegalStateException("The probe has no payloads: call payloads(…)");
		}
		Map<Schedule, End<P>> ends = new LinkedHashMap<>();
		Memory memory = (this.workers != null) ? Memory.of(this.workers) : null;
		for (Schedule schedule : Schedule.splits(this.payloads.size())) {
			End<P> end = rehearse(schedule);
			if (ends.isEmpty()) {
				checkReference(schedule, end, memory);
			}
			ends.put(schedule, end);
		}
		return ends;
	}

	private void checkReference(Schedule schedule, End<P> end, @Nullable Memory memory) {
		Throwable failure = end.rehearsal().failure();
		if (failure != null) {
			throw new IllegalStateException("%s can't perform the payloads even if nothing happens:%n%s"
				.formatted(worker(), String.join("\n", end.rehearsal().trace())), failure);
		}
		if (this.stage.hasRepositories() && end.rehearsal().calls().stream().allMatch((calls) -> calls == 0)) {
			throw new IllegalStateException((this.stage.hasCallsElsewhere()
					? "%s makes its calls on another thread, where the probe can't cut them off: a run must have ended its work when it returns"
					: "%s makes no call that could be cut off: pass it the object that cutOffAt(…) returns")
				.formatted(worker()));
		}
		String text = String.valueOf(end.state());
		required(this.reset, "reset").run();
		if (!text.equals(String.valueOf(end.state()))) {
			throw new IllegalStateException(
					"The state changed after it was read: let the supplier return a copy, as in List.copyOf(…)");
		}
		if (Objects.equals(end.state(), required(this.state, "state").get())) {
			throw new IllegalStateException(
					"The state is the same before and after the payloads are performed: %s".formatted(text));
		}
		Object again = rehearse(schedule).state();
		if (!Objects.equals(end.state(), again)) {
			String remembered = (memory != null) ? memory.advice() : null;
			throw new IllegalStateException("The same schedule leads to different states: %s and %s. %s"
				.formatted(text, again, Objects.requireNonNullElse(remembered,
						"Omit times and random numbers, return a value that has equals, and let reset(…) restore the initial state")));
		}
	}

	private List<Integer> callsOf(Schedule schedule, End<P> end) {
		List<Integer> calls = end.rehearsal().calls();
		// One that fails even undisturbed has made other calls than its deliveries
		return (calls.size() == schedule.sizes().size()) ? calls : schedule.sizes().stream().map((size) -> 0).toList();
	}

	private List<Schedule> choice(List<Schedule> possible) {
		if (possible.size() <= this.maxSchedules) {
			return possible;
		}
		List<Schedule> chosen = new ArrayList<>(this.maxSchedules);
		for (int i = 0; i < this.maxSchedules; i++) {
			chosen.add(possible.get((int) ((long) i * possible.size() / this.maxSchedules)));
		}
		return chosen;
	}

	private End<P> rehearse(Schedule schedule) {
		return rehearse(schedule, false);
	}

	private End<P> rehearse(Schedule schedule, boolean forgetful) {
		required(this.reset, "reset").run();
		Rehearsal<P> rehearsal = new Rehearsal<>(this.stage, required(this.workers, "worker"), this.id, schedule,
				this.payloads, this.lockPatience, forgetful);
		rehearsal.run();
		Object end = (rehearsal.failure() == null) ? required(this.state, "state").get() : null;
		return new End<>(end, rehearsal);
	}

	/** Any end that comes about undisturbed will do: merging is judged by itself. */
	private boolean isDeviation(End<P> end, Map<Schedule, End<P>> undisturbed) {
		if (!end.rehearsal().isDisturbed()) {
			return false;
		}
		return end.rehearsal().failure() != null || undisturbed.values()
			.stream()
			.noneMatch((other) -> other.rehearsal().failure() == null && Objects.equals(other.state(), end.state()));
	}

	private Fault fault(Schedule schedule, End<P> end, Map<Schedule, End<P>> undisturbed) {
		Disturbance disturbance = schedule.disturbance();
		if (disturbance == null) {
			return Fault.DEPENDS_ON_MERGING;
		}
		return switch (disturbance.kind()) {
			case TWICE, CRASH -> Fault.NOT_IDEMPOTENT;
			case ERROR -> faultOfError(schedule, end, undisturbed);
			case LATE -> Fault.IGNORES_TOKEN;
		};
	}

	private Fault faultOfError(Schedule schedule, End<P> end, Map<Schedule, End<P>> undisturbed) {
		if (end.rehearsal().isHidden()) {
			return Fault.HIDES_FAILURES;
		}
		boolean early = end.rehearsal().isSpared() && !isDeviation(rehearse(schedule, true), undisturbed);
		return early ? Fault.COMPLETES_TOO_EARLY : Fault.NOT_IDEMPOTENT;
	}

	private Deviation deviation(Fault fault, Schedule schedule, End<P> end, End<P> expected) {
		return new Deviation(fault, schedule.toString(), story(end, expected));
	}

	private String story(End<P> end, End<P> expected) {
		return "%s%n  end:      %s%n  expected: %s".formatted(String.join("\n", end.rehearsal().trace()),
				end.describe(), expected.describe());
	}

	private String worker() {
		return AopProxyUtils.ultimateTargetClass(required(this.workers, "worker").get()).getSimpleName();
	}

	private static <T> T required(@Nullable T part, String name) {
		if (part == null) {
			throw new IllegalStateException("The probe has no %s: call %s(…)".formatted(name, name));
		}
		return part;
	}

}
