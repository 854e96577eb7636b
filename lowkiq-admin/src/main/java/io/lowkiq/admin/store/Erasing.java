package io.lowkiq.admin.store;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.Ids;
import io.lowkiq.StoreException;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.PrefixContents;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.Erasure;
import org.jspecify.annotations.Nullable;

/** Erases all that is kept of ids. Thread-safe. */
final class Erasing {

	private final RedisStore store;

	private final WaitingFollowUps followUps;

	private final Supplier<Outbox> outbox;

	private final Audits audits;

	Erasing(RedisStore store, WaitingFollowUps followUps, Supplier<Outbox> outbox, Audits audits) {
		this.store = store;
		this.followUps = followUps;
		this.outbox = outbox;
		this.audits = audits;
	}

	Erasure erase(String queue, String id) {
		Ids.check(id);
		Ids.checkQueue(queue);
		return erase(queue, id, () -> eraseRows(queue, id).getOrDefault(queue, 0L));
	}

	private Erasure erase(String queue, String id, Supplier<Long> rows) {
		Optional<QueueLayout> layout = this.store.queues().find(queue);
		return this.audits.of(queue, AdminAction.ERASE.label(), List.of(id), (audit) -> {
			// What is on its way first: it may be enqueued meanwhile
			long erasedRows = hasOutbox() ? rows.get() : -1;
			NewerShards newer = new NewerShards();
			boolean waiting = this.followUps.drop(WaitingFollowUps.of(queue, id), newer) > 0;
			Erasure here = layout.map((known) -> this.store.actions().erase(known.shardOf(id), id))
				.orElse(new Erasure(false, false, false));
			if (layout.isEmpty() && !waiting && erasedRows <= 0) {
				newer.rethrow();
				throw this.followUps.unknown(queue);
			}
			Erasure erasure = erased(audit, here, waiting, erasedRows);
			newer.rethrow();
			return erasure;
		});
	}

	private Map<String, Long> eraseRows(@Nullable String queue, String id) {
		return this.outbox.get().erase(queue, id);
	}

	private static Erasure erased(Audits.Audit audit, Erasure here, boolean waiting, long rows) {
		Erasure erasure = new Erasure(here.queued(), here.busy(), here.dead(), waiting, rows);
		long changed = erasure.isAny() ? 1 : 0;
		audit.ended(changed, true, AdminAction.ERASE.summary(audit.queue(), changed)
				+ (erasure.busy() ? " It is being performed, and does not come back." : "") + ofRows(rows));
		return erasure;
	}

	Map<String, Erasure> erase(String id) {
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

	SortedMap<String, PrefixContents> findPrefix(String prefix, ActionProgress progress) {
		SortedMap<String, PrefixContents> found = new TreeMap<>();
		prefixes(prefix).forEach((queue, contents) -> found.put(queue, contents.find(progress)));
		found.values().removeIf((contents) -> !contents.isAny());
		return found;
	}

	SortedMap<String, Long> erasePrefix(String prefix, ActionProgress progress) {
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
		return this.audits.of(queue, "erase-prefix", List.of(), (audit) -> {
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
		Set<String> separators = Groups.serving(this.store, queue)
			.stream()
			.map((settings) -> settings.groups().separator())
			.collect(Collectors.toCollection(HashSet::new));
		if (layout != null) {
			separators.add(layout.oneShardPerGroup());
		}
		separators.remove("");
		return new QueuePrefix(this.store, this.followUps, queue, layout, prefix, separators);
	}

	private Erasure eraseJobs(QueueLayout layout, String id) {
		return this.audits.of(layout.name(), AdminAction.ERASE.label(), List.of(id), (audit) -> {
			Erasure erasure = erased(audit, this.store.actions().erase(layout.shardOf(id), id), false,
					hasOutbox() ? 0 : -1);
			if (!erasure.isAny()) {
				audit.skip();
			}
			return erasure;
		});
	}

	/** Says what happened to rows of the outbox that are not counted one by one. */
	String ofRows() {
		return ofRows(hasOutbox() ? 0 : -1);
	}

	private boolean hasOutbox() {
		return this.outbox.get() != Outbox.NONE;
	}

	private static String ofRows(long rows) {
		return (rows == 0) ? ""
				: (rows < 0) ? " This application has no outbox: rows in the tables of others may be left."
						: " Rows erased in the outbox: " + rows + ".";
	}

}
