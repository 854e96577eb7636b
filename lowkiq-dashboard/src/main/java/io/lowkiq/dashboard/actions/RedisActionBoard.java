package io.lowkiq.dashboard.actions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.lowkiq.dashboard.history.ScriptText;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The {@link ActionBoard} of all nodes, in Redis: any node can answer how far a run is,
 * and stop it. A run that has not reported for a minute keeps no other from beginning.
 */
public final class RedisActionBoard implements ActionBoard {

	private static final Duration KEPT = Duration.ofHours(1);

	private static final Duration ALIVE = Duration.ofMinutes(1);

	private final RedisScript<Long> releaseScript = ScriptText.read("release-lock.lua", RedisActionBoard.class);

	private final JsonMapper mapper = JsonMapper.shared();

	private final StringRedisTemplate redis;

	private final String prefix;

	/** A hash that has a field for every run that has begun and not ended. */
	private final String begun;

	/** Creates a board. */
	public RedisActionBoard(StringRedisTemplate redis, String keyPrefix) {
		this.redis = redis;
		this.prefix = keyPrefix + ":{actions}:";
		this.begun = this.prefix + "running";
	}

	@Override
	public ActionStatus begin(ActionStatus status) {
		write(status);
		String lock = lock(status);
		while (!Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(lock, status.run(), ALIVE))) {
			String holder = this.redis.opsForValue().get(lock);
			Optional<ActionStatus> other = (holder != null) ? find(holder) : Optional.empty();
			if (other.isPresent()) {
				this.redis.delete(key("run", status.run()));
				return other.get();
			}
			if (holder != null) {
				release(lock, holder);
			}
		}
		writeRunning(status);
		return status;
	}

	@Override
	public boolean update(ActionStatus status) {
		write(status);
		writeRunning(status);
		this.redis.expire(lock(status), ALIVE);
		return !Boolean.TRUE.equals(this.redis.hasKey(key("cancelled", status.run())));
	}

	@Override
	public void end(ActionStatus status) {
		write(status);
		this.redis.opsForHash().delete(this.begun, status.run());
		release(lock(status), status.run());
	}

	/**
	 * Releases the lock in one step, because another node may have taken it since it was
	 * checked.
	 */
	private void release(String lock, String run) {
		this.redis.execute(this.releaseScript, List.of(lock), run);
	}

	@Override
	public Optional<ActionStatus> find(String run) {
		@Nullable String json = this.redis.opsForValue().get(key("run", run));
		return Optional.ofNullable(json).map((text) -> this.mapper.readValue(text, ActionStatus.class));
	}

	@Override
	public List<ActionStatus> running() {
		List<ActionStatus> running = new ArrayList<>();
		for (Object run : this.redis.opsForHash().keys(this.begun)) {
			Optional<ActionStatus> status = find(run.toString()).filter(ActionStatus::isRunning);
			if (status.isPresent() && Boolean.TRUE.equals(this.redis.hasKey(key("alive", run.toString())))) {
				running.add(status.get());
			}
			else {
				// Its node died, or its end was written after its step
				this.redis.opsForHash().delete(this.begun, run);
			}
		}
		return running.stream().sorted(Comparator.comparingLong(ActionStatus::startedAt)).limit(MAX_RUNNING).toList();
	}

	@Override
	public void cancel(String run) {
		this.redis.opsForValue().set(key("cancelled", run), "1", KEPT);
	}

	private void write(ActionStatus status) {
		this.redis.opsForValue().set(key("run", status.run()), this.mapper.writeValueAsString(status), KEPT);
	}

	private void writeRunning(ActionStatus status) {
		this.redis.opsForValue().set(key("alive", status.run()), "1", ALIVE);
		this.redis.opsForHash().put(this.begun, status.run(), status.queue());
		this.redis.expire(this.begun, KEPT);
	}

	private String key(String kind, String run) {
		return this.prefix + kind + ":" + run;
	}

	private String lock(ActionStatus status) {
		String lock = this.prefix + "lock:" + status.queue() + ":" + status.action();
		return (status.selection() != null) ? lock + ":" + this.mapper.writeValueAsString(status.selection()) : lock;
	}

}
