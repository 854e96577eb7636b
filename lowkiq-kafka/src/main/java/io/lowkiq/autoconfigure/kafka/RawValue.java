package io.lowkiq.autoconfigure.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.support.KafkaUtils;
import org.springframework.kafka.support.serializer.DeserializationException;
import org.springframework.kafka.support.serializer.SerializationUtils;

import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;

/**
 * The value of a record as it is kept in the morgue: text as it is, so that the record
 * can be enqueued again when the worker can read it; other bytes in base64.
 */
final class RawValue {

	private static final LogAccessor logger = new LogAccessor(LogFactory.getLog(RawValue.class));

	private RawValue() {
	}

	static byte[] of(ConsumerRecord<?, ?> kafkaRecord, PayloadCodec codec) {
		DeserializationException problem = SerializationUtils.getExceptionFromHeader(kafkaRecord,
				KafkaUtils.VALUE_DESERIALIZER_EXCEPTION_HEADER, logger);
		return readable((problem != null) ? problem.getData() : bytes(kafkaRecord.value(), codec));
	}

	private static byte @Nullable [] bytes(@Nullable Object value, PayloadCodec codec) {
		if (value == null || value instanceof byte[]) {
			return (byte[]) value;
		}
		if (value instanceof String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}
		try {
			return codec.encode(value, value.getClass());
		}
		catch (PayloadException ex) {
			return value.toString().getBytes(StandardCharsets.UTF_8);
		}
	}

	private static byte[] readable(byte @Nullable [] bytes) {
		if (bytes == null) {
			return "null".getBytes(StandardCharsets.UTF_8);
		}
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
			return bytes;
		}
		catch (CharacterCodingException ex) {
			return "\"base64:%s\"".formatted(Base64.getEncoder().encodeToString(bytes))
				.getBytes(StandardCharsets.UTF_8);
		}
	}

}
