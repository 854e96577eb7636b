package io.lowkiq.dashboard.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.lowkiq.admin.AdminEvent;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The {@link AuditLog} of all nodes, in Redis: two lists that keep their length, and a
 * hash that has a field for every queue that is paused.
 */
public final class RedisAuditLog implements AuditLog {

	private final RedisScript<Long> writeScript = ScriptText.read("write-audit.lua", RedisAuditLog.class);

	private final JsonMapper mapper = JsonMapper.shared();

	private final StringRedisTemplate redis;

	private final String entriesKey;

	private final String groupsKey;

	private final String pausesKey;

	/** Creates a log. */
	public RedisAuditLog(StringRedisTemplate redis, String keyPrefix) {
		this.redis = redis;
		this.entriesKey = keyPrefix + ":{history}:audit";
		this.groupsKey = keyPrefix + ":{history}:audit-groups";
		this.pausesKey = keyPrefix + ":{history}:pauses";
	}

	@Override
	public void add(AdminEvent event) {
		Entry entry = Entry.of(0, event);
		this.redis.execute(this.writeScript,
				List.of(entry.isOfGroups() ? this.groupsKey : this.entriesKey, this.pausesKey),
				this.mapper.writeValueAsString(entry), Integer.toString(KEPT), entry.queue(),
				entry.pauses() ? "pause" : entry.resumes() ? "resume" : "");
	}

	@Override
	public List<Entry> recent(boolean groups, int limit) {
		List<Entry> entries = new ArrayList<>();
		for (String text : Objects
			.requireNonNull(this.redis.opsForList().range(groups ? this.groupsKey : this.entriesKey, -limit, -1))) {
			read(text).ifPresent(entries::add);
		}
		Collections.reverse(entries);
		return entries;
	}

	@Override
	public Optional<Entry> lastPause(String queue) {
		@Nullable Object text = this.redis.opsForHash().get(this.pausesKey, queue);
		return (text != null) ? read(text.toString()) : Optional.empty();
	}

	/**
	 * Reads an entry; empty if it can't be read.
	 */
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

}
