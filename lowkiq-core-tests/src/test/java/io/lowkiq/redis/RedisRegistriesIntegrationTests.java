package io.lowkiq.redis;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.lowkiq.StoreException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The queues and the sessions of the nodes on a real Redis. */
class RedisRegistriesIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final NodeInfo INFO = new NodeInfo("node-1", 1234567890123L, LEASE, Set.of("orders", "mails"),
			false);

	@AutoClose
	private final RedisShardFixture fixture = new RedisShardFixture();

	private final QueueRegistry queues = this.fixture.store.queues();

	private final NodeRegistry nodes = this.fixture.store.nodes();

	@ParameterizedTest
	@ValueSource(strings = { "48", "x", "1:0", "0:1", "1:65537", "1;2", "-1:5" })
	void recordThatCanNotBeReadConcernsOnlyItsQueue(String record) {
		this.queues.register("orders", 5);
		this.fixture.redis.opsForHash().put(this.fixture.prefix + ":{queues}", "odd", record);
		assertThat(this.queues.all()).containsExactly(new QueueLayout("orders", 1, 5));
		assertThat(this.queues.find("orders")).isPresent();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.queues.find("odd"))
			.withMessageContaining("'" + record + "'");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.queues.register("odd", 5))
			.withMessageContaining("HDEL");
	}

	@Test
	void membershipIsReadInFullOnlyWhenItHasChanged() {
		this.nodes.join("s1", INFO);
		RedisStore another = new RedisStore(this.fixture.connectionFactory, this.fixture.prefix, null);
		another.nodes().join("s2", INFO);
		assertThat(this.nodes.beat("s1", INFO).members()).containsExactly(new Member("s1", 1, INFO),
				new Member("s2", 0, INFO));
		another.nodes().beat("s2", INFO);
		assertThat(this.nodes.beat("s1", INFO).members()).containsExactly(new Member("s1", 2, INFO),
				new Member("s2", 1, INFO));
		this.fixture.redis.opsForHash().put(key(), "i:s2", "not read as long as the revision stands");
		assertThat(this.nodes.members().members()).extracting(Member::info).containsExactly(INFO, INFO);
	}

	@Test
	void registryThatWasLostIsReadInFullThoughItsRevisionIsKnown() {
		this.nodes.join("s1", INFO);
		this.fixture.redis.delete(key());
		NodeInfo other = new NodeInfo("node-2", 1, LEASE, Set.of(), true);
		new RedisStore(this.fixture.connectionFactory, this.fixture.prefix, null).nodes().join("s2", other);
		Membership membership = this.nodes.beat("s1", INFO);
		assertThat(membership.held()).isFalse();
		assertThat(membership.members()).containsExactly(new Member("s2", 0, other));
	}

	@Test
	void infoInAnUnknownFormCountsAllTheSame() {
		this.nodes.join("s1", INFO);
		this.fixture.redis.opsForHash().put(key(), "i:s1", "odd");
		Membership membership = new RedisStore(this.fixture.connectionFactory, this.fixture.prefix, null).nodes()
			.members();
		assertThat(membership.members()).singleElement()
			.satisfies((member) -> assertThat(member.info().leaseDuration()).isGreaterThan(LEASE));
	}

	@Test
	void lastThousandEndedSessionsAreRemembered() {
		IntStream.range(0, 1_005).forEach((i) -> {
			this.nodes.join("s" + i, INFO);
			this.nodes.leave("s" + i);
		});
		assertThat(this.nodes.members().ended()).hasSize(1_000).doesNotContainKey("s4").containsEntry("s5", false);
	}

	@Test
	void reportsOfEndedSessionsAreForgotten() {
		this.nodes.join("s1", INFO);
		this.nodes.report("s1", "{}");
		assertThat(this.nodes.reports()).containsExactly(Map.entry("s1", "{}"));
		this.nodes.leave("s1");
		this.nodes.report("s1", "too late");
		assertThat(this.nodes.reports()).isEmpty();
		assertThat(this.fixture.redis.opsForHash().keys(key())).noneMatch((field) -> field.toString().contains("s1"));
	}

	@Test
	void reportOfASessionThatNeverBeganIsNotKept() {
		this.nodes.report("s1", "{}");
		assertThat(this.fixture.redis.hasKey(key())).isFalse();
	}

	private String key() {
		return this.fixture.prefix + ":{nodes}";
	}

}
