package io.lowkiq.reliability.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A network of its own for the nodes, behind a router that drops the packets of single
 * connections, as a firewall that has forgotten them does. Needs Linux, the rights of
 * root, and {@code ip} of iproute2. Not thread-safe.
 */
final class RoutedNetwork implements AutoCloseable {

	/** How the nodes reach this machine. */
	static final String HOST = "10.77.1.1";

	private final String nodes;

	private final String router;

	/** The name of this machine's device: at most 15 characters. */
	private final String device;

	RoutedNetwork() {
		String unique = Long.toString(ProcessHandle.current().pid());
		this.nodes = "lowkiq-nodes-" + unique;
		this.router = "lowkiq-router-" + unique;
		this.device = "lwk" + unique;
		try {
			setUp();
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	private void setUp() {
		ip("netns add " + this.router);
		ip("netns add " + this.nodes);
		ip("link add %s type veth peer name machine netns %s".formatted(this.device, this.router));
		ip("-n %s link add nodes type veth peer name router netns %s".formatted(this.router, this.nodes));
		ip("addr add %s/24 dev %s".formatted(HOST, this.device));
		ip("-n %s addr add 10.77.1.2/24 dev machine".formatted(this.router));
		ip("-n %s addr add 10.77.2.1/24 dev nodes".formatted(this.router));
		ip("-n %s addr add 10.77.2.2/24 dev router".formatted(this.nodes));
		ip("link set %s up".formatted(this.device));
		ip("-n %s link set machine up".formatted(this.router));
		ip("-n %s link set nodes up".formatted(this.router));
		ip("-n %s link set router up".formatted(this.nodes));
		ip("-n %s link set lo up".formatted(this.nodes));
		ip("route add 10.77.2.0/24 via 10.77.1.2 dev " + this.device);
		ip("-n %s route add default via 10.77.2.1".formatted(this.nodes));
		ip("netns exec %s sysctl -q -w net.ipv4.ip_forward=1".formatted(this.router));
	}

	/** What a command begins with that runs in the network of the nodes. */
	List<String> enter() {
		return List.of("ip", "netns", "exec", this.nodes);
	}

	/** Drops all further packets of connections, in both directions. */
	void drop(List<Integer> clients, int server) {
		for (int client : clients) {
			ip("-n %s rule add ipproto tcp sport %d dport %d blackhole".formatted(this.router, client, server));
			ip("-n %s rule add ipproto tcp sport %d dport %d blackhole".formatted(this.router, server, client));
		}
	}

	@Override
	public void close() {
		run("netns del " + this.nodes);
		// Its devices go with it, and so do their other ends
		run("netns del " + this.router);
	}

	private static void ip(String arguments) {
		String refusal = run(arguments);
		if (!refusal.isEmpty()) {
			throw new IllegalStateException(
					"A network with a router needs Linux, the rights of root, and iproute2. 'ip %s' says: %s"
						.formatted(arguments, refusal));
		}
	}

	/** Returns what the command complains about; nothing if it succeeds. */
	private static String run(String arguments) {
		try {
			Process process = new ProcessBuilder(("ip " + arguments).split(" ")).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			int code = process.waitFor();
			return (code != 0) ? output + " (exit code " + code + ")" : "";
		}
		catch (IOException ex) {
			throw new UncheckedIOException("'ip' of iproute2 is needed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
