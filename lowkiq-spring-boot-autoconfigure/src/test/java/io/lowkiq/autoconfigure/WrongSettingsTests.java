package io.lowkiq.autoconfigure;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class WrongSettingsTests {

	@LowkiqWorker(queue = "sync", groupSeparator = ":")
	@LowkiqSchedule(id = "nightly", cron = "@midnight")
	static class SyncWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			return schedule;
		}

	}

	/** Each stops the start, or is a WARN, and both say what to write. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			// groups
			"~.group.separator=123456789 | stands between the group",
			"~.groups=: | is lowkiq.workers.sync.group.separator now",
			"~.group.separator=,~.group.max-share=80% | set group.separator to what stands between",
			"~.group.max-share=0% | must be between 1 and 100", "~.group.max-share=101% | must be between 1 and 100",
			"~.group.max-share=most | Write it as in '80%'",
			"~.max-share=80% | did you mean lowkiq.workers.sync.group.max-share?",
			"~.group.max-shares=80% | did you mean lowkiq.workers.sync.group.max-share?",
			"~.group.weights.acme=0 | must be between 1 and 1000",
			"~.group.weights.acme=1001 | must be between 1 and 1000",
			"~.group.weights.acme=much | under 'lowkiq.workers.sync.group.weights.acme'",
			"~.group.weight.acme=3 | they have no effect: lowkiq.workers.sync.group.weight.acme",
			"~.one-shard-per-group=: | under 'lowkiq.workers.sync.one-shard-per-group'",
			"lowkiq.queues.mails.group.separator=: | Set both as the queue's worker has them",
			"lowkiq.metrics.groups=101 | must be between 0 and 100",
			// limits
			"~.concurrency=4 | set it to 5 or more", "~.concurrency=-1 | must be between 0 and 1000000",
			"~.concurrency=many | under 'lowkiq.workers.sync.concurrency'",
			"~.group.concurrency=4 | set one-shard-per-group=true",
			"~.shard-concurrency=1001 | must be between 0 and 1000",
			"~.scheduler-weight=0 | must be between 1 and 1000",
			"~.scheduler-weight=3 | lowkiq.workers.sync.scheduler-weight without lowkiq.server.scheduler=weighted",
			"lowkiq.server.node-count=3 | lowkiq.server.node-count without lowkiq.server.splitter=by-node",
			"lowkiq.server.splitter=by-node,lowkiq.server.node-number=1 | Set node-count to the number of nodes",
			"lowkiq.server.theads=3 | did you mean lowkiq.server.threads?",
			"LOWKIQ_SERVER_THREAD=3 | LOWKIQ_SERVER_THREAD (*) did you mean LOWKIQ_SERVER_THREADS?",
			"LOWKIQ_WORKERS_SYNC_GROUP_MAXSHARES=8 | did you mean LOWKIQ_WORKERS_SYNC_GROUP_MAXSHARE?",
			"LOWKIQ_WORKERS_SINC_SHARDS=8 | no worker of this application serves: [sinc]",
			"lowkiq.client.wait-timeout=2s | lowkiq.client.wait-timeout without lowkiq.client.wait-for-replicas",
			// rates
			"~.rate=4 | Write it as in '100/s', '6/min'", "~.rate=100/d | Write it as in '100/s', '6/min'",
			"~.rate=10/s burst 5 | Write it as in '100/s', '6/min'",
			"~.rate=10/s; burst 0 | Write it as in '100/s', '6/min'", "~.rate=10/s; burst 4 | set it to 5 or more",
			"~.rate=1439/day | starts must be at most a minute apart", "~.rate=0/s | must be between 1 and 1000000",
			"~.rate=9999999/s | must be between 1 and 1000000", "~.group.rate=4/s | set one-shard-per-group=true",
			"~.one-shard-per-group=true,~.group.rate=4/sec | lowkiq.workers.sync.group.rate is '4/sec', which is not a rate",
			// schedules
			"~.schedules.weekly.zone=UTC | has the cron expression 'null'",
			"~.schedules.nightly.cron=x | or set lowkiq.workers.sync.schedules.nightly.cron",
			"~.schedules.nightly.cron=0 0 12 31 2 * | there is no such date",
			"~.schedules.nightly.zone=Berlin | Write an id such as 'Europe/Berlin'",
			"~.schedules.nightly.crom=@daily | they have no effect: lowkiq.workers.sync.schedules.nightly.crom",
			"~.schedule.nightly.cron=@daily | they have no effect: lowkiq.workers.sync.schedule.nightly.cron",
			"~.schedules.[a-b].cron=@daily,~.schedules.[aB].cron=@daily | Give one of them another id",
			// keep
			"~.keep=newest | under 'lowkiq.workers.sync.keep'",
			"lowkiq.outbox.keep-sent=1h | lowkiq.outbox.keep-sent without lowkiq.client.transactional=outbox",
			"lowkiq.morgue.max-age=-1s | must not be negative", "lowkiq.morgue.max-jobs=-1 | must not be negative",
			"~.max-wait=5s | but it has no debounce", "~.debounce=5s,~.max-wait=1s | less than its debounce",
			"~.min-interval=366d | must be between 0 and 365 days" })
	void noneIsSilent(String settings, String said, CapturedOutput output) {
		Map<String, Object> properties = new HashMap<>(Map.of("lowkiq.server.enabled", "false"));
		Map<String, Object> variables = new HashMap<>();
		for (String setting : settings.split(",")) {
			String[] parts = setting.split("=", 2);
			(parts[0].startsWith("LOWKIQ") ? variables : properties).put(parts[0].replace("~", "lowkiq.workers.sync"),
					parts[1].replace(';', ','));
		}
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class, SyncWorker.class)
			.withInitializer((context) -> {
				context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("file", properties));
				context.getEnvironment()
					.getPropertySources()
					.addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables));
			})
			.run((context) -> {
				StringBuilder all = new StringBuilder(
						output.toString().lines().filter((line) -> line.contains(" WARN ")).toList().toString());
				for (Throwable ex = context.getStartupFailure(); ex != null; ex = ex.getCause()) {
					all.append(ex.getMessage())
						.append((ex instanceof LowkiqConfigurationException problem) ? problem.action() : "");
				}
				assertThat(all.toString().replaceAll("\\([^()]*\\),", "(*)")).contains(said);
			});
	}

}
