package io.lowkiq.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Watches the calls at Redis that begin and end sessions, and assign shards to them. A
 * session that has ended doesn't join again, and none is ended that was heard of since.
 * An assignment replaces the one before it.
 */
final class SessionCheck {

	/** A field of the nodes. */
	private final Function<String, @Nullable String> nodes;

	private final Consumer<String> problems;

	/** The sessions that have ended, as far as Redis has not forgotten it. */
	private final Set<String> ended = new HashSet<>();

	SessionCheck(Function<String, @Nullable String> nodes, Consumer<String> problems) {
		this.nodes = nodes;
		this.problems = problems;
	}

	/** Redis has forgotten calls. */
	void forget() {
		this.ended.clear();
	}

	/** Looks at the nodes before a call; returns what looks at the reply. */
	Consumer<List<?>> begin(String task, byte[][] arguments) {
		return switch (task) {
			case "let a node join", "count a heartbeat" -> (reply) -> lives(text(arguments[0]), reply);
			case "end a session" -> {
				String session = text(arguments[0]);
				String beats = this.nodes.apply("beats:" + session);
				yield (reply) -> ends(session, text(arguments[1]), beats, reply);
			}
			case "record an assignment" -> {
				String version = this.nodes.apply("version");
				yield (reply) -> replaces(text(arguments[0]), (version != null) ? version : "0", reply);
			}
			default -> (reply) -> {
			};
		};
	}

	private void lives(String session, List<?> reply) {
		if (isDone(reply) && this.ended.contains(session)) {
			this.problems.accept("ENDED_SESSION_LIVES: %s after it had ended".formatted(session));
		}
	}

	private void ends(String session, String seen, @Nullable String beats, List<?> reply) {
		if (isDone(reply) && this.ended.add(session) && !seen.isEmpty() && beats != null && !beats.equals(seen)) {
			this.problems
				.accept("LIVING_SESSION_ENDED: %s had %s heartbeats, and %s were seen".formatted(session, beats, seen));
		}
	}

	private void replaces(String version, String before, List<?> reply) {
		if (isDone(reply) && Long.parseLong(version) != Long.parseLong(before) + 1) {
			this.problems.accept("ASSIGNMENT_OF_BEFORE: version %s replaces %s".formatted(version, before));
		}
	}

	private static String text(byte[] argument) {
		return new String(argument, StandardCharsets.UTF_8);
	}

	private static boolean isDone(List<?> reply) {
		return Objects.equals(reply.get(0), 1L);
	}

}
