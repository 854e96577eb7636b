package io.lowkiq.autoconfigure.kafka;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.JobRequest;
import io.lowkiq.PayloadCodec;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RecordReaderTests {

	private static final String JSON = "{\"id\": \"42\", \"version\": 7}";

	private static final KafkaSource SOURCE = KafkaSource.of("orders", "changes");

	@Test
	void keyIsTheIdAndJsonThePayload() {
		assertThat(read(SOURCE, record("42", JSON, 5, 0)))
			.isEqualTo(JobRequest.of("42", new Order("42", 7)).score(RecordReader.FIRST_OFFSET_SCORE + 5));
	}

	@Test
	void bytesAreJsonToo() {
		ConsumerRecord<?, ?> bytes = record("42".getBytes(StandardCharsets.UTF_8),
				JSON.getBytes(StandardCharsets.UTF_8), 5, 0);
		assertThat(read(SOURCE, bytes).id()).isEqualTo("42");
		assertThat(read(SOURCE, bytes).payload()).isEqualTo(new Order("42", 7));
	}

	@Test
	void aValueOfThePayloadTypeStaysAsItIs() {
		Order order = new Order("42", 7);
		assertThat(read(SOURCE, record("42", order, 5, 0)).payload()).isSameAs(order);
	}

	@Test
	void textIsNoJsonWherePayloadsAreText() {
		RecordReader reader = new RecordReader(SOURCE, String.class, new JacksonPayloadCodec());
		assertThat(reader.read(record("42", JSON, 5, 0)).payload()).isEqualTo(JSON);
	}

	@Test
	void expressionsSeeTheRecord() {
		KafkaSource source = SOURCE
			.id("#{topic}/#{partition}/#{offset}/#{timestamp}/#{key}/#{value.id}/#{headers['kind']}")
			.score("#{value.version * 2}");
		ConsumerRecord<?, ?> read = record("k", JSON, 5, 9);
		read.headers().add("kind", "first".getBytes(StandardCharsets.UTF_8));
		read.headers().add("kind", "last".getBytes(StandardCharsets.UTF_8));
		JobRequest<?> job = read(source, read);
		assertThat(job.id()).isEqualTo("changes/3/5/9/k/42/last");
		assertThat(job.score()).isEqualTo(14);
	}

	@Test
	void theOffsetIsAboveEveryTime() {
		Double score = read(SOURCE, record("42", JSON, 0, 0)).score();
		assertThat(score).isGreaterThan(System.currentTimeMillis()).isLessThan(Double.MAX_VALUE);
		assertThat(read(SOURCE, record("42", JSON, 1, 0)).score()).isGreaterThan(score);
	}

	@Test
	void recordsOfOneMillisecondKeepTheirOrder() {
		long now = 1_795_000_000_000L;
		KafkaSource source = SOURCE.score("timestamp");
		Double first = read(source, record("42", JSON, 8_190, now)).score();
		Double second = read(source, record("42", JSON, 8_191, now)).score();
		Double later = read(source, record("42", JSON, 0, now + 1)).score();
		assertThat(first).isGreaterThan(now).isLessThan(second);
		assertThat(second).isLessThan(later);
	}

	@Test
	void codeMakesThePayload() {
		KafkaSource source = SOURCE.payload((each) -> new Order(String.valueOf(each.key()), -1));
		assertThat(read(source, record("42", null, 5, 0)).payload()).isEqualTo(new Order("42", -1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#{headers['none']}", "#{headers['none'].length()}", "#{key}-#{headers['none']}" })
	void withoutAnIdThereIsNoJob(String id) {
		assertThatExceptionOfType(UnfitRecordException.class)
			.isThrownBy(() -> read(SOURCE.id(id), record("42", JSON, 5, 0)))
			.satisfies((problem) -> assertThat(problem.id()).isNull());
	}

	@Test
	void anUnfitValueKeepsItsId() {
		assertUnfit(SOURCE, record("42", "no JSON", 5, 0), "can't be read as JSON");
		assertUnfit(SOURCE, record("42", null, 5, 0), "It has no value");
		assertUnfit(SOURCE, record("42", 7L, 5, 0),
				"Its value is of java.lang.Long, but the payloads of the queue are of " + Order.class.getName());
		assertUnfit(SOURCE.score("#{value.id}"), record("42", JSON, 5, 0), "Its score is 42, which is not a number");
		assertUnfit(SOURCE.score("#{9007199254740993L}"), record("42", JSON, 5, 0),
				"The score of job '42' is 9007199254740993; a whole number must be between -2^53 and 2^53");
		assertUnfit(SOURCE.score("#{0.0 / 0}"), record("42", JSON, 5, 0), "The score of job '42' is NaN");
	}

	@Test
	void theIdMayComeFromTheValue() {
		assertThat(read(SOURCE.id("#{value.id}"), record(null, JSON, 5, 0)).id()).isEqualTo("42");
	}

	@ParameterizedTest
	@ValueSource(strings = { "key", "#{kee}", "#{key", "#{value.}" })
	void expressionsThatCannotWorkAreRefused(String text) {
		assertThatExceptionOfType(LowkiqConfigurationException.class)
			.isThrownBy(() -> read(SOURCE.id(text), record("42", JSON, 5, 0)))
			.withMessageContaining("The id of the Kafka source of queue 'orders' is '" + text + "'");
		assertThatExceptionOfType(LowkiqConfigurationException.class)
			.isThrownBy(() -> read(SOURCE.score(text), record("42", JSON, 5, 0)))
			.withMessageContaining("The score of the Kafka source of queue 'orders' is '" + text + "'");
	}

	@Test
	void expressionsMakeNoObjects() {
		assertThatExceptionOfType(UnfitRecordException.class)
			.isThrownBy(() -> read(SOURCE.id("#{T(java.lang.System).exit(1)}"), record("42", JSON, 5, 0)));
	}

	@Test
	void anErrorOfThePayloadFunctionIsAFailureOfItsRecord() {
		KafkaSource source = SOURCE.payload((each) -> {
			throw new NoClassDefFoundError("com/example/Gone");
		});
		assertUnfit(source, record("42", JSON, 5, 0), "NoClassDefFoundError: com/example/Gone");
	}

	@Test
	void anErrorOfTheCodecIsAFailureOfItsRecord() {
		PayloadCodec deep = new PayloadCodec() {

			@Override
			public byte[] encode(Object payload, Type type) {
				throw new StackOverflowError();
			}

			@Override
			public Object decode(byte[] bytes, Type type) {
				throw new StackOverflowError();
			}

		};
		assertThatExceptionOfType(UnfitRecordException.class)
			.isThrownBy(() -> new RecordReader(SOURCE, Order.class, deep).read(record("42", JSON, 5, 0)))
			.withMessageContaining("StackOverflowError");
	}

	private static void assertUnfit(KafkaSource source, ConsumerRecord<?, ?> unfit, String message) {
		assertThatExceptionOfType(UnfitRecordException.class).isThrownBy(() -> read(source, unfit))
			.withMessageContaining(message)
			.satisfies((problem) -> assertThat(problem.id()).isEqualTo("42"));
	}

	private static JobRequest<?> read(KafkaSource source, ConsumerRecord<?, ?> read) {
		return new RecordReader(source, Order.class, new JacksonPayloadCodec()).read(read);
	}

	private static ConsumerRecord<?, ?> record(@Nullable Object key, @Nullable Object value, long offset, long time) {
		return new ConsumerRecord<>("changes", 3, offset, time, TimestampType.CREATE_TIME, 1, 1, key, value,
				new RecordHeaders(), Optional.empty());
	}

}
