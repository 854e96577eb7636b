package io.lowkiq.sample.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A few words with a Redis on this machine, without a client library: is it there, is it
 * ours, stop. Not thread-safe.
 */
final class RedisConversation implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 2_000;

	private final Socket socket = new Socket();

	private final BufferedReader in;

	private final OutputStream out;

	/**
	 * Connects to a Redis on this machine.
	 * @throws IOException if nothing listens there
	 */
	RedisConversation(int port) throws IOException {
		try {
			this.socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
			this.socket.setSoTimeout(TIMEOUT_MILLIS);
			this.in = new BufferedReader(new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
			this.out = this.socket.getOutputStream();
		}
		catch (IOException ex) {
			this.socket.close();
			throw ex;
		}
	}

	/**
	 * Whether the server keeps its files in a directory, which tells it from any other.
	 * @throws IOException if it does not answer
	 */
	boolean livesIn(Path directory) throws IOException {
		say("CONFIG GET dir");
		String count = this.in.readLine();
		if (!"*2".equals(count)) {
			return false;
		}
		skip(3);
		String answer = this.in.readLine();
		return answer != null && Path.of(answer).toRealPath().equals(directory.toRealPath());
	}

	/**
	 * Stops the server, and waits until it has closed the connection.
	 * @throws IOException if it does not stop in time
	 */
	void shutDown() throws IOException {
		say("SHUTDOWN NOSAVE");
		String answer = this.in.readLine();
		if (answer != null) {
			throw new IOException("Redis did not stop: " + answer);
		}
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

	private void say(String command) throws IOException {
		this.out.write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
		this.out.flush();
	}

	private void skip(int lines) throws IOException {
		for (int i = 0; i < lines; i++) {
			this.in.readLine();
		}
	}

}
