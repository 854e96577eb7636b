package io.lowkiq.reliability.history;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.Event.ActionCalled;
import io.lowkiq.reliability.history.Event.ActionReturned;
import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.Event.EnqueueCalled;
import io.lowkiq.reliability.history.Event.EnqueueReturned;
import io.lowkiq.reliability.history.Event.FaultBegun;
import io.lowkiq.reliability.history.Event.FaultOver;
import io.lowkiq.reliability.history.Event.FoundDead;
import io.lowkiq.reliability.history.Event.FoundLeft;
import io.lowkiq.reliability.history.Event.HealthSeen;
import io.lowkiq.reliability.history.Event.LeaseAcquired;
import io.lowkiq.reliability.history.Event.OnSuccessCalled;
import io.lowkiq.reliability.history.Event.OwnerAnswered;
import io.lowkiq.reliability.history.Event.OwnerCalled;
import io.lowkiq.reliability.history.Event.PerformEnded;
import io.lowkiq.reliability.history.Event.PerformStarted;
import io.lowkiq.reliability.history.Event.ProcessGone;
import io.lowkiq.reliability.history.Event.ProcessUp;
import io.lowkiq.reliability.history.Event.Scored;
import io.lowkiq.reliability.history.Event.SessionHeld;
import io.lowkiq.reliability.history.Event.StepNamed;
import io.lowkiq.store.Shard;

/**
 * Writes events as lines and reads them: a word, the time and the fields, between blanks.
 * Ids have no blanks and commas. Not thread-safe.
 */
final class EventLines {

	/** Ids, sessions and shards come again and again: one object each. */
	private final Map<String, String> names = new HashMap<>();

	private final Map<String, Shard> shards = new HashMap<>();

	static String format(Event event) {
		if (event instanceof EnqueueCalled e) {
			return line("call", e.time(), e.queue(), e.id(), e.payload(), e.defaultScore(), e.delay());
		}
		if (event instanceof EnqueueReturned e) {
			return line("ok", e.time(), e.payload());
		}
		if (event instanceof PerformStarted e) {
			return line("start", e.time(), e.perform(), e.shard(), e.id(), e.epoch(), e.retryCount(),
					e.payloads()
						.stream()
						.map((scored) -> scored.payload() + "=" + scored.score())
						.collect(Collectors.joining(",")));
		}
		if (event instanceof PerformEnded e) {
			return line("end", e.time(), e.perform(), e.success(), e.leaseLost(), numbers(e.handled()),
					numbers(e.buried()), numbers(e.followUps()));
		}
		if (event instanceof OnSuccessCalled e) {
			return line("follow", e.time(), e.perform(), e.payload(), e.queue(), e.id());
		}
		if (event instanceof StepNamed e) {
			return line("step", e.time(), e.before(), e.payload(), e.queue(), e.id());
		}
		if (event instanceof SessionHeld e) {
			return line("held", e.time(), e.session(), e.duration());
		}
		if (event instanceof LeaseAcquired e) {
			return line("lease", e.time(), e.shard(), e.session(), e.epoch(), e.restored());
		}
		if (event instanceof OwnerCalled e) {
			return line("own", e.time(), e.call(), e.shard(), e.epoch(), e.release(), join(e.completed()));
		}
		if (event instanceof OwnerAnswered e) {
			return line("owned", e.time(), e.call(), e.answer(), join(e.fetched()));
		}
		if (event instanceof ActionCalled e) {
			return line("act", e.time(), e.number(), e.action(), e.queue(), e.id());
		}
		if (event instanceof ActionReturned e) {
			return line("acted", e.time(), e.number());
		}
		if (event instanceof HealthSeen e) {
			return line("health", e.time(), e.up());
		}
		if (event instanceof ProcessUp e) {
			return line("up", e.time(), e.process());
		}
		if (event instanceof ProcessGone e) {
			return line("gone", e.time(), e.process());
		}
		if (event instanceof FaultBegun e) {
			return line("fault", e.time(), e.fault(), e.kind(), e.process());
		}
		if (event instanceof FaultOver e) {
			return line("over", e.time(), e.fault());
		}
		if (event instanceof FoundDead e) {
			return line("dead", e.time(), e.queue(), e.id(), e.payload());
		}
		FoundLeft left = (FoundLeft) event;
		return line("left", left.time(), left.queue(), left.id());
	}

	private static String line(Object... fields) {
		return Arrays.stream(fields).map(String::valueOf).collect(Collectors.joining(" ", "", "\n"));
	}

	private static String join(List<String> ids) {
		return "," + String.join(",", ids);
	}

	private static String numbers(List<Long> numbers) {
		return join(numbers.stream().map(String::valueOf).toList());
	}

	private static List<Long> numbers(String text) {
		return Arrays.stream(text.split(",", -1)).filter((number) -> !number.isEmpty()).map(Long::valueOf).toList();
	}

	Event parse(String line) {
		String[] f = line.split(" ", -1);
		long time = Long.parseLong(f[1]);
		return switch (f[0]) {
			case "call" -> new EnqueueCalled(time, name(f[2]), name(f[3]), Long.parseLong(f[4]),
					Boolean.parseBoolean(f[5]), Long.parseLong(f[6]));
			case "ok" -> new EnqueueReturned(time, Long.parseLong(f[2]));
			case "start" -> new PerformStarted(time, Long.parseLong(f[2]), shard(f[3]), name(f[4]),
					Long.parseLong(f[5]), Integer.parseInt(f[6]), payloads(f[7]));
			case "end" -> new PerformEnded(time, Long.parseLong(f[2]), Boolean.parseBoolean(f[3]),
					Boolean.parseBoolean(f[4]), numbers(f[5]), numbers(f[6]), numbers(f[7]));
			case "follow" ->
				new OnSuccessCalled(time, Long.parseLong(f[2]), Long.parseLong(f[3]), name(f[4]), name(f[5]));
			case "step" -> new StepNamed(time, Long.parseLong(f[2]), Long.parseLong(f[3]), name(f[4]), name(f[5]));
			case "held" -> new SessionHeld(time, name(f[2]), Long.parseLong(f[3]));
			case "lease" ->
				new LeaseAcquired(time, shard(f[2]), name(f[3]), Long.parseLong(f[4]), Integer.parseInt(f[5]));
			case "own" -> new OwnerCalled(time, Long.parseLong(f[2]), shard(f[3]), Long.parseLong(f[4]),
					Boolean.parseBoolean(f[5]), ids(f[6]));
			case "owned" -> new OwnerAnswered(time, Long.parseLong(f[2]), Answer.valueOf(f[3]), ids(f[4]));
			case "act" -> new ActionCalled(time, Long.parseLong(f[2]), Action.valueOf(f[3]), name(f[4]), name(f[5]));
			case "acted" -> new ActionReturned(time, Long.parseLong(f[2]));
			case "health" -> new HealthSeen(time, Boolean.parseBoolean(f[2]));
			case "up" -> new ProcessUp(time, name(f[2]));
			case "gone" -> new ProcessGone(time, name(f[2]));
			case "fault" -> new FaultBegun(time, Long.parseLong(f[2]), FaultKind.valueOf(f[3]), name(f[4]));
			case "over" -> new FaultOver(time, Long.parseLong(f[2]));
			case "dead" -> new FoundDead(time, name(f[2]), name(f[3]), Long.parseLong(f[4]));
			case "left" -> new FoundLeft(time, name(f[2]), name(f[3]));
			default -> throw new IllegalArgumentException("Not an event: '%s'".formatted(line));
		};
	}

	private String name(String text) {
		return this.names.computeIfAbsent(text, (name) -> name);
	}

	private Shard shard(String text) {
		return this.shards.computeIfAbsent(text, Shard::parse);
	}

	private List<String> ids(String text) {
		return Arrays.stream(text.split(",", -1)).filter((id) -> !id.isEmpty()).map(this::name).toList();
	}

	private static List<Scored> payloads(String text) {
		return Arrays.stream(text.split(",", -1)).map((pair) -> {
			int equals = pair.indexOf('=');
			return new Scored(Long.parseLong(pair.substring(0, equals)),
					Double.parseDouble(pair.substring(equals + 1)));
		}).toList();
	}

}
