package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;

import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.StoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The queues and the sessions of the nodes on a real Redis.
 */
class RedisRegistriesIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final NodeInfo INFO = new NodeInfo("node-1", 1234567890123L, List.of("orders", "mails"),
			"{\"é\":1}");

	private final RedisShardFixture fixture = new RedisShardFixture();

	private final QueueRegistry queues = this.fixture.store.queues();

	private final NodeRegistry nodes = this.fixture.store.nodes();

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void firstRegistrationOfAQueueStands() {
		assertThat(this.queues.find("orders")).isEmpty();
		assertThat(this.queues.all()).isEmpty();
		assertThat(this.queues.register("orders", 24)).isEqualTo(new QueueLayout("orders", 1, 24));
		assertThat(this.queues.register("orders", 5)).isEqualTo(new QueueLayout("orders", 1, 24));
		this.queues.register("mails", 1);
		assertThat(this.queues.find("orders")).contains(new QueueLayout("orders", 1, 24));
		assertThat(this.queues.all()).containsExactly(new QueueLayout("mails", 1, 1), new QueueLayout("orders", 1, 24));
	}

	@Test
	void layoutThatMakesNoSenseIsAnError() {
		for (String layout : List.of("x", "1:0", "0:1", "1:65537", "1:2:3", "-1:5")) {
			this.fixture.redis.opsForHash().put(this.fixture.prefix + ":{queues}", "orders", layout);
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.queues.find("orders"))
				.withMessageContaining(layout);
		}
	}

	@Test
	void sessionLivesAsLongAsItBeats() {
		Membership joined = this.nodes.join("s1", LEASE, INFO);
		Member member = new Member("s1", this.fixture.millis() + 15_000, INFO);
		assertThat(joined.held()).isTrue();
		assertThat(joined.now()).isEqualTo(this.fixture.millis());
		assertThat(joined.members()).containsExactly(member);
		this.fixture.advance(15_000);
		assertThat(this.nodes.beat("s1", LEASE, INFO).held()).isTrue();
		this.fixture.advance(15_000);
		assertThat(this.nodes.members().members()).hasSize(1);
		this.fixture.advance(1);
		Membership over = this.nodes.beat("s1", LEASE, INFO);
		assertThat(over.held()).isFalse();
		assertThat(over.members()).isEmpty();
		assertThat(over.ended()).containsExactly("s1");
		assertThat(this.nodes.join("s1", LEASE, INFO).held()).isFalse();
	}

	@Test
	void sessionThatLeftHasEnded() {
		this.nodes.join("s2", LEASE, INFO);
		this.nodes.join("s1", LEASE, INFO);
		assertThat(this.nodes.members().members()).extracting(Member::session).containsExactly("s2", "s1");
		this.nodes.leave("s2");
		this.nodes.leave("unknown");
		Membership membership = this.nodes.members();
		assertThat(membership.members()).extracting(Member::session).containsExactly("s1");
		assertThat(membership.ended()).containsExactly("s2");
		assertThat(this.nodes.beat("s2", LEASE, INFO).held()).isFalse();
		assertThat(this.nodes.beat("unknown", LEASE, INFO).held()).isFalse();
	}

	@Test
	void endedSessionsAreForgottenAfterTenLeases() {
		this.nodes.join("s1", LEASE, INFO);
		this.nodes.leave("s1");
		this.fixture.advance(LEASE.toMillis() * 10);
		assertThat(this.nodes.members().ended()).containsExactly("s1");
		this.fixture.advance(1);
		assertThat(this.nodes.members().ended()).isEmpty();
		assertThat(this.nodes.beat("s1", LEASE, INFO).held()).isFalse();
	}

	@Test
	void infoInAnUnknownFormCountsAllTheSame() {
		this.nodes.join("s1", LEASE, INFO);
		this.fixture.redis.opsForHash().put(this.fixture.prefix + ":{nodes}:info", "s1", "12345678odd");
		assertThat(this.nodes.members().members()).extracting(Member::info)
			.containsExactly(new NodeInfo("", 0, List.of(), ""));
	}

}
