package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.GroupOverride.Part;
import io.lowkiq.store.GroupOverrides;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.testing.LogLines;
import io.lowkiq.testing.TestAdmin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests what is read of settings of groups that somebody has changed by hand. */
class GroupOverridesTests {

	private static final String SETTINGS = "lowkiq:{queues}:groups:1:sync";

	private static final String CHANGES = "lowkiq:{queues}:group-changes:1:sync";

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final QueueLayout queue = this.store.queues().register("sync", 1);

	@RegisterExtension
	private final LogLines log = new LogLines("io.lowkiq.redis");

	/** Another node, which has read nothing yet. */
	private final RedisStore other = this.redis.store();

	private void set(String field, String value) {
		call("HSET", SETTINGS, field, value);
	}

	private void call(String... command) {
		this.redis.call(Stream.of(command).map(GroupOverridesTests::bytes).toArray(byte[][]::new)).join();
	}

	private void limit(RedisStore store, int concurrency, String... groups) {
		Map<String, GroupOverride> limits = Stream.of(groups)
			.collect(Collectors.toMap((group) -> group,
					(group) -> new GroupOverride(null, new Change<>(concurrency, "anna", 0), null, null)));
		store.queues().override(this.queue, limits, Set.of(Part.CONCURRENCY));
	}

	private Map<String, Integer> limits(RedisStore store) {
		return store.queues()
			.overrides(this.queue)
			.groups()
			.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey,
					(group) -> Objects.requireNonNull(group.getValue().concurrency()).value()));
	}

	private Set<String> forgotten(RedisStore store) {
		return store.queues().forgottenOverrides(this.queue).keySet();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	void settingThatCanNotBeReadHasNoEffectAndAPauseHolds() {
		set("revision", "1");
		set("weight:a", "5 7 anna");
		set("pause:a", "odd");
		set("concurrency:a", "5 0 anna");
		set("concurrency:b", "5 99999999 anna");
		set("rate:b", "5 20/0/0 anna");
		set("rate:c", "5 1/70000/0 anna");
		set("odd:c", "5 1 anna");
		set("odd", "1");
		GroupOverrides read = this.store.queues().overrides(this.queue);
		assertThat(this.store.queues().overrides(this.queue)).isEqualTo(read);
		assertThat(read.groups().get("a")).isEqualTo(new GroupOverride(new GroupOverride.Change<>(true, "", 0), null,
				null, new GroupOverride.Change<>(7, "anna", 5)));
		assertThat(read.groups()).containsOnlyKeys("a");
		assertThat(this.log.warnings()).hasSize(5)
			.allMatch((line) -> line.contains("has no effect") && line.contains("lowkiq:{queues}:groups:1:sync"));
	}

	@Test
	void onlyWhatHasChangedIsReadUntilThatIsTooLongAgo() {
		limit(this.store, 1, "a", "b");
		assertThat(limits(this.other)).isEqualTo(Map.of("a", 1, "b", 1));
		// By hand, and with the same revision: who reads everything again would see it
		call("HDEL", SETTINGS, "concurrency:a");
		limit(this.store, 2, "b", "c");
		assertThat(limits(this.other)).isEqualTo(Map.of("a", 1, "b", 2, "c", 2));
		this.store.queues().override(this.queue, Map.of("c", GroupOverride.NONE), Set.of(Part.values()));
		assertThat(limits(this.other)).isEqualTo(Map.of("a", 1, "b", 2));
		String[] many = IntStream.range(0, 2_001).mapToObj((i) -> "group-" + i).toArray(String[]::new);
		limit(this.store, 3, many);
		assertThat(limits(this.other)).hasSize(2_002).containsEntry("group-2000", 3).doesNotContainKey("a");
		assertThat(this.redis.call(bytes("ZCARD"), bytes(CHANGES)).join()).isEqualTo(2_000L);
		assertThat(this.store.queues().overrides(this.queue).revision()).as("500 groups a step").startsWith("8:");
		limit(this.other, 3, many);
		assertThat(this.store.queues().overrides(this.queue).revision()).as("all set already").startsWith("8:");
		assertThat(this.log.warnings()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "nothing", "another", "others" })
	void whatRedisForgotIsLoggedAndCanBeSetAgain(String sinceThen) {
		limit(this.store, 1, "a");
		String revision = this.store.queues().overrides(this.queue).revision();
		limit(this.store, 2, "b", "c");
		limits(this.store);
		// A failover has forgotten the second change
		call("HDEL", SETTINGS, "concurrency:b", "concurrency:c");
		call("HSET", SETTINGS, "revision", revision);
		call("ZREMRANGEBYRANK", CHANGES, "1", "-1");
		if (!sinceThen.equals("nothing")) {
			limit(this.other, 7, "d");
		}
		if (sinceThen.equals("others")) {
			limit(this.other, 8, "c");
		}
		assertThat(limits(this.store)).containsEntry("a", 1).doesNotContainKey("b");
		assertThat(limits(this.store)).isEqualTo(limits(this.other));
		assertThat(this.log.warnings()).singleElement()
			.asString()
			.contains("has forgotten what was set for groups of queue 'sync': 'b concurrency 2'");
		assertThat(forgotten(this.other)).isEmpty();
		assertThat(forgotten(this.store)).isEqualTo(sinceThen.equals("others") ? Set.of("b") : Set.of("b", "c"));
		LowkiqAdmin admin = TestAdmin.of(this.store, (event) -> {
		}, Outbox.NONE);
		int missing = sinceThen.equals("others") ? 1 : 2;
		assertThat(admin.forgottenGroups("sync")).hasSize(missing);
		assertThat(admin.restoreGroups("sync")).isEqualTo(missing);
		assertThat(admin.forgottenGroups("sync")).isEmpty();
		assertThat(limits(this.other)).containsEntry("b", 2).containsEntry("c", sinceThen.equals("others") ? 8 : 2);
		assertThat(this.log.warnings()).hasSize(1);
	}

	@Test
	void whatAnEmptyRedisForgotCanBeSetAgainWhenTheQueueIsRecorded() {
		limit(this.store, 1, "a");
		limits(this.store);
		call("DEL", "lowkiq:{queues}", SETTINGS, CHANGES);
		assertThat(limits(this.store)).as("nobody knows the queue").containsOnlyKeys("a");
		assertThat(this.log.warnings()).isEmpty();
		this.store.queues().register("sync", 1);
		assertThat(limits(this.store)).isEmpty();
		assertThat(this.log.warnings()).hasSize(1);
		assertThat(forgotten(this.store)).containsExactly("a");
	}

	@Test
	void aResetThatWasForgottenIsLogged() {
		limit(this.store, 1, "a");
		this.store.queues().override(this.queue, Map.of("a", GroupOverride.NONE), Set.of(Part.values()));
		limits(this.store);
		call("HSET", SETTINGS, "concurrency:a", "5 1 anna", "revision", "1:5.000");
		assertThat(limits(this.store)).containsOnlyKeys("a");
		assertThat(this.log.warnings()).singleElement().asString().contains("what was reset may be set again");
		assertThat(forgotten(this.store)).isEmpty();
	}

}
