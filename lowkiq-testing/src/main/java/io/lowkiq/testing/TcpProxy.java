package io.lowkiq.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A network between a client and Redis that can be slow, hang, lose connections without a
 * sign, or be cut. The state is written by the test, read by the threads of the
 * connections.
 */
public final class TcpProxy implements AutoCloseable {

	private final ServerSocket door;

	private volatile int target;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	/** The sockets of connections that went dead; they stay open until the end. */
	private final Set<Socket> dead = ConcurrentHashMap.newKeySet();

	private final AtomicInteger accepted = new AtomicInteger();

	private volatile boolean hanging;

	private volatile boolean cut;

	private volatile long delayNanos;

	private volatile boolean losesAnswers;

	private volatile boolean closed;

	public TcpProxy(int target) {
		this(InetAddress.getLoopbackAddress().getHostAddress(), target);
	}

	/** A network for clients that don't reach the loopback address. */
	public TcpProxy(String host, int target) {
		this.target = target;
		try {
			this.door = new ServerSocket(0, 50, InetAddress.getByName(host));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	public int port() {
		return this.door.getLocalPort();
	}

	/** How many connections have come so far. */
	public int accepted() {
		return this.accepted.get();
	}

	/** The ports of the clients' ends of the present connections. */
	public List<Integer> clientPorts() {
		return this.sockets.stream().filter((socket) -> socket.getLocalPort() == port()).map(Socket::getPort).toList();
	}

	/** Connections stay open and nothing goes through, in neither direction. */
	public void hang() {
		this.hanging = true;
	}

	/**
	 * The present connections go dead, as when a firewall forgets them: they stay open,
	 * and what either side sends is dropped. New ones work.
	 */
	public void swallow() {
		this.dead.addAll(this.sockets);
	}

	/** Connections break, and new ones break at once. */
	public void cut() {
		this.cut = true;
		this.sockets.forEach(TcpProxy::close);
	}

	public void delay(long millis) {
		this.delayNanos = millis * 1_000_000;
	}

	/** Passes on what the node sends, and loses the answers. */
	public void loseAnswers() {
		this.losesAnswers = true;
	}

	/** Leads to another server; the connections break. */
	public void target(int port) {
		this.target = port;
		this.sockets.forEach(TcpProxy::close);
	}

	/**
	 * All is well again; what hung goes through now. After an answer was lost, the
	 * connections break: what came next would be taken for it.
	 */
	public void heal() {
		if (this.losesAnswers) {
			this.sockets.forEach(TcpProxy::close);
		}
		this.losesAnswers = false;
		this.hanging = false;
		this.cut = false;
		this.delayNanos = 0;
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			this.door.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.sockets.forEach(TcpProxy::close);
	}

	private void accept() {
		while (!this.closed) {
			try {
				Socket node = this.door.accept();
				this.accepted.incrementAndGet();
				if (this.cut) {
					close(node);
					continue;
				}
				connect(node);
			}
			catch (IOException ex) {
				// Closed, or the node went away
			}
		}
	}

	private void connect(Socket node) throws IOException {
		try {
			Socket redis = new Socket(InetAddress.getLoopbackAddress(), this.target);
			node.setTcpNoDelay(true);
			redis.setTcpNoDelay(true);
			this.sockets.add(node);
			this.sockets.add(redis);
			start(() -> pump(node, redis, false));
			start(() -> pump(redis, node, true));
		}
		catch (IOException ex) {
			close(node);
		}
	}

	private void pump(Socket from, Socket to, boolean answers) {
		byte[] buffer = new byte[64 * 1024];
		try {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
				LockSupport.parkNanos(this.delayNanos);
				while (this.hanging && !this.cut && !this.closed) {
					LockSupport.parkNanos(5_000_000);
				}
				if ((answers && this.losesAnswers) || this.dead.contains(from)) {
					continue;
				}
				out.write(buffer, 0, length);
			}
		}
		catch (IOException ex) {
			// One side has closed it
		}
		close(from);
		if (!this.dead.contains(from)) {
			// Else the other side doesn't hear of it
			close(to);
			this.sockets.remove(to);
		}
		this.sockets.remove(from);
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is closed
		}
	}

}
