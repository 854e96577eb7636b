package io.lowkiq.autoconfigure.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A record that could not become a job, as it was polled.
 *
 * @param timestamp in milliseconds since 1970
 */
record GivenUpRecord(String group, String topic, int partition, long offset, long timestamp,
		TimestampType timestampType, @Nullable RawBytes key, @Nullable RawBytes value, List<RawHeader> headers) {

	static GivenUpRecord of(String group, ConsumerRecord<byte[], byte[]> raw) {
		List<RawHeader> headers = new ArrayList<>();
		for (Header header : raw.headers()) {
			headers.add(new RawHeader(header.key(), RawBytes.of(header.value())));
		}
		return new GivenUpRecord(group, raw.topic(), raw.partition(), raw.offset(), raw.timestamp(),
				raw.timestampType(), RawBytes.of(raw.key()), RawBytes.of(raw.value()), headers);
	}

	ConsumerRecord<byte[], byte[]> raw() {
		RecordHeaders all = new RecordHeaders();
		this.headers.forEach((header) -> all.add(header.name(), RawBytes.bytesOf(header.value())));
		byte @Nullable [] rawKey = RawBytes.bytesOf(this.key);
		byte @Nullable [] rawValue = RawBytes.bytesOf(this.value);
		return new ConsumerRecord<>(this.topic, this.partition, this.offset, this.timestamp, this.timestampType,
				size(rawKey), size(rawValue), rawKey, rawValue, all, Optional.empty());
	}

	private static int size(byte @Nullable [] bytes) {
		return (bytes != null) ? bytes.length : ConsumerRecord.NULL_SIZE;
	}

	record RawHeader(String name, @Nullable RawBytes value) {
	}

}
