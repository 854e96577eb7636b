package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.LowkiqWorker.EqualPayloads;
import io.lowkiq.LowkiqWorker.Keep;
import io.lowkiq.LowkiqWorker.WhileRetryWaits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetryPolicy;

/**
 * The settings of the queues: what the annotations say, overridden by
 * {@code lowkiq.workers.<queue>.*}. Where an annotation has its default,
 * {@code lowkiq.worker-defaults.*} applies.
 */
class QueueSettings {

	private static final Duration DEFAULT_INITIAL_INTERVAL = Duration.ofSeconds(15);

	private static final double DEFAULT_MULTIPLIER = 2;

	private static final Duration DEFAULT_MAX_INTERVAL = Duration.ofHours(1);

	private static final Pattern RATE = Pattern
		.compile("(\\d{1,7})\\s*/\\s*(s|min|h|day)(?:\\s*,\\s*burst\\s+(\\d{1,7}))?");

	private final QueueProperties<LowkiqProperties.Worker> overrides;

	private final LowkiqProperties.WorkerDefaults defaults;

	private final @Nullable RetryPolicy retryPolicy;

	/**
	 * The settings.
	 * @param retryPolicy the bean of the application; null if there is none
	 */
	QueueSettings(QueueProperties<LowkiqProperties.Worker> overrides, LowkiqProperties.WorkerDefaults defaults,
			@Nullable RetryPolicy retryPolicy) {
		this.overrides = overrides;
		this.defaults = defaults;
		this.retryPolicy = retryPolicy;
		if (retryPolicy != null && defaults.retry().isSet()) {
			throw new LowkiqConfigurationException(
					"The RetryPolicy bean, a %s, and lowkiq.worker-defaults.retry.* both set the back-off of all queues"
						.formatted(retryPolicy.getClass().getName()),
					"Remove the bean or the properties. The properties lowkiq.workers.<queue>.retry.* of single queues override the bean");
		}
	}

	RegisteredWorker.Settings of(String queue, LowkiqWorker annotation, Collection<String> allQueues) {
		LowkiqProperties.Worker override = this.overrides.of(queue, allQueues, Set.of());
		return new RegisteredWorker.Settings(or(override.shards(), annotation.shards()),
				or(override.batchSize(), annotation.batchSize()),
				or(override.maxRetryCount(),
						or(annotation.maxRetryCount(), "maxRetryCount", this.defaults.maxRetryCount())),
				or(override.maxPayloads(), RegisteredWorker.Settings.DEFAULTS.maxPayloads()),
				or(override.schedulerWeight(), RegisteredWorker.Settings.DEFAULTS.schedulerWeight()),
				or(override.shardConcurrency(), annotation.shardConcurrency()),
				new FailurePolicy(exceptions(queue, "bury-on", override.buryOn(), annotation.buryOn()),
						exceptions(queue, "discard-on", override.discardOn(), annotation.discardOn()),
						or(override.retriesExhausted(),
								or(annotation.retriesExhausted(), "retriesExhausted",
										this.defaults.retriesExhausted())),
						duration(queue, "unreadableGrace", override.unreadableGrace(), annotation.unreadableGrace(),
								this.defaults.unreadableGrace()),
						duration(queue, "performTimeout", override.performTimeout(), annotation.performTimeout(),
								this.defaults.performTimeout()),
						retryPolicy(queue, override.retry())),
				new GatheringPolicy(duration(queue, "debounce", override.debounce(), annotation.debounce()),
						duration(queue, "maxWait", override.maxWait(), annotation.maxWait()),
						duration(queue, "minInterval", override.minInterval(), annotation.minInterval()),
						or(override.keep(), annotation.keep()) == Keep.LATEST,
						or(override.equalPayloads(), annotation.equalPayloads()) == EqualPayloads.LATEST,
						or(override.whileRetryWaits(), annotation.whileRetryWaits()) == WhileRetryWaits.RETRY_NOW),
				or(override.shared(), RegisteredWorker.Settings.DEFAULTS.shared()),
				new GroupPolicy(or(override.group().separator(), annotation.groupSeparator()),
						percent(queue, override.group().maxShare()), override.group().weights(),
						or(override.oneShardPerGroup(), annotation.oneShardPerGroup()),
						limits(queue, "group.", override.group().concurrency(), override.group().rate())),
				limits(queue, "", override.concurrency(), override.rate()));
	}

	private static Limits limits(String queue, String prefix, @Nullable Integer concurrency, @Nullable String rate) {
		return new Limits(or(concurrency, Limits.NONE.concurrency()),
				rate("lowkiq.workers.%s.%srate".formatted(queue, prefix), rate));
	}

	private static @Nullable RateLimit rate(String property, @Nullable String text) {
		if (text == null) {
			return null;
		}
		Matcher rate = RATE.matcher(text.strip());
		if (!rate.matches() || "0".equals(rate.group(3))) {
			throw new LowkiqConfigurationException("%s is '%s', which is not a rate".formatted(property, text),
					"Write it as in '100/s', '6/min', '500/h', '2000/day' or '100/s, burst 20', with whole numbers up to 1000000");
		}
		Duration period = switch (rate.group(2)) {
			case "s" -> Duration.ofSeconds(1);
			case "min" -> Duration.ofMinutes(1);
			case "h" -> Duration.ofHours(1);
			default -> Duration.ofDays(1);
		};
		return new RateLimit(Integer.parseInt(rate.group(1)), period,
				(rate.group(3) != null) ? Integer.parseInt(rate.group(3)) : 0);
	}

	private static int percent(String queue, @Nullable String share) {
		if (share == null) {
			return GroupPolicy.NONE.maxShare();
		}
		try {
			return Integer.parseInt(share.strip().replaceFirst("\\s*%$", ""));
		}
		catch (NumberFormatException ex) {
			throw new LowkiqConfigurationException(
					"lowkiq.workers.%s.group.max-share is '%s', which is not a whole number of percent".formatted(queue,
							share),
					"Write it as in '80%'", ex);
		}
	}

	Map<String, LowkiqProperties.Schedule> schedules(String queue, Collection<String> allQueues,
			Collection<String> declared) {
		return this.overrides.of(queue, allQueues, declared).schedules();
	}

	private RetryPolicy retryPolicy(String queue, LowkiqProperties.Retry override) {
		LowkiqProperties.Retry ofAll = this.defaults.retry();
		if (!override.isSet() && !ofAll.isSet()) {
			return (this.retryPolicy != null) ? this.retryPolicy : RetryPolicy.standard();
		}
		try {
			return RetryPolicy.exponential(
					or(override.initialInterval(), or(ofAll.initialInterval(), DEFAULT_INITIAL_INTERVAL)),
					or(override.multiplier(), or(ofAll.multiplier(), DEFAULT_MULTIPLIER)),
					or(override.maxInterval(), or(ofAll.maxInterval(), DEFAULT_MAX_INTERVAL)),
					or(override.jitter(), or(ofAll.jitter(), Duration.ZERO)));
		}
		catch (IllegalArgumentException ex) {
			throw new LowkiqConfigurationException(
					"The back-off of queue '%s' is not valid: %s".formatted(queue, ex.getMessage()),
					"Change lowkiq.workers.%s.retry.* or lowkiq.worker-defaults.retry.*".formatted(queue), ex);
		}
	}

	private Duration duration(String queue, String attribute, @Nullable Duration override, String declared) {
		return duration(queue, attribute, override, declared, null);
	}

	private Duration duration(String queue, String attribute, @Nullable Duration override, String declared,
			@Nullable Duration ofAll) {
		if (override != null) {
			return override;
		}
		if (ofAll != null && isDefault(attribute, declared)) {
			return ofAll;
		}
		try {
			return DurationStyle.detectAndParse(declared);
		}
		catch (IllegalArgumentException ex) {
			throw new LowkiqConfigurationException(
					"%s of the @LowkiqWorker of queue '%s' is '%s', which is not a duration: %s".formatted(attribute,
							queue, declared, ex.getMessage()),
					"Write it as in properties, such as '500ms' or '15m'", ex);
		}
	}

	private static Set<Class<? extends Throwable>> exceptions(String queue, String property,
			@Nullable List<String> override, Class<? extends Throwable>[] declared) {
		if (override == null) {
			return Set.copyOf(List.of(declared));
		}
		return override.stream()
			.map((name) -> exception("lowkiq.workers.%s.%s".formatted(queue, property), name))
			.collect(Collectors.toUnmodifiableSet());
	}

	private static Class<? extends Throwable> exception(String property, String name) {
		Class<?> type;
		try {
			type = ClassUtils.forName(name, null);
		}
		catch (ClassNotFoundException | LinkageError ex) {
			throw new LowkiqConfigurationException(
					"%s names the exception '%s', which can't be found".formatted(property, name),
					"Write the full name of its class, as in 'java.lang.IllegalArgumentException'", ex);
		}
		if (!Throwable.class.isAssignableFrom(type)) {
			throw new LowkiqConfigurationException(
					"%s names %s, which is not an exception type".formatted(property, name),
					"Name classes that extend Throwable");
		}
		return type.asSubclass(Throwable.class);
	}

	List<String> unknown(Collection<String> allQueues) {
		return this.overrides.unknownQueues(allQueues);
	}

	private static <T> T or(@Nullable T override, T declared) {
		return (override != null) ? override : declared;
	}

	/** The value of an annotation, or, if that is its default, the one for all queues. */
	private static <T> T or(T declared, String attribute, @Nullable T ofAll) {
		return (ofAll != null && isDefault(attribute, declared)) ? ofAll : declared;
	}

	private static boolean isDefault(String attribute, Object declared) {
		return declared.equals(AnnotationUtils.getDefaultValue(LowkiqWorker.class, attribute));
	}

}
