package io.lowkiq.autoconfigure;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.schedule.ScheduleAnnouncer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.node.NodeInfo;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Ticks of schedules are kept in the store. */
class ScheduleAnnouncerTests {

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
						LowkiqServerAutoConfiguration.class, LowkiqAdminAutoConfiguration.class))
		.withBean(RedisStore.class, () -> this.store)
		.withUserConfiguration(Reports.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	@LowkiqWorker("reports")
	@LowkiqSchedule(id = "nightly", cron = "${nightly:@daily}", zone = "UTC")
	@LowkiqSchedule(id = "hourly", cron = "${hourly:@hourly}", zone = "UTC")
	static class Reports implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			return schedule;
		}

	}

	private QueueLayout ticks() {
		return this.store.queues().find("reports.schedules").orElseThrow();
	}

	private boolean hasTick(String id) {
		return this.store.inspection().find(ticks().allShards().get(0), JobView.State.QUEUED, id, 0).isPresent();
	}

	private void loseTick(String id) {
		this.store.actions().delete(ticks().allShards().get(0), List.of(id));
	}

	private static void announce(ApplicationContext context) throws Exception {
		context.getBean(ScheduleAnnouncer.class).announce();
	}

	@Test
	void aTickThatWasLostComesBack() {
		this.runner.run((context) -> {
			announce(context);
			assertThat(hasTick("nightly")).isTrue();
			assertThat(hasTick("hourly")).isTrue();
			loseTick("nightly");
			announce(context);
			assertThat(hasTick("nightly")).isTrue();
		});
	}

	@Test
	void aTickThatIsThereIsAnnouncedOncePerStart() {
		this.runner.run((context) -> {
			announce(context);
			double score = this.store.inspection()
				.find(ticks().allShards().get(0), JobView.State.QUEUED, "nightly", 10)
				.orElseThrow()
				.payloads()
				.get(0)
				.score();
			announce(context);
			assertThat(this.store.inspection()
				.find(ticks().allShards().get(0), JobView.State.QUEUED, "nightly", 10)
				.orElseThrow()
				.payloads()).singleElement().satisfies((payload) -> assertThat(payload.score()).isEqualTo(score));
		});
	}

	@Test
	void theTickOfAScheduleThatIsSwitchedOffIsDeleted() {
		this.runner.run((context) -> {
			announce(context);
			this.runner.withPropertyValues("hourly=-").run((later) -> {
				announce(later);
				assertThat(hasTick("hourly")).isFalse();
				assertThat(hasTick("nightly")).isTrue();
			});
		});
	}

	@Test
	void theQueueOfTicksGoesWithTheLastScheduleOnceNoNodeServesIt() {
		this.runner.run((context) -> {
			announce(context);
			this.runner.withPropertyValues("hourly=-", "nightly=-").run((later) -> {
				announce(later);
				assertThat(this.store.queues().find("reports.schedules")).as("no node tells what it serves")
					.isPresent();
				this.store.nodes()
					.join("old", new NodeInfo("old", 1, Duration.ofMinutes(1), Set.of("reports", "reports.schedules"),
							false));
				announce(later);
				assertThat(this.store.queues().find("reports.schedules")).as("the old node serves it").isPresent();
				this.store.nodes().leave("old");
				this.store.nodes().join("new", new NodeInfo("new", 1, Duration.ofMinutes(1), Set.of("reports"), false));
				announce(later);
				assertThat(this.store.queues().find("reports.schedules")).isEmpty();
			});
		});
	}

	@Test
	void theReasonWhyAScheduleIsNotAnnouncedIsSaid() {
		this.runner.run((context) -> {
			this.redis.faults().fillMemory(true);
			assertThatThrownBy(() -> announce(context))
				.hasMessageContaining("The schedules of queue 'reports' can't be announced: ")
				.hasMessageContaining("OOM");
			context.getBean(ScheduleAnnouncer.class).loop().runOnce();
			assertThat(context.getBean(ScheduleAnnouncer.class).loop().status().problem())
				.contains("can't be announced: ");
		});
	}

	@Test
	void codecAndInterceptorsOfTheApplicationDoNotSeeTicks() {
		this.runner.withBean(EnqueueInterceptor.class, () -> (call, chain) -> {
			throw new IllegalStateException("no tenant");
		}).withBean(PayloadCodec.class, OtherCodec::new).run((context) -> {
			announce(context);
			assertThat(hasTick("nightly")).isTrue();
			assertThat(hasTick("hourly")).isTrue();
		});
	}

	/** Knows payloads of the application only. */
	private static final class OtherCodec implements PayloadCodec {

		@Override
		public byte[] encode(Object payload, Type type) {
			throw new PayloadException("Not of this application");
		}

		@Override
		public Object decode(byte[] bytes, Type type) {
			throw new PayloadException("Not of this application");
		}

	}

}
