package io.lowkiq.observation;

import io.lowkiq.PerformInterceptor;
import io.lowkiq.Producers;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes runs, up to the line of their failure. What the worker throws is the error of
 * the observation; failures that it marks are not. Thread-safe.
 */
public final class ObservedPerforms implements PerformInterceptor {

	private static final PerformObservationConvention DEFAULT = new DefaultPerformObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable PerformObservationConvention convention;

	private final int maxProducers;

	/** The run of each thread that is not concluded yet. */
	@SuppressWarnings("ThreadLocalUsage") // Of this instance and its threads
	private final ThreadLocal<Observation> performed = new ThreadLocal<>();

	/**
	 * Observes runs.
	 * @param registry where they are observed
	 * @param convention names them; null for the default
	 * @param maxProducers how many producers a run is linked to, at least 1
	 */
	public ObservedPerforms(ObservationRegistry registry, @Nullable PerformObservationConvention convention,
			int maxProducers) {
		this.registry = registry;
		this.convention = convention;
		this.maxProducers = maxProducers;
	}

	@Override
	@SuppressWarnings("try")
	public void perform(Call call, Chain chain) throws Exception {
		PerformObservationContext context = new PerformObservationContext(call, linked(call.producers()));
		Observation observation = Observation.createNotStarted(this.convention, DEFAULT, () -> context, this.registry)
			.start();
		try (Observation.Scope scope = observation.openScope()) {
			chain.proceed();
		}
		catch (Throwable ex) {
			observation.error(ex);
			throw ex;
		}
		finally {
			this.performed.set(observation);
		}
	}

	/** Within the observation, so that the line of a failure has its trace. */
	@Override
	@SuppressWarnings("try")
	public void conclude(Call call, Runnable conclusion) {
		Observation observation = this.performed.get();
		if (observation == null) {
			conclusion.run();
			return;
		}
		this.performed.remove();
		try (Observation.Scope scope = observation.openScope()) {
			conclusion.run();
		}
		finally {
			observation.stop();
		}
	}

	private Producers linked(Producers all) {
		int more = all.traces().size() - this.maxProducers;
		return (more <= 0) ? all : new Producers(all.traces().subList(0, this.maxProducers), all.more() + more);
	}

}
