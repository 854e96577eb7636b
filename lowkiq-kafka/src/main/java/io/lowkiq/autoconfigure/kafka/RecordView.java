package io.lowkiq.autoconfigure.kafka;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** The view that expressions have of a record: one property for each method. */
final class RecordView {

	private final ConsumerRecord<?, ?> kafkaRecord;

	private final @Nullable Object payload;

	RecordView(ConsumerRecord<?, ?> kafkaRecord, @Nullable Object payload) {
		this.kafkaRecord = kafkaRecord;
		this.payload = payload;
	}

	/** Bytes are taken for text. */
	public @Nullable Object getKey() {
		Object key = this.kafkaRecord.key();
		return (key instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : key;
	}

	public @Nullable Object getValue() {
		return this.payload;
	}

	/** Of several headers of a name, the last one. */
	public Map<String, String> getHeaders() {
		Map<String, String> headers = new LinkedHashMap<>();
		for (Header header : this.kafkaRecord.headers()) {
			if (header.value() != null) {
				headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
			}
		}
		return headers;
	}

	public String getTopic() {
		return this.kafkaRecord.topic();
	}

	public int getPartition() {
		return this.kafkaRecord.partition();
	}

	public long getOffset() {
		return this.kafkaRecord.offset();
	}

	public long getTimestamp() {
		return this.kafkaRecord.timestamp();
	}

}
