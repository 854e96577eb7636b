package io.lowkiq.dashboard.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.AdminEvent.Result;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The actions of people on all nodes: the last {@value #KEPT} on jobs and queues, and as
 * many on groups. Thread-safe.
 */
public final class AuditLog {

	/** The number of entries kept of each kind. */
	public static final int KEPT = 1_000;

	/** The maximum number of ids kept with an entry. */
	static final int MAX_IDS = 10;

	/** The user of an action where nobody was signed in. */
	public static final String NOBODY = "unknown";

	/** A longer message is cut. */
	static final int MAX_CHARACTERS = 1_000;

	private static final LuaScript WRITE = DashboardKeys.script("write-audit.lua", AuditLog.class);

	private final JsonMapper mapper = JsonMapper.shared();

	private final DashboardKeys keys;

	public AuditLog(DashboardKeys keys) {
		this.keys = keys;
	}

	/** Adds an entry. */
	public void add(AdminEvent event) {
		Entry entry = Entry.of(0, event);
		this.keys.run(WRITE, List.of(entries(entry.isOfGroups()), pauses()), this.mapper.writeValueAsString(entry),
				Integer.toString(KEPT), entry.queue(), entry.pauses() ? "pause" : entry.resumes() ? "resume" : "");
	}

	/** The last entries. */
	public List<Entry> recent(boolean groups, int limit) {
		Reply texts = this.keys.command("LRANGE", entries(groups), Integer.toString(-limit), "-1").inner(0);
		List<Entry> entries = new ArrayList<>();
		for (int i = texts.size() - 1; i >= 0; i--) {
			read(texts.text(i)).ifPresent(entries::add);
		}
		return entries;
	}

	/**
	 * The last pause of a queue: who paused it, and when.
	 * @return the entry; empty if it was resumed since, or if it is not known
	 */
	public Optional<Entry> lastPause(String queue) {
		Reply pause = this.keys.command("HGET", pauses(), queue);
		return pause.isNull(0) ? Optional.empty() : read(pause.text(0));
	}

	/** Empty if the text can't be read. */
	private Optional<Entry> read(String text) {
		try {
			int space = text.indexOf(' ');
			long at = Long.parseLong(text.substring(0, Math.max(space, 0)));
			return Optional.ofNullable(this.mapper.readValue(text.substring(space + 1), Entry.class))
				.map((entry) -> entry.at(at));
		}
		catch (NumberFormatException | JacksonException ex) {
			return Optional.empty();
		}
	}

	private String entries(boolean groups) {
		return this.keys.key("history", groups ? "audit-groups" : "audit");
	}

	private String pauses() {
		return this.keys.key("history", "pauses");
	}

	/**
	 * A call by somebody.
	 *
	 * @param at milliseconds since 1970, by the store's clock
	 * @param moreIds how many more were named
	 * @param changed how many jobs, or shards, were changed
	 * @param message the same for people
	 */
	public record Entry(long at, String user, String action, String queue, List<String> ids, int moreIds, long changed,
			Result result, String message) {

		static Entry of(long at, AdminEvent event) {
			List<String> ids = event.ids().subList(0, Math.min(event.ids().size(), MAX_IDS));
			String message = event.message();
			return new Entry(at, event.user(), event.action(), event.queue(), ids, event.ids().size() - ids.size(),
					event.changed(), event.result(),
					(message.length() > MAX_CHARACTERS) ? message.substring(0, MAX_CHARACTERS) + "…" : message);
		}

		Entry at(long time) {
			return new Entry(time, this.user, this.action, this.queue, this.ids, this.moreIds, this.changed,
					this.result, this.message);
		}

		/** Whether groups were changed. */
		boolean isOfGroups() {
			return this.action.contains("-group");
		}

		/** Whether the queue is paused from now on. */
		boolean pauses() {
			return this.action.equals(AdminAction.PAUSE.label()) && this.changed > 0;
		}

		/** Whether the queue is not paused any more, or gone. */
		boolean resumes() {
			return this.result == Result.DONE && (this.action.equals(AdminAction.RESUME.label())
					|| this.action.equals(AdminAction.REMOVE_QUEUE.label())
					|| this.action.equals(AdminAction.REMOVE_EMPTY_QUEUE.label()));
		}

	}

}
