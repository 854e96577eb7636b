package io.lowkiq;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/**
 * The position in a trace at which something was enqueued, as in the W3C header
 * {@code traceparent}.
 *
 * @param traceId 32 hexadecimal digits in lower case
 * @param spanId 16 hexadecimal digits in lower case
 * @param sampled whether the span is recorded
 */
public record TraceParent(String traceId, String spanId, boolean sampled) {

	/** The size in bytes. */
	public static final int BYTES = 25;

	private static final int TRACE_ID_BYTES = 16;

	private static final int SPAN_ID_BYTES = 8;

	private static final Pattern TEXT = Pattern
		.compile("(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

	private static final Pattern HEX = Pattern.compile("[0-9a-f]+");

	public TraceParent {
		if (traceId.length() != 2 * TRACE_ID_BYTES || spanId.length() != 2 * SPAN_ID_BYTES
				|| !HEX.matcher(traceId).matches() || !HEX.matcher(spanId).matches()) {
			throw new IllegalArgumentException(
					"Not the ids of a trace and a span: '%s', '%s'".formatted(LogText.of(traceId), LogText.of(spanId)));
		}
	}

	/**
	 * Reads the value of a header.
	 * @param text the value
	 * @return the position; null if the text is not a valid header
	 */
	public static @Nullable TraceParent parse(String text) {
		Matcher matcher = TEXT.matcher(text);
		return matcher.matches()
				? new TraceParent(matcher.group(1), matcher.group(2), (Integer.parseInt(matcher.group(3), 16) & 1) != 0)
				: null;
	}

	/**
	 * Reads a position from bytes.
	 * @param source the buffer, positioned at the first byte
	 * @return the position
	 * @throws java.nio.BufferUnderflowException if there are too few bytes
	 */
	public static TraceParent read(ByteBuffer source) {
		return new TraceParent(hex(source, TRACE_ID_BYTES), hex(source, SPAN_ID_BYTES), (source.get() & 1) != 0);
	}

	private static String hex(ByteBuffer source, int length) {
		byte[] bytes = new byte[length];
		source.get(bytes);
		return HexFormat.of().formatHex(bytes);
	}

	/**
	 * The position as {@value #BYTES} bytes.
	 * @return the bytes
	 */
	public byte[] toBytes() {
		return ByteBuffer.allocate(BYTES)
			.put(HexFormat.of().parseHex(this.traceId))
			.put(HexFormat.of().parseHex(this.spanId))
			.put((byte) (this.sampled ? 1 : 0))
			.array();
	}

	/**
	 * The value of the header.
	 * @return the text
	 */
	@Override
	public String toString() {
		return "00-" + this.traceId + "-" + this.spanId + (this.sampled ? "-01" : "-00");
	}

}
