package io.lowkiq.redis.inmemory;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

import org.jspecify.annotations.Nullable;

/**
 * A connection to a real Redis, with replies as those of {@link InMemoryRedis}; an error
 * is returned.
 */
public final class RealRedis implements AutoCloseable {

	private final Socket socket;

	private final InputStream in;

	public RealRedis(String url) {
		try {
			URI uri = URI.create(url);
			SocketFactory sockets = uri.getScheme().equals("rediss") ? SSLSocketFactory.getDefault()
					: SocketFactory.getDefault();
			this.socket = sockets.createSocket(uri.getHost(), uri.getPort());
			this.socket.setTcpNoDelay(true);
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public @Nullable Object call(byte[]... command) {
		try {
			ByteArrayOutputStream request = new ByteArrayOutputStream();
			request.writeBytes(("*" + command.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
			for (byte[] argument : command) {
				request.writeBytes(("$" + argument.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
				request.writeBytes(argument);
				request.writeBytes(new byte[] { '\r', '\n' });
			}
			this.socket.getOutputStream().write(request.toByteArray());
			return read();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private @Nullable Object read() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			bytes.write(next);
		}
		String line = bytes.toString(StandardCharsets.ISO_8859_1).strip();
		String text = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> text;
			case '-' -> new RedisErrorException(text);
			case ':' -> Long.valueOf(text);
			case '$' -> text.equals("-1") ? null : readBulk(Integer.parseInt(text));
			case '*' -> text.equals("-1") ? null : readArray(Integer.parseInt(text));
			default -> throw new IOException(line);
		};
	}

	private byte[] readBulk(int length) throws IOException {
		byte[] bulk = this.in.readNBytes(length);
		this.in.skipNBytes(2);
		return bulk;
	}

	private List<@Nullable Object> readArray(int length) throws IOException {
		List<@Nullable Object> array = new ArrayList<>();
		for (int i = 0; i < length; i++) {
			array.add(read());
		}
		return array;
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
