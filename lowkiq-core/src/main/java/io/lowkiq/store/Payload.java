package io.lowkiq.store;

import java.util.Arrays;

/**
 * A stored payload.
 *
 * @param bytes the payload's bytes; not copied, not to be changed
 * @param score orders the payloads of one id
 */
@SuppressWarnings("ArrayRecordComponent")
public record Payload(byte[] bytes, double score) {

	@Override
	public boolean equals(Object other) {
		return other instanceof Payload that && Double.compare(this.score, that.score) == 0
				&& Arrays.equals(this.bytes, that.bytes);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes) * 31 + Double.hashCode(this.score);
	}

	@Override
	public String toString() {
		return "Payload[%d bytes, score=%s]".formatted(this.bytes.length, this.score);
	}

}
