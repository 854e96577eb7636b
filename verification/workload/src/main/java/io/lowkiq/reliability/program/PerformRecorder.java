package io.lowkiq.reliability.program;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.Batch;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqException;
import io.lowkiq.PerformContext;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.Event.Scored;
import io.lowkiq.reliability.history.EventLog;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.store.job.Shard;

/** Writes down each run, and decides which ones fail. Thread-safe. */
public final class PerformRecorder implements PerformInterceptor {

	private final EventLog history;

	private final Surroundings surroundings;

	private final String process;

	private final PerformContext context;

	private final int failuresInThousand;

	private final AtomicLong numbers = new AtomicLong();

	/** As the producer of follow-ups. */
	private final int producer;

	/** Counts the follow-ups. */
	private final AtomicLong followUps = new AtomicLong();

	/** Records. */
	public PerformRecorder(EventLog history, Surroundings surroundings, String process, PerformContext context,
			int failuresInThousand, int producer) {
		this.producer = producer;
		this.history = history;
		this.surroundings = surroundings;
		this.process = process;
		this.context = context;
		this.failuresInThousand = failuresInThousand;
	}

	@Override
	public void perform(Call call, Chain chain) throws Exception {
		Shard shard = new Shard(call.queue(), 1, call.shard());
		long first = this.numbers.getAndAdd(call.jobs().size());
		List<Event> started = new ArrayList<>();
		for (int i = 0; i < call.jobs().size(); i++) {
			Batch.Job<?> job = call.jobs().get(i);
			List<Scored> payloads = new ArrayList<>();
			for (int p = 0; p < job.payloads().size(); p++) {
				payloads.add(new Scored(((Change) job.payloads().get(p)).number(), job.scores().get(p)));
			}
			started.add(new Event.PerformStarted(this.surroundings.nanoTime(), first + i, shard, job.id(),
					call.fencingToken(), job.retryCount(), payloads));
		}
		this.history.write(started.toArray(Event[]::new));
		haltIfPoisoned(call.jobs());
		if (call.queue().equals(Workload.PAYLOADS)) {
			performOneByOne(first, call.jobs().get(0), chain);
			return;
		}
		boolean interrupted = false;
		try {
			chain.proceed();
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		List<Event> ended = new ArrayList<>();
		boolean leaseLost = this.context.isLeaseLost();
		for (int i = 0; i < call.jobs().size(); i++) {
			Batch.Job<?> job = call.jobs().get(i);
			if (interrupted) {
				job.fail(new IllegalStateException("Interrupted"));
				ended.add(new Event.PerformEnded(this.surroundings.nanoTime(), first + i, false, leaseLost));
			}
			else if (fails(job)) {
				List<Long> followUps = follow(first + i, job);
				List<Long> done = fail(call.queue(), job);
				boolean kept = done.contains(((Change) job.payloads().get(0)).number());
				follow(first + i, job);
				ended.add(new Event.PerformEnded(this.surroundings.nanoTime(), first + i, false, leaseLost, done,
						List.of(), kept ? followUps : List.of()));
			}
			else {
				List<Long> followUps = follow(first + i, job);
				job.done();
				ended.add(new Event.PerformEnded(this.surroundings.nanoTime(), first + i, true, leaseLost, List.of(),
						List.of(), followUps));
			}
		}
		this.history.write(ended.toArray(Event[]::new));
	}

	/**
	 * Enqueues a follow-up on success of a job, if one of its payloads requires it. If a
	 * part of the job fails, it takes effect only if what is done was marked after that
	 * and before the failure.
	 */
	private List<Long> follow(long perform, Batch.Job<?> job) {
		if (job.payloads().stream().noneMatch((payload) -> ((Change) payload).kind() == Change.Kind.FOLLOWED)) {
			return List.of();
		}
		RandomGenerator random = this.surroundings.random();
		String queue = Workload.followingQueue(random);
		JobRequest<Change> request = Workload.followUp(queue,
				Workload.number(this.producer, this.followUps.incrementAndGet()), random);
		long number = request.payload().number();
		this.history
			.write(new Event.OnSuccessCalled(this.surroundings.nanoTime(), perform, number, queue, request.id()));
		try {
			this.context.onSuccess(job).enqueue(queue, request);
		}
		catch (LowkiqException ex) {
			// The queue could not be looked up: the worker goes on without a follow-up
			return List.of();
		}
		return List.of(number);
	}

	/** Fails a job, or a part of it, and returns the payloads that are done. */
	private List<Long> fail(String queue, Batch.Job<?> job) {
		IllegalStateException error = new IllegalStateException("Fails as the test wants it");
		List<Change> payloads = job.payloads().stream().map(Change.class::cast).toList();
		Set<Integer> failing = failing(payloads);
		List<Long> done = new ArrayList<>();
		switch (queue) {
			case Workload.LISTS -> {
				int first = Collections.min(failing);
				this.context.completed(first);
				job.fail(error);
				payloads.subList(0, first).forEach((payload) -> done.add(payload.number()));
			}
			case Workload.BATCHES -> {
				for (int place = 0; place < payloads.size(); place++) {
					if (failing.contains(place)) {
						job.fail(place, error);
					}
					else {
						job.done(place);
						done.add(payloads.get(place).number());
					}
				}
			}
			default -> job.fail(error);
		}
		return done;
	}

	/** The places of the bad payloads, or any if none is bad. */
	private Set<Integer> failing(List<Change> payloads) {
		Set<Integer> bad = IntStream.range(0, payloads.size())
			.filter((place) -> payloads.get(place).kind() == Change.Kind.BAD)
			.boxed()
			.collect(Collectors.toSet());
		return bad.isEmpty() ? Set.of(this.surroundings.random().nextInt(payloads.size())) : bad;
	}

	/** Performs a job whose worker decides about each payload. */
	private void performOneByOne(long number, Batch.Job<?> job, Chain chain) throws Exception {
		List<Change> payloads = job.payloads().stream().map(Change.class::cast).toList();
		int left = 0;
		try {
			chain.proceed();
			// Once the lease is lost, nobody knows how far the worker got
			left = this.context.isLeaseLost() ? 0 : payloads.size();
		}
		catch (Workload.PayloadFailure ex) {
			left = payloads.indexOf(ex.payload());
			throw ex;
		}
		finally {
			List<Long> buried = new ArrayList<>();
			List<Long> handled = new ArrayList<>();
			payloads.subList(0, left)
				.forEach(
						(payload) -> ((payload.kind() == Change.Kind.BURIED) ? buried : handled).add(payload.number()));
			this.history.write(new Event.PerformEnded(this.surroundings.nanoTime(), number, left == payloads.size(),
					this.context.isLeaseLost(), handled, buried));
		}
	}

	private boolean fails(Batch.Job<?> job) {
		return job.payloads().stream().anyMatch((payload) -> ((Change) payload).kind() == Change.Kind.BAD)
				|| this.surroundings.random().nextInt(1_000) < this.failuresInThousand;
	}

	private void haltIfPoisoned(List<? extends Batch.Job<?>> jobs) {
		boolean poisoned = jobs.stream()
			.flatMap((job) -> job.payloads().stream())
			.anyMatch((payload) -> ((Change) payload).kind() == Change.Kind.POISON);
		if (poisoned) {
			this.history.write(new Event.FaultBegun(this.surroundings.nanoTime(), 0, FaultKind.POISON, this.process));
			this.surroundings.halt();
		}
	}

}
