package io.lowkiq.admin;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.PayloadCodec;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.admin.AdminEvent.Result;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.Forgotten;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Part;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoredFollowUp;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the actions of operators in a store. */
public final class StoreAdmin implements LowkiqAdmin {

	private static final Logger logger = LoggerFactory.getLogger(StoreAdmin.class);

	private static final int MAX_PAYLOADS = 1_000;

	private static final int MAX_UNSENT = 1_000;

	/** The maximum number of follow-ups to count. */
	private static final int MAX_FOLLOW_UPS = 1_000;

	private final RedisStore store;

	private final PayloadCodec codec;

	private final Users users;

	private final Consumer<AdminEvent> events;

	private final Supplier<Outbox> outbox;

	private final Supplier<@Nullable SourceControl> sources;

	private final Supplier<@Nullable ScheduleControl> schedules;

	private final WaitingFollowUps followUps;

	/**
	 * An admin of an application without sources and schedules.
	 * @param store where the jobs are
	 * @param codec reads payloads
	 * @param users says who calls
	 * @param events gets an event for every changing call, on the calling thread
	 * @param outbox finds the outbox of the application, or {@link Outbox#NONE}
	 * @param clock the clock by which what was read grows old
	 */
	public StoreAdmin(RedisStore store, PayloadCodec codec, Users users, Consumer<AdminEvent> events,
			Supplier<Outbox> outbox, InstantSource clock) {
		this(store, codec, users, events, outbox, () -> null, () -> null, clock);
	}

	/**
	 * An admin.
	 * @param store where the jobs are
	 * @param codec reads payloads
	 * @param users says who calls
	 * @param events gets an event for every changing call, on the calling thread
	 * @param outbox finds the outbox of the application, or {@link Outbox#NONE}
	 * @param sources finds what controls the sources of the application; null if there is
	 * none
	 * @param schedules finds what controls schedules; null if there is nothing
	 * @param clock the clock by which what was read grows old
	 */
	public StoreAdmin(RedisStore store, PayloadCodec codec, Users users, Consumer<AdminEvent> events,
			Supplier<Outbox> outbox, Supplier<@Nullable SourceControl> sources,
			Supplier<@Nullable ScheduleControl> schedules, InstantSource clock) {
		this(store, codec, users, events, outbox, sources, schedules, new WaitingFollowUps(store, clock));
	}

	private StoreAdmin(RedisStore store, PayloadCodec codec, Users users, Consumer<AdminEvent> events,
			Supplier<Outbox> outbox, Supplier<@Nullable SourceControl> sources,
			Supplier<@Nullable ScheduleControl> schedules, WaitingFollowUps followUps) {
		this.store = store;
		this.codec = codec;
		this.users = users;
		this.events = events;
		this.outbox = outbox;
		this.sources = sources;
		this.schedules = schedules;
		this.followUps = followUps;
	}

	@Override
	public LowkiqAdmin as(String other) {
		return new StoreAdmin(this.store, this.codec, () -> other, this.events, this.outbox, this.sources,
				this.schedules, this.followUps);
	}

	@Override
	public JobReport find(String queue, String id, int payloads) {
		if (payloads < 0 || payloads > MAX_PAYLOADS) {
			throw new InvalidJobException(
					"%s payloads are asked for; the number must be between 0 and %s".formatted(payloads, MAX_PAYLOADS));
		}
		Ids.check(id);
		QueueLayout layout = layout(queue);
		Shard shard = layout.shardOf(id);
		List<JobView> jobs = Arrays.stream(JobView.State.values())
			.flatMap((state) -> this.store.inspection().find(shard, state, id, payloads).stream())
			.toList();
		ShardCounts counts = this.store.inspection().counts(shard);
		JobStatus status = JobDiagnosis.of(Situation.of(this.store, this.followUps, layout, id, jobs, counts));
		return new JobReport(queue, id, shard.index(), counts.now(), counts.paused(), jobs, status);
	}

	private QueueLayout layout(String queue) {
		return this.store.queues().find(Ids.checkQueue(queue)).orElseThrow(() -> unknown(queue));
	}

	private UnknownQueueException unknown(String queue) {
		int waiting = this.followUps.find(WaitingFollowUps.to(queue), MAX_FOLLOW_UPS).size();
		return new UnknownQueueException("No queue '%s' is recorded in the store%s"
			.formatted(queue, (waiting == 0) ? "" : String.format(Locale.ROOT,
					", but %s%,d payloads that follow other jobs wait for it: drop or redirect them, or start an application that serves or declares it",
					(waiting == MAX_FOLLOW_UPS) ? "at least " : "", waiting)));
	}

	@Override
	public FollowUpQueues followUpQueues() {
		return this.followUps.queues();
	}

	@Override
	public List<StoredFollowUp> followUps(String queue, int limit) {
		return this.followUps.find(WaitingFollowUps.to(Ids.checkQueue(queue)), limit);
	}

	@Override
	public long dropFollowUps(String queue) {
		return changeFollowUps(Ids.checkQueue(queue), "drop-follow-ups",
				"%,d payloads that waited for it were dropped.",
				(newer) -> this.followUps.drop(WaitingFollowUps.to(queue), newer));
	}

	@Override
	public long redirectFollowUps(String queue, String to) {
		Ids.checkQueue(queue);
		QueueLayout target = layout(to);
		if (queue.equals(to)) {
			throw new IllegalArgumentException("Queue '%s' can't be redirected to itself".formatted(queue));
		}
		return changeFollowUps(queue, "redirect-follow-ups",
				"%%,d payloads that waited for it were enqueued into queue '%s'.".formatted(to),
				(newer) -> this.followUps.redirect(queue, target, newer));
	}

	private long changeFollowUps(String queue, String action, String summary, ToLongFunction<NewerShards> change) {
		return new Audit(queue, action, List.of()).of((audit) -> {
			NewerShards newer = new NewerShards();
			long changed = change.applyAsLong(newer);
			audit.ended(changed, true, String.format(Locale.ROOT, summary, changed));
			newer.rethrow();
			return changed;
		});
	}

	@Override
	public <P> List<P> payloads(JobView job, Class<P> type) {
		return job.payloads().stream().map((payload) -> type.cast(this.codec.decode(payload.bytes(), type))).toList();
	}

	@Override
	public ActionResult act(String queue, AdminAction action, Collection<String> ids, ActionProgress progress) {
		if (action.isNamed() == ids.isEmpty()) {
			throw new IllegalArgumentException(
					"The action %s %s".formatted(action.label(), action.isNamed() ? "needs ids" : "takes no ids"));
		}
		ids.forEach(Ids::check);
		List<String> distinct = List.copyOf(new LinkedHashSet<>(ids));
		QueueLayout layout = layout(queue);
		return new Audit(layout.name(), action.label(), distinct).of((audit) -> {
			ActionProgress watched = audit.watch(progress);
			ActionResult result = action.isRemoval()
					? new QueueRemoval(this.store, this.followUps, layout, action == AdminAction.REMOVE_EMPTY_QUEUE,
							watched)
						.run()
					: new ActionRun(this.store, this.outbox.get(), layout, action, distinct, watched).run();
			audit.ended(result.changed(), result.complete(), action.summary(layout.name(), result.changed())
					+ ((action == AdminAction.ERASE) ? ofRows(hasOutbox() ? 0 : -1) : ""));
			return result;
		});
	}

	@Override
	public ActionResult act(String queue, AdminAction action, JobSelection selection, ActionProgress progress) {
		if (!action.takes(selection.list())) {
			throw new IllegalArgumentException(
					"The action %s can't be done to jobs of the list %s".formatted(action.label(), selection.list()));
		}
		QueueLayout layout = layout(queue);
		return new Audit(layout.name(), action.label(), List.of()).of((audit) -> {
			ActionResult result = new SelectionRun(this.store, this.outbox.get(), layout, action, selection,
					audit.watch(progress))
				.run();
			audit.ended(result.changed(), result.complete(), "%s Selected: %s."
				.formatted(action.summary(layout.name(), result.changed()), selection.description()));
			return result;
		});
	}

	@Override
	public EditResult editHeld(String queue, String id, byte[] known, byte[] replacement) {
		return edit(queue, id, "edit-held", "a job on hold",
				(shard) -> this.store.actions().editHeld(shard, id, known, replacement));
	}

	@Override
	public EditResult editDead(String queue, String id, byte[] known, byte[] replacement) {
		return edit(queue, id, "edit-dead", "a dead job",
				(shard) -> this.store.actions().editDead(shard, id, known, replacement));
	}

	private EditResult edit(String queue, String id, String action, String what, Function<Shard, EditResult> call) {
		Shard shard = layout(queue).shardOf(Ids.check(id));
		return new Audit(queue, action, List.of(id)).of((audit) -> {
			EditResult result = call.apply(shard);
			boolean edited = result == EditResult.EDITED;
			audit.ended(edited ? 1 : 0, true, edited ? "The first payload of %s was edited.".formatted(what)
					: "Nothing was edited. " + result.sentence());
			return result;
		});
	}

	@Override
	public Erasure erase(String queue, String id) {
		Ids.check(id);
		Ids.checkQueue(queue);
		return erase(queue, id, () -> eraseRows(queue, id).getOrDefault(queue, 0L));
	}

	private Erasure erase(String queue, String id, Supplier<Long> rows) {
		Optional<QueueLayout> layout = this.store.queues().find(queue);
		return new Audit(queue, AdminAction.ERASE.label(), List.of(id)).of((audit) -> {
			// What is on its way first: it may be enqueued meanwhile
			long erasedRows = hasOutbox() ? rows.get() : -1;
			NewerShards newer = new NewerShards();
			boolean waiting = this.followUps.drop(WaitingFollowUps.of(queue, id), newer) > 0;
			Erasure here = layout.map((known) -> this.store.actions().erase(known.shardOf(id), id))
				.orElse(new Erasure(false, false, false));
			if (layout.isEmpty() && !waiting && erasedRows <= 0) {
				newer.rethrow();
				throw unknown(queue);
			}
			Erasure erasure = erased(audit, here, waiting, erasedRows);
			newer.rethrow();
			return erasure;
		});
	}

	private Map<String, Long> eraseRows(@Nullable String queue, String id) {
		return this.outbox.get().erase(queue, id);
	}

	private boolean hasOutbox() {
		return this.outbox.get() != Outbox.NONE;
	}

	private static Erasure erased(Audit audit, Erasure here, boolean waiting, long rows) {
		Erasure erasure = new Erasure(here.queued(), here.busy(), here.dead(), waiting, rows);
		long changed = erasure.isAny() ? 1 : 0;
		audit.ended(changed, true, AdminAction.ERASE.summary(audit.queue, changed)
				+ (erasure.busy() ? " It is being performed, and does not come back." : "") + ofRows(rows));
		return erasure;
	}

	private static String ofRows(long rows) {
		return (rows == 0) ? ""
				: (rows < 0) ? " This application has no outbox: rows in the tables of others may be left."
						: " Rows erased in the outbox: " + rows + ".";
	}

	@Override
	public Map<String, Erasure> erase(String id) {
		Ids.check(id);
		Map<String, Long> rows = eraseRows(null, id);
		Map<String, Supplier<Erasure>> steps = new LinkedHashMap<>();
		// What is on its way first: it may be enqueued meanwhile
		Stream.concat(rows.keySet().stream(), this.followUps.queuesOf(id::equals).stream())
			.forEach((queue) -> steps.put(queue, () -> erase(queue, id, () -> rows.getOrDefault(queue, 0L))));
		this.store.queues()
			.all()
			.stream()
			.filter((layout) -> !InternalQueue.SCHEDULES.isKindOf(layout.name()))
			.forEach((layout) -> steps.putIfAbsent(layout.name(), () -> eraseJobs(layout, id)));
		return inEach(steps, "Id '%s' is".formatted(LogText.of(id)), Erasure::isAny);
	}

	/** Erases something in each queue, also if it fails in some. */
	private static <T> SortedMap<String, T> inEach(Map<String, Supplier<T>> steps, String what, Predicate<T> isAny) {
		SortedMap<String, T> found = new TreeMap<>();
		Map<String, StoreException> failed = new TreeMap<>();
		steps.forEach((queue, step) -> {
			try {
				T erased = step.get();
				if (isAny.test(erased)) {
					found.put(queue, erased);
				}
			}
			catch (StoreException ex) {
				failed.put(queue, ex);
			}
		});
		if (!failed.isEmpty()) {
			throw new StoreException(
					"%s not erased in %s of %s queues: %s. Something was found in %s and erased there. Try again"
						.formatted(what, failed.size(), steps.size(), LogText.of(failed.keySet()), found.keySet()),
					failed.values().iterator().next());
		}
		return found;
	}

	@Override
	public SortedMap<String, PrefixContents> findPrefix(String prefix, ActionProgress progress) {
		SortedMap<String, PrefixContents> found = new TreeMap<>();
		prefixes(prefix).forEach((queue, contents) -> found.put(queue, contents.find(progress)));
		found.values().removeIf((contents) -> !contents.isAny());
		return found;
	}

	@Override
	public SortedMap<String, Long> erasePrefix(String prefix, ActionProgress progress) {
		AtomicLong changed = new AtomicLong();
		AtomicBoolean stopped = new AtomicBoolean();
		Map<String, Supplier<Long>> steps = new LinkedHashMap<>();
		Map<String, QueuePrefix> queues = prefixes(prefix);
		// What is on its way first: it may be enqueued meanwhile
		Map<String, Long> rows = this.outbox.get().erasePrefix(prefix);
		rows.keySet().forEach((queue) -> queues.computeIfAbsent(queue, (name) -> prefix(name, null, prefix)));
		queues.forEach((queue, contents) -> steps.put(queue, () -> {
			if (stopped.get()) {
				return 0L;
			}
			ActionResult result = erase(queue, prefix, contents, rows.getOrDefault(queue, 0L),
					(count, total) -> progress.shouldContinue(changed.get() + count, changed.get() + total));
			stopped.set(!result.complete());
			changed.addAndGet(result.changed());
			return result.changed();
		}));
		return inEach(steps, "The ids that begin with '%s' are".formatted(LogText.of(prefix)), (count) -> count > 0);
	}

	private ActionResult erase(String queue, String prefix, QueuePrefix contents, long rows, ActionProgress progress) {
		return new Audit(queue, "erase-prefix", List.of()).of((audit) -> {
			ActionResult erased = contents.erase(audit.watch(progress));
			ActionResult result = new ActionResult(erased.changed() + rows, erased.complete());
			audit.ended(result.changed(), result.complete(),
					"%s Ids that begin with '%s', and the settings of their groups."
						.formatted(AdminAction.ERASE.summary(queue, result.changed()), LogText.of(prefix))
							+ ofRows(hasOutbox() ? rows : -1));
			if (result.changed() == 0) {
				audit.skip();
			}
			return result;
		});
	}

	private Map<String, QueuePrefix> prefixes(String prefix) {
		Ids.check(prefix);
		Map<String, QueuePrefix> all = new TreeMap<>();
		this.store.queues()
			.all()
			.stream()
			.filter((layout) -> !InternalQueue.SCHEDULES.isKindOf(layout.name()))
			.forEach((layout) -> all.put(layout.name(), prefix(layout.name(), layout, prefix)));
		this.followUps.queuesOf((id) -> id.startsWith(prefix))
			.forEach((queue) -> all.computeIfAbsent(queue, (name) -> prefix(name, null, prefix)));
		return all;
	}

	private QueuePrefix prefix(String queue, @Nullable QueueLayout layout, String prefix) {
		Set<String> separators = serving(queue).stream()
			.map((settings) -> settings.groups().separator())
			.collect(Collectors.toCollection(HashSet::new));
		if (layout != null) {
			separators.add(layout.oneShardPerGroup());
		}
		separators.remove("");
		return new QueuePrefix(this.store, this.followUps, queue, layout, prefix, separators);
	}

	private Erasure eraseJobs(QueueLayout layout, String id) {
		return new Audit(layout.name(), AdminAction.ERASE.label(), List.of(id)).of((audit) -> {
			Erasure erasure = erased(audit, this.store.actions().erase(layout.shardOf(id), id), false,
					hasOutbox() ? 0 : -1);
			if (!erasure.isAny()) {
				audit.skip();
			}
			return erasure;
		});
	}

	@Override
	public List<Forgotten> forgotten() {
		return Forgotten.recent(this.store.nodes());
	}

	@Override
	public OutboxStatus outbox(int limit) {
		if (limit < 0 || limit > MAX_UNSENT) {
			throw new IllegalArgumentException("limit is %s; it must be between 0 and %s".formatted(limit, MAX_UNSENT));
		}
		return this.outbox.get().status(limit);
	}

	@Override
	public boolean sendUnsent(long sequence) {
		return changeUnsent(sequence, "send-unsent", "It is sent again.", Outbox::sendAgain);
	}

	@Override
	public boolean dropUnsent(long sequence) {
		return changeUnsent(sequence, "drop-unsent", "It was dropped.", Outbox::drop);
	}

	@Override
	public long resendKept(Instant from, Instant to) {
		return new Audit(AdminEvent.ALL_QUEUES, "resend-kept", List.of()).of((audit) -> {
			long resent = this.outbox.get().resendKept(from, to);
			audit.ended(resent, true, String.format(Locale.ROOT,
					"%,d jobs that the outbox had sent from %s to %s are sent again.", resent, from, to));
			return resent;
		});
	}

	private boolean changeUnsent(long sequence, String action, String summary, BiPredicate<Outbox, Long> change) {
		Outbox changed = this.outbox.get();
		UnsentJob job = changed.find(sequence).orElse(null);
		if (job == null) {
			return false;
		}
		return new Audit(job.queue(), action, List.of(job.id())).of((audit) -> {
			boolean done = change.test(changed, sequence);
			audit.ended(done ? 1 : 0, true,
					"Job %s of the outbox: %s".formatted(sequence, done ? summary : "It was not there any more."));
			return done;
		});
	}

	@Override
	public List<SourceStatus> sources() {
		SourceControl control = this.sources.get();
		return (control != null) ? control.all() : List.of();
	}

	@Override
	public void pauseSource(String source) {
		control(source, "pause-source", "Source %s was paused.".formatted(source), (control) -> control.pause(source));
	}

	@Override
	public void resumeSource(String source) {
		control(source, "resume-source", "Source %s was resumed.".formatted(source),
				(control) -> control.resume(source));
	}

	@Override
	public void seekSource(String source, String topic, int partition, long offset) {
		control(source, "seek-source",
				"Source %s continues at offset %s of %s-%s.".formatted(source, offset, topic, partition),
				(control) -> control.seek(source, topic, partition, offset));
	}

	private void control(String source, String action, String summary, Consumer<SourceControl> call) {
		SourceControl control = this.sources.get();
		SourceStatus known = sources().stream()
			.filter((each) -> each.name().equals(source))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("This application has no source '%s'. Its sources: %s"
				.formatted(LogText.of(source), sources().stream().map(SourceStatus::name).toList())));
		new Audit(known.queue(), action, List.of()).of((audit) -> {
			call.accept(Objects.requireNonNull(control));
			audit.ended(0, true, summary);
			return known;
		});
	}

	@Override
	public GroupAdmin group(String queue, String group) {
		QueueLayout layout = grouped(queue);
		return new QueueGroup(this.store.queues(), layout, group,
				(action, summary, change) -> new Audit(queue, action, List.of()).of((audit) -> {
					change.accept(audit.who);
					audit.ended(0, true, summary);
					return layout;
				}));
	}

	private QueueLayout grouped(String queue) {
		QueueLayout layout = layout(queue);
		List<NodeActivity.QueueSettings> serving = serving(queue);
		if (!serving.isEmpty() && serving.stream().allMatch((settings) -> settings.groups().separator().isEmpty())) {
			throw new InvalidQueueException(
					"Queue '%s' has no groups; set groups of its worker to the separator between the group and the rest of an id, such as ':'"
						.formatted(queue));
		}
		return layout;
	}

	@Override
	public int limitGroups(String queue, Map<String, GroupLimits> limits) {
		QueueLayout layout = grouped(queue);
		limits.forEach((group, each) -> QueueGroup.override(layout, each, QueueGroup.check(layout, group)));
		return change(layout, "limit-groups", "%,d groups have other limits now.", (who) -> {
			Map<String, GroupOverride> overrides = new HashMap<>();
			limits.forEach((group, each) -> overrides.put(group, QueueGroup.override(layout, each, who)));
			return this.store.queues()
				.override(layout, overrides, EnumSet.of(Part.CONCURRENCY, Part.RATE, Part.WEIGHT));
		});
	}

	@Override
	public SortedMap<String, GroupOverride> forgottenGroups(String queue) {
		QueueLayout layout = layout(queue);
		this.store.queues().overrides(layout);
		return new TreeMap<>(this.store.queues().forgottenOverrides(layout));
	}

	@Override
	public int restoreGroups(String queue) {
		SortedMap<String, GroupOverride> forgotten = forgottenGroups(queue);
		QueueLayout layout = layout(queue);
		return change(layout, "restore-groups", "What Redis had forgotten was set again for %,d groups.", (who) -> {
			for (Part part : Part.values()) {
				Map<String, GroupOverride> having = new HashMap<>(forgotten);
				having.values().removeIf((override) -> override.part(part) == null);
				this.store.queues().override(layout, having, EnumSet.of(part));
			}
			return forgotten.size();
		});
	}

	private int change(QueueLayout queue, String action, String summary, ToIntFunction<String> change) {
		return new Audit(queue.name(), action, List.of()).of((audit) -> {
			int changed = change.applyAsInt(audit.who);
			audit.ended(changed, true, String.format(Locale.ROOT, summary, changed));
			return changed;
		});
	}

	/** The settings of the queue on the nodes that serve it. */
	private List<NodeActivity.QueueSettings> serving(String queue) {
		return this.store.nodes()
			.reports()
			.values()
			.stream()
			.flatMap((report) -> Stream.ofNullable(NodeActivity.of(report).queues().get(queue)))
			.toList();
	}

	@Override
	public SortedMap<String, GroupOverride> groups(String queue) {
		return new TreeMap<>(this.store.queues().overrides(layout(queue)).groups());
	}

	@Override
	public List<ScheduleStatus> schedules() {
		ScheduleControl control = this.schedules.get();
		return (control != null) ? control.all() : List.of();
	}

	@Override
	public void runSchedule(String queue, String id) {
		change(queue, id, "run-schedule", "A job of schedule %s was enqueued.", (control) -> control.runNow(queue, id));
	}

	@Override
	public void pauseSchedule(String queue, String id) {
		change(queue, id, "pause-schedule", "Schedule %s was paused.", (control) -> control.pause(queue, id));
	}

	@Override
	public void resumeSchedule(String queue, String id) {
		change(queue, id, "resume-schedule", "Schedule %s was resumed.", (control) -> control.resume(queue, id));
	}

	private void change(String queue, String id, String action, String summary, Consumer<ScheduleControl> call) {
		ScheduleControl control = this.schedules.get();
		if (control == null) {
			throw new IllegalArgumentException("This application doesn't know schedules");
		}
		new Audit(Ids.checkQueue(queue), action, List.of(Ids.check(id))).of((audit) -> {
			call.accept(control);
			audit.ended(1, true, String.format(Locale.ROOT, summary, id));
			return id;
		});
	}

	/** Says who calls. */
	@FunctionalInterface
	public interface Users {

		/**
		 * The caller on the current thread.
		 * @return the name; null if nobody is known
		 */
		@Nullable String current();

	}

	/** The trace of one changing call. Used by one thread. */
	private final class Audit {

		private final String queue;

		private final String action;

		private final List<String> ids;

		private final String who;

		/** The number of jobs changed. */
		private long changed;

		private Result result = Result.FAILED;

		private String message = "";

		/** Whether the call has only looked for something. */
		private boolean isSkipped;

		Audit(String queue, String action, List<String> ids) {
			this.queue = queue;
			this.action = action;
			this.ids = ids;
			String known = StoreAdmin.this.users.current();
			this.who = (known != null) ? known : AdminEvent.APPLICATION;
		}

		ActionProgress watch(ActionProgress progress) {
			return (count, total) -> {
				this.changed = count;
				return progress.shouldContinue(count, total);
			};
		}

		void ended(long count, boolean complete, String summary) {
			this.changed = count;
			this.result = complete ? Result.DONE : Result.STOPPED;
			this.message = complete ? summary : "Stopped. " + summary;
		}

		void skip() {
			this.isSkipped = true;
		}

		<T> T of(Function<Audit, T> call) {
			try {
				return call.apply(this);
			}
			catch (RuntimeException ex) {
				this.result = Result.FAILED;
				this.message = String.format(Locale.ROOT, "It failed after %,d: %s", this.changed, ex.getMessage());
				throw ex;
			}
			finally {
				if (!this.isSkipped) {
					logger.info("User '{}' did {} on queue '{}'{}: {}", LogText.of(this.who), this.action, this.queue,
							this.ids.isEmpty() ? "" : ", ids " + LogText.of(this.ids), LogText.of(this.message));
					publish();
				}
			}
		}

		private void publish() {
			try {
				StoreAdmin.this.events.accept(new AdminEvent(this.who, this.action, this.queue, this.ids, this.changed,
						this.result, this.message));
			}
			catch (RuntimeException ex) {
				logger.warn("A listener of AdminEvents threw an exception", ex);
			}
		}

	}

}
