package io.lowkiq.engine.perform;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class RunLogTests {

	private static final Failure FAILURE = new Failure("boom");

	private final Logger logger = (Logger) LoggerFactory.getLogger(RunLog.NAME);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private final ReadableJob job = new ReadableJob(
			new FetchedJob("4\n2", 0, 1, 0, null, List.of(new Payload("a".getBytes(StandardCharsets.UTF_8), 1),
					new Payload("b".getBytes(StandardCharsets.UTF_8), 2))),
			List.of("a", "b"), List.of(), null);

	@BeforeEach
	void listen() {
		this.lines.start();
		this.logger.addAppender(this.lines);
		this.logger.setLevel(Level.DEBUG);
	}

	@AfterEach
	void stopListening() {
		this.logger.detachAppender(this.lines);
		this.logger.setLevel(null);
	}

	private void ended(Outcome... outcomes) {
		new RunLog("node-a").ended("orders", this.job, List.of(outcomes), Duration.ofMillis(12));
	}

	private static Outcome.PartlyDone part(List<Integer> gone, List<Integer> dead, boolean failed) {
		return new Outcome.PartlyDone("42", gone, dead, FAILURE, failed);
	}

	static Stream<Arguments> outcomeIsSaid() {
		Outcome.PartlyDone first = part(List.of(0), List.of(), false);
		return Stream.of(arguments("done", List.of(new Outcome.Done("42"))),
				arguments("retried in 30 s", List.of(new Outcome.Retry("42", 30_000, FAILURE, false))),
				arguments("partly done, retried in 30 s",
						List.of(first, new Outcome.Retry("42", 30_000, FAILURE, false))),
				arguments("on hold", List.of(new Outcome.Hold("42", FAILURE))),
				arguments("returned in 5 s", List.of(new Outcome.Returned("42", 5_000))),
				arguments("partly done, returned", List.of(first, new Outcome.Returned("42"))),
				arguments("dead", List.of(part(List.of(), List.of(0, 1), true))),
				arguments("discarded", List.of(part(List.of(0, 1), List.of(), true))));
	}

	@ParameterizedTest
	@MethodSource
	void outcomeIsSaid(String outcome, List<Outcome> outcomes) {
		ended(outcomes.toArray(Outcome[]::new));
		assertThat(this.lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.containsExactly("Job '4\\n2' of queue 'orders': %s after 12 ms, attempt 3, payloads 2, node node-a"
				.formatted(outcome));
	}

	@Test
	void structuredLogsHaveTheSameAsKeys() {
		ended(new Outcome.Done("42"));
		ILoggingEvent line = this.lines.list.get(0);
		assertThat(line.getKeyValuePairs().stream().collect(Collectors.toMap((pair) -> pair.key, (pair) -> pair.value)))
			.containsEntry("lowkiq.outcome", "done")
			.containsEntry("lowkiq.duration", 12L)
			.containsEntry("lowkiq.attempt", 3)
			.containsEntry("lowkiq.payloads", 2)
			.containsEntry("lowkiq.node", "node-a");
		assertThat(line.getMDCPropertyMap()).containsEntry("lowkiq.queue", "orders")
			.containsEntry("lowkiq.id", "4\\n2");
	}

	@ParameterizedTest
	@MethodSource("outcomeIsSaid")
	void ecsHasALineWithTheKeys(String outcome, List<Outcome> outcomes) {
		StructuredLogEncoder ecs = new StructuredLogEncoder();
		LoggerContext context = new LoggerContext();
		context.putObject(Environment.class.getName(), new StandardEnvironment());
		ecs.setContext(context);
		ecs.setFormat("ecs");
		ecs.start();
		ended(outcomes.toArray(Outcome[]::new));
		String written = this.lines.list.stream()
			.map((line) -> new String(ecs.encode(line), StandardCharsets.UTF_8))
			.collect(Collectors.joining());
		assertThat(written).hasLineCount(1);
		JsonNode line = JsonMapper.shared().readTree(written);
		assertThat(line.at("/message").asString()).contains(": " + outcome + " after 12 ms");
		JsonNode keys = line.at("/lowkiq");
		assertThat(keys.at("/outcome").asString()).isEqualTo(outcome.replaceFirst(" in .*", ""));
		assertThat(keys.at("/queue").asString()).isEqualTo("orders");
		assertThat(keys.at("/id").asString()).isEqualTo("4\\n2");
		assertThat(keys.at("/duration").asInt()).isEqualTo(12);
		assertThat(keys.at("/attempt").asInt()).isEqualTo(3);
		assertThat(keys.at("/payloads").asInt()).isEqualTo(2);
		assertThat(keys.at("/node").asString()).isEqualTo("node-a");
	}

	@Test
	void nothingIsWrittenUnlessTheLoggerIsOn() {
		this.logger.setLevel(Level.INFO);
		ended(new Outcome.Done("42"));
		assertThat(this.lines.list).isEmpty();
	}

}
