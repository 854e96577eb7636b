package io.lowkiq.admin.store;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.PayloadCodec;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.FollowUpQueues;
import io.lowkiq.admin.GroupAdmin;
import io.lowkiq.admin.GroupLimits;
import io.lowkiq.admin.JobReport;
import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.admin.PrefixContents;
import io.lowkiq.admin.ScheduleControl;
import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.admin.SourceControl;
import io.lowkiq.admin.SourceStatus;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.internal.LogText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;
import io.lowkiq.store.node.Forgotten;
import org.jspecify.annotations.Nullable;

/** Carries out the actions of operators in a store. */
public final class StoreAdmin implements LowkiqAdmin {

	private static final int MAX_PAYLOADS = 1_000;

	private static final int MAX_UNSENT = 1_000;

	private final RedisStore store;

	private final PayloadCodec codec;

	private final Audits audits;

	private final Supplier<Outbox> outbox;

	private final Supplier<@Nullable SourceControl> sources;

	private final Supplier<@Nullable ScheduleControl> schedules;

	private final WaitingFollowUps followUps;

	private final Groups groups;

	private final Erasing erasing;

	/** Gives an event for each changing call, on the calling thread. */
	public StoreAdmin(RedisStore store, PayloadCodec codec, Users users, Consumer<AdminEvent> events,
			Supplier<Outbox> outbox, Supplier<@Nullable SourceControl> sources,
			Supplier<@Nullable ScheduleControl> schedules, InstantSource clock) {
		this(store, codec, new Audits(users, events), outbox, sources, schedules, new WaitingFollowUps(store, clock));
	}

	private StoreAdmin(RedisStore store, PayloadCodec codec, Audits audits, Supplier<Outbox> outbox,
			Supplier<@Nullable SourceControl> sources, Supplier<@Nullable ScheduleControl> schedules,
			WaitingFollowUps followUps) {
		this.store = store;
		this.codec = codec;
		this.audits = audits;
		this.outbox = outbox;
		this.sources = sources;
		this.schedules = schedules;
		this.followUps = followUps;
		this.groups = new Groups(store, followUps, audits);
		this.erasing = new Erasing(store, followUps, outbox, audits);
	}

	@Override
	public LowkiqAdmin as(String other) {
		return new StoreAdmin(this.store, this.codec, this.audits.as(other), this.outbox, this.sources, this.schedules,
				this.followUps);
	}

	@Override
	public JobReport find(String queue, String id, int payloads) {
		if (payloads < 0 || payloads > MAX_PAYLOADS) {
			throw new InvalidJobException(
					"%s payloads are asked for; the number must be between 0 and %s".formatted(payloads, MAX_PAYLOADS));
		}
		Ids.check(id);
		QueueLayout layout = this.followUps.layout(queue);
		Shard shard = layout.shardOf(id);
		List<JobView> jobs = Arrays.stream(JobView.State.values())
			.flatMap((state) -> this.store.inspection().find(shard, state, id, payloads).stream())
			.toList();
		ShardCounts counts = this.store.inspection().counts(shard);
		JobStatus status = JobDiagnosis.of(Situation.of(this.store, this.followUps, layout, id, jobs, counts));
		return new JobReport(queue, id, shard.index(), counts.now(), counts.paused(), jobs, status);
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
		QueueLayout target = this.followUps.layout(to);
		if (queue.equals(to)) {
			throw new IllegalArgumentException("Queue '%s' can't be redirected to itself".formatted(queue));
		}
		return changeFollowUps(queue, "redirect-follow-ups",
				"%%,d payloads that waited for it were enqueued into queue '%s'.".formatted(to),
				(newer) -> this.followUps.redirect(queue, target, newer));
	}

	private long changeFollowUps(String queue, String action, String summary, ToLongFunction<NewerShards> change) {
		return this.audits.of(queue, action, List.of(), (audit) -> {
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
		QueueLayout layout = this.followUps.layout(queue);
		return this.audits.of(layout.name(), action.label(), distinct, (audit) -> {
			ActionProgress watched = audit.watch(progress);
			boolean removes = action == AdminAction.REMOVE_EMPTY_QUEUE || action == AdminAction.REMOVE_QUEUE;
			ActionResult result = removes
					? new QueueRemoval(this.store, this.followUps, layout, action == AdminAction.REMOVE_EMPTY_QUEUE,
							watched)
						.run()
					: new ActionRun(this.store, this.outbox.get(), layout, action, distinct, watched).run();
			audit.ended(result.changed(), result.complete(), action.summary(layout.name(), result.changed())
					+ ((action == AdminAction.ERASE) ? this.erasing.ofRows() : ""));
			return result;
		});
	}

	@Override
	public ActionResult act(String queue, AdminAction action, JobSelection selection, ActionProgress progress) {
		if (!action.takes(selection.list())) {
			throw new IllegalArgumentException(
					"The action %s can't be done to jobs of the list %s".formatted(action.label(), selection.list()));
		}
		QueueLayout layout = this.followUps.layout(queue);
		return this.audits.of(layout.name(), action.label(), List.of(), (audit) -> {
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
		Shard shard = this.followUps.layout(queue).shardOf(Ids.check(id));
		return this.audits.of(queue, action, List.of(id), (audit) -> {
			EditResult result = call.apply(shard);
			boolean edited = result == EditResult.EDITED;
			audit.ended(edited ? 1 : 0, true, edited ? "The first payload of %s was edited.".formatted(what)
					: "Nothing was edited. " + result.sentence());
			return result;
		});
	}

	@Override
	public Erasure erase(String queue, String id) {
		return this.erasing.erase(queue, id);
	}

	@Override
	public Map<String, Erasure> erase(String id) {
		return this.erasing.erase(id);
	}

	@Override
	public SortedMap<String, PrefixContents> findPrefix(String prefix, ActionProgress progress) {
		return this.erasing.findPrefix(prefix, progress);
	}

	@Override
	public SortedMap<String, Long> erasePrefix(String prefix, ActionProgress progress) {
		return this.erasing.erasePrefix(prefix, progress);
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
		return this.audits.of(AdminEvent.ALL_QUEUES, "resend-kept", List.of(), (audit) -> {
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
		return this.audits.of(job.queue(), action, List.of(job.id()), (audit) -> {
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
		this.audits.of(known.queue(), action, List.of(), (audit) -> {
			call.accept(Objects.requireNonNull(control));
			audit.ended(0, true, summary);
			return known;
		});
	}

	@Override
	public GroupAdmin group(String queue, String group) {
		return this.groups.group(queue, group);
	}

	@Override
	public int limitGroups(String queue, Map<String, GroupLimits> limits) {
		return this.groups.limit(queue, limits);
	}

	@Override
	public SortedMap<String, GroupOverride> forgottenGroups(String queue) {
		return this.groups.forgotten(queue);
	}

	@Override
	public int restoreGroups(String queue) {
		return this.groups.restore(queue);
	}

	@Override
	public SortedMap<String, GroupOverride> groups(String queue) {
		return this.groups.all(queue);
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
		this.audits.of(Ids.checkQueue(queue), action, List.of(Ids.check(id)), (audit) -> {
			call.accept(control);
			audit.ended(1, true, String.format(Locale.ROOT, summary, id));
			return id;
		});
	}

	/** Says who calls. */
	@FunctionalInterface
	public interface Users {

		/** The caller on the current thread; null if nobody is known. */
		@Nullable String current();

	}

}
