package io.lowkiq.dashboard.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

import org.springframework.http.HttpHeaders;

/** Compresses answers for those who take them compressed. */
final class Gzip {

	/**
	 * Shorter bodies fit into a packet anyway. The CSRF token is in one of them: what
	 * holds a secret must not be compressed together with what a stranger may choose.
	 */
	private static final int SHORTEST = 1_400;

	private static final Pattern REFUSED = Pattern.compile("gzip;q=0(\\.0*)?");

	private Gzip() {
	}

	static DashboardResponse compress(DashboardResponse response, HttpHeaders request) {
		byte[] body = response.body();
		if (body.length < SHORTEST) {
			return response;
		}
		HttpHeaders headers = new HttpHeaders(response.headers());
		headers.add(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
		if (!isAccepted(request)) {
			return new DashboardResponse(response.status(), headers, body);
		}
		headers.set(HttpHeaders.CONTENT_ENCODING, "gzip");
		return new DashboardResponse(response.status(), headers, gzip(body));
	}

	private static boolean isAccepted(HttpHeaders request) {
		return request.getOrEmpty(HttpHeaders.ACCEPT_ENCODING)
			.stream()
			.flatMap((value) -> Arrays.stream(value.toLowerCase(Locale.ROOT).replace(" ", "").split(",")))
			.anyMatch((coding) -> coding.equals("gzip")
					|| (coding.startsWith("gzip;q=") && !REFUSED.matcher(coding).matches()));
	}

	private static byte[] gzip(byte[] body) {
		ByteArrayOutputStream compressed = new ByteArrayOutputStream(body.length / 3);
		try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
			out.write(body);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return compressed.toByteArray();
	}

}
