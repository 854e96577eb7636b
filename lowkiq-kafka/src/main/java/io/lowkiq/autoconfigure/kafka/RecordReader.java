package io.lowkiq.autoconfigure.kafka;

import java.lang.reflect.Type;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.support.KafkaUtils;
import org.springframework.kafka.support.serializer.DeserializationException;
import org.springframework.kafka.support.serializer.SerializationUtils;

import io.lowkiq.JobRequest;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.autoconfigure.kafka.RecordDeserializers.Deserialized;

/** Makes jobs of records. Thread-safe. */
final class RecordReader {

	/** Above all times: a payload from Kafka comes after what others enqueued before. */
	static final double FIRST_OFFSET_SCORE = 0x1p43;

	/** A score that is a time has room for this many places within a millisecond. */
	private static final int PLACES_IN_A_MILLISECOND = 4_096;

	private static final byte[] NULL = "null".getBytes(StandardCharsets.UTF_8);

	private static final LogAccessor logger = new LogAccessor(LogFactory.getLog(RecordReader.class));

	private final KafkaSource source;

	private final Type payloadType;

	private final PayloadCodec codec;

	private final RecordExpression id;

	/** Null for the offset and the timestamp. */
	private final @Nullable RecordExpression score;

	/**
	 * @throws LowkiqConfigurationException if an expression can't work, or tombstones
	 * can't be jobs
	 */
	RecordReader(KafkaSource source, Type payloadType, PayloadCodec codec) {
		this.source = source;
		this.payloadType = payloadType;
		this.codec = codec;
		String where = " of the Kafka source of queue '%s'".formatted(source.queue());
		this.id = new RecordExpression(source.id(), "id" + where);
		boolean isOfKafka = source.score().equals("offset") || source.score().equals("timestamp");
		this.score = isOfKafka ? null : new RecordExpression(source.score(), "score" + where);
		if (source.treatmentOfTombstones() == Tombstones.AS_NULL && source.payload() == null) {
			failOnNoPayload(where);
		}
	}

	private void failOnNoPayload(String where) {
		try {
			if (decode(NULL) != null) {
				return;
			}
		}
		catch (PayloadException ex) {
			// It is told below
		}
		throw new LowkiqConfigurationException(
				"Tombstones%s are to be jobs (AS_NULL), but JSON null is no payload of type %s".formatted(where,
						this.payloadType.getTypeName()),
				"Make their payloads by KafkaSource.payload, take payloads of a type that has a value for null, such as Optional, or choose BURY or SKIP");
	}

	/**
	 * Of a record that was deserialized by Kafka's rules.
	 * @throws UnfitRecordException if it can't become one
	 */
	JobRequest<?> read(ConsumerRecord<?, ?> kafkaRecord) {
		return read(new Deserialized(kafkaRecord, null, null));
	}

	/**
	 * Whatever is thrown meanwhile is a failure of the record.
	 * @throws UnfitRecordException if it can't become a job
	 */
	JobRequest<?> read(Deserialized deserialized) {
		ConsumerRecord<?, ?> kafkaRecord = deserialized.kafkaRecord();
		String jobId = null;
		try {
			failOnUnreadable("key", deserialized.keyProblem());
			failOnUnreadable("key", problem(kafkaRecord, KafkaUtils.KEY_DESERIALIZER_EXCEPTION_HEADER));
			// Needed to name the job when its value is to blame, and possible if it does
			// not depend on it
			jobId = idWithoutValue(kafkaRecord);
			failOnUnreadable("value", deserialized.valueProblem());
			failOnUnreadable("value", problem(kafkaRecord, KafkaUtils.VALUE_DESERIALIZER_EXCEPTION_HEADER));
			Object payload = payload(kafkaRecord);
			RecordView view = new RecordView(kafkaRecord, payload);
			jobId = text(this.id.evaluate(view));
			return scored(JobRequest.of(jobId, payload), kafkaRecord, view);
		}
		catch (UnfitRecordException ex) {
			throw new UnfitRecordException(jobId, String.valueOf(ex.getMessage()), ex.getCause());
		}
		catch (Throwable ex) {
			throw new UnfitRecordException(jobId,
					(ex instanceof Error) ? ex.toString() : String.valueOf(ex.getMessage()), ex);
		}
	}

	private @Nullable String idWithoutValue(ConsumerRecord<?, ?> kafkaRecord) {
		try {
			return JobRequest.of(text(this.id.evaluate(new RecordView(kafkaRecord, null))), this).id();
		}
		catch (RuntimeException | Error ex) {
			return null;
		}
	}

	private static String text(@Nullable Object id) {
		if (id == null) {
			throw new UnfitRecordException(null, "Its id is null", null);
		}
		return id.toString();
	}

	private static @Nullable Throwable problem(ConsumerRecord<?, ?> kafkaRecord, String header) {
		DeserializationException problem = SerializationUtils.getExceptionFromHeader(kafkaRecord, header, logger);
		return (problem != null && problem.getCause() != null) ? problem.getCause() : problem;
	}

	private static void failOnUnreadable(String part, @Nullable Throwable problem) {
		if (problem != null) {
			throw new UnfitRecordException(null, "Its %s can't be deserialized: %s".formatted(part, problem), problem);
		}
	}

	private Object payload(ConsumerRecord<?, ?> kafkaRecord) {
		Tombstones treatment = this.source.treatmentOfTombstones();
		Object value = kafkaRecord.value();
		if (value == null && treatment != Tombstones.AS_NULL) {
			throw new UnfitRecordException(null,
					"It has no value. Set 'tombstones' of the source to SKIP or AS_NULL if this means a deletion",
					null);
		}
		if (this.source.payload() != null) {
			value = this.source.payload().apply(kafkaRecord);
		}
		else if (value == null) {
			value = decode(NULL);
		}
		if (value == null) {
			throw new UnfitRecordException(null, "It has no value, and no payload is made of that", null);
		}
		Class<?> expected = ResolvableType.forType(this.payloadType).resolve(Object.class);
		if (expected.isInstance(value)) {
			return value;
		}
		byte[] json = (value instanceof byte[] bytes) ? bytes
				: (value instanceof String text) ? text.getBytes(StandardCharsets.UTF_8) : null;
		if (json == null) {
			throw new UnfitRecordException(null, "Its value is of %s, but the payloads of the queue are of %s"
				.formatted(value.getClass().getName(), this.payloadType.getTypeName()), null);
		}
		return this.codec.decode(json, this.payloadType);
	}

	private @Nullable Object decode(byte[] json) {
		return this.codec.decode(json, this.payloadType);
	}

	/** Whether a record is to have no job. */
	boolean isSkipped(ConsumerRecord<byte[], byte[]> raw) {
		return raw.value() == null && this.source.treatmentOfTombstones() == Tombstones.SKIP;
	}

	private JobRequest<?> scored(JobRequest<?> request, ConsumerRecord<?, ?> kafkaRecord, RecordView view) {
		if (this.score == null) {
			return request.score(score(kafkaRecord));
		}
		Object result = this.score.evaluate(view);
		if (!(result instanceof Number number)) {
			throw new UnfitRecordException(null, "Its score is %s, which is not a number".formatted(result), null);
		}
		if (number instanceof Long || number instanceof Integer || number instanceof Short || number instanceof Byte) {
			return request.score(number.longValue());
		}
		if (number instanceof BigInteger big) {
			return request.score((big.bitLength() < Long.SIZE) ? big.longValue() : big.signum() * Long.MAX_VALUE);
		}
		return request.score(number.doubleValue());
	}

	/**
	 * Records of one millisecond are ordered by their offsets as far as there is room.
	 */
	double score(ConsumerRecord<?, ?> kafkaRecord) {
		if (this.source.score().equals("timestamp")) {
			double place = kafkaRecord.offset() % PLACES_IN_A_MILLISECOND;
			return kafkaRecord.timestamp() + place / PLACES_IN_A_MILLISECOND;
		}
		return FIRST_OFFSET_SCORE + kafkaRecord.offset();
	}

	/** The name of a record: topic, partition and offset. */
	static String name(ConsumerRecord<?, ?> kafkaRecord) {
		return KafkaUtils.format(kafkaRecord);
	}

}
