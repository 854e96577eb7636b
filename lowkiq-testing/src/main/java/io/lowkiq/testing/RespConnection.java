package io.lowkiq.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One plain connection to a Redis on this machine, for the commands that start, join and
 * stop a server. Not thread safe.
 */
final class RespConnection implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 10_000;

	private final Socket socket = new Socket();

	private final InputStream in;

	RespConnection(int port) throws IOException {
		try {
			this.socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
			this.socket.setSoTimeout(TIMEOUT_MILLIS);
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			this.socket.close();
			throw ex;
		}
	}

	/**
	 * Sends a command and returns its answer as text; an error begins with a minus sign,
	 * the elements of an array are lines.
	 */
	@Nullable String call(String... command) throws IOException {
		ByteArrayOutputStream request = new ByteArrayOutputStream();
		write(request, "*" + command.length + "\r\n");
		for (String argument : command) {
			write(request, "$" + argument.getBytes(StandardCharsets.UTF_8).length + "\r\n" + argument + "\r\n");
		}
		this.socket.getOutputStream().write(request.toByteArray());
		return readAnswer();
	}

	private static void write(ByteArrayOutputStream request, String text) {
		request.writeBytes(text.getBytes(StandardCharsets.UTF_8));
	}

	private @Nullable String readAnswer() throws IOException {
		String line = readLine();
		return switch (line.charAt(0)) {
			case '+', ':' -> line.substring(1);
			case '-' -> line;
			case '$' -> readBulk(Integer.parseInt(line.substring(1)));
			case '*' -> readArray(Integer.parseInt(line.substring(1)));
			default -> throw new IOException("Unexpected answer: " + line);
		};
	}

	private String readArray(int length) throws IOException {
		List<String> elements = new ArrayList<>();
		for (int index = 0; index < length; index++) {
			elements.add(String.valueOf(readAnswer()));
		}
		return String.join("\n", elements);
	}

	private @Nullable String readBulk(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.in.readNBytes(length);
		readLine();
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private String readLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new EOFException("Redis closed the connection");
			}
			if (next != '\r') {
				line.write(next);
			}
		}
		return line.toString(StandardCharsets.UTF_8);
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
