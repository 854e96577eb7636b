package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lowkiq.store.job.Shard;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** The messages to a session, as texts. */
final class HeardMessages implements WakeUps.Listener {

	/** Written by the connection's thread, read and cleared by the test. */
	private final List<String> heard = new CopyOnWriteArrayList<>();

	@Override
	public void wake(Shard shard) {
		this.heard.add("wake " + shard);
	}

	@Override
	public void released(Shard shard) {
		this.heard.add("released " + shard);
	}

	@Override
	public void changed() {
		this.heard.add("changed");
	}

	@Override
	public void echo() {
		this.heard.add("echo");
	}

	@Override
	public void connected() {
		this.heard.add("connected");
	}

	List<String> all() {
		return this.heard;
	}

	long count(String message) {
		return this.heard.stream().filter(message::equals).count();
	}

	void awaitHeard(String message) {
		await().untilAsserted(() -> assertThat(this.heard).contains(message));
	}

	static ConditionFactory await() {
		return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
	}

}
