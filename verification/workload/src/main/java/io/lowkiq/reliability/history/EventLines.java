package io.lowkiq.reliability.history;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.reliability.history.Event.Scored;
import io.lowkiq.store.job.Shard;

import org.springframework.core.convert.support.DefaultConversionService;

/**
 * Writes events as lines and reads them: a word, and the components of the record in
 * their order, the time first, between blanks. Ids have no blanks and commas. Not
 * thread-safe.
 */
final class EventLines {

	private static final Map<Class<?>, Kind> KINDS = Stream
		.of(new Kind("call", Event.EnqueueCalled.class), new Kind("ok", Event.EnqueueReturned.class),
				new Kind("start", Event.PerformStarted.class), new Kind("end", Event.PerformEnded.class),
				new Kind("follow", Event.OnSuccessCalled.class), new Kind("step", Event.StepNamed.class),
				new Kind("held", Event.SessionHeld.class), new Kind("lease", Event.LeaseAcquired.class),
				new Kind("own", Event.OwnerCalled.class), new Kind("owned", Event.OwnerAnswered.class),
				new Kind("act", Event.ActionCalled.class), new Kind("acted", Event.ActionReturned.class),
				new Kind("health", Event.HealthSeen.class), new Kind("up", Event.ProcessUp.class),
				new Kind("gone", Event.ProcessGone.class), new Kind("fault", Event.FaultBegun.class),
				new Kind("over", Event.FaultOver.class), new Kind("dead", Event.FoundDead.class),
				new Kind("left", Event.FoundLeft.class))
		.collect(Collectors.toUnmodifiableMap(Kind::type, Function.identity()));

	private static final Map<String, Kind> BY_WORD = KINDS.values()
		.stream()
		.collect(Collectors.toUnmodifiableMap(Kind::word, Function.identity()));

	/** Ids, sessions and shards come again and again: one object each. */
	private final Map<String, String> names = new HashMap<>();

	private final Map<String, Shard> shards = new HashMap<>();

	/** A kind of event. */
	private record Kind(String word, Class<? extends Event> type, List<RecordComponent> fields) {

		Kind(String word, Class<? extends Event> type) {
			this(word, type, List.of(type.getRecordComponents()));
		}

		Stream<Object> values(Event event) {
			return this.fields.stream().map((field) -> {
				try {
					return field.getAccessor().invoke(event);
				}
				catch (ReflectiveOperationException ex) {
					throw new IllegalStateException(ex);
				}
			});
		}

		Event make(Object[] values) {
			try {
				Class<?>[] types = this.fields.stream().map(RecordComponent::getType).toArray(Class<?>[]::new);
				return this.type.getDeclaredConstructor(types).newInstance(values);
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static String format(Event event) {
		Kind kind = KINDS.get(event.getClass());
		if (kind == null) {
			throw new IllegalArgumentException("No word begins the line of " + event);
		}
		return kind.values(event).map(EventLines::text).collect(Collectors.joining(" ", kind.word() + " ", "\n"));
	}

	private static String text(Object value) {
		if (value instanceof List<?> list) {
			return list.stream().map(EventLines::text).collect(Collectors.joining(",", ",", ""));
		}
		return (value instanceof Scored scored) ? scored.payload() + "=" + scored.score() : value.toString();
	}

	/** Reads a line. */
	Event parse(String line) {
		String[] texts = line.split(" ", -1);
		Kind kind = BY_WORD.get(texts[0]);
		if (kind == null) {
			throw new IllegalArgumentException("Not an event: '%s'".formatted(line));
		}
		Object[] values = new Object[kind.fields().size()];
		Arrays.setAll(values, (i) -> value(kind.fields().get(i).getGenericType(), texts[i + 1]));
		return kind.make(values);
	}

	private Object value(Type type, String text) {
		if (type instanceof ParameterizedType list) {
			return Arrays.stream(text.split(",", -1))
				.filter((each) -> !each.isEmpty())
				.map((each) -> value(list.getActualTypeArguments()[0], each))
				.toList();
		}
		if (type == Shard.class) {
			return this.shards.computeIfAbsent(text, Shard::parse);
		}
		if (type == String.class) {
			return this.names.computeIfAbsent(text, Function.identity());
		}
		if (type == Scored.class) {
			String[] pair = text.split("=", -1);
			return new Scored(Long.parseLong(pair[0]), Double.parseDouble(pair[1]));
		}
		return Objects.requireNonNull(DefaultConversionService.getSharedInstance().convert(text, (Class<?>) type));
	}

}
