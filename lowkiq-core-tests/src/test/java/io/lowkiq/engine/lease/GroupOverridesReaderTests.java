package io.lowkiq.engine.lease;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.GroupPolicy;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.schedule.DefaultShardSplitter;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.testing.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class GroupOverridesReaderTests {

	private static final GroupOverride PAUSE = new GroupOverride(new GroupOverride.Change<>(true, "anna", 0), null,
			null, null);

	private final QueueRegistry queues = InMemoryRedis.newStore(InstantSource.system()).queues();

	private final ServedShards shards = new ServedShards(
			new WorkerRegistry(List.of(worker("sync", ":"), worker("orders", ""))), this.queues,
			new DefaultShardSplitter(), 100, 1, InstantSource.system());

	/** The paused groups that were told. */
	private final List<Set<String>> told = new ArrayList<>();

	private boolean isAway;

	private final GroupOverridesReader reader = new GroupOverridesReader((QueueRegistry) Proxy.newProxyInstance(
			getClass().getClassLoader(), new Class<?>[] { QueueRegistry.class }, (proxy, method, arguments) -> {
				if (this.isAway) {
					throw new StoreException("away", null);
				}
				try {
					return method.invoke(this.queues, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}), this.shards, this::told);

	@RegisterExtension
	private final LogLines log = new LogLines(GroupOverridesReader.class);

	private static RegisteredWorker worker(String queue, String separator) {
		RegisteredWorker.Settings settings = new RegisteredWorker.Settings(2, 1, 3, 100, 1, 0);
		return new RegisteredWorker(queue, Worker.class, String.class,
				separator.isEmpty() ? settings : settings.with(new GroupPolicy(separator)),
				() -> (Worker<String>) (id, payloads) -> {
				});
	}

	private void pause(QueueLayout queue, String group) {
		this.queues.override(queue, Map.of(group, PAUSE), Set.of(GroupOverride.Part.PAUSE));
	}

	private void told(ServedQueue queue, Map<String, GroupOverride> overrides) {
		assertThat(queue.name()).isEqualTo("sync");
		this.told.add(overrides.keySet());
	}

	@Test
	void settingsOfANewQueueAreReadFirstAndChangesLater() {
		this.shards.serve();
		QueueLayout sync = this.queues.find("sync").orElseThrow();
		pause(sync, "a");
		this.reader.readNew();
		assertThat(this.told).containsExactly(Set.of("a"));
		pause(sync, "b");
		this.reader.readNew();
		assertThat(this.told).hasSize(1);
		this.reader.readAgain();
		this.reader.readAgain();
		assertThat(this.told).containsExactly(Set.of("a"), Set.of("a", "b"));
	}

	@Test
	void knownSettingsStayInUseWhileTheRegistryIsAway() {
		this.shards.serve();
		QueueLayout sync = this.queues.find("sync").orElseThrow();
		this.isAway = true;
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.reader::readNew);
		this.isAway = false;
		this.reader.readNew();
		assertThat(this.told).containsExactly(Set.of());
		pause(sync, "a");
		this.isAway = true;
		this.reader.readNew();
		this.reader.readAgain();
		this.reader.readAgain();
		assertThat(this.told).hasSize(1);
		assertThat(this.log.warnings()).singleElement().asString().contains("can't be read: away");
		this.isAway = false;
		this.reader.readAgain();
		assertThat(this.told).containsExactly(Set.of(), Set.of("a"));
		this.isAway = true;
		this.reader.readAgain();
		assertThat(this.log.warnings()).hasSize(2);
	}

}
