package io.lowkiq.snippets.recipes;

import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.Batch;

import org.springframework.stereotype.Component;

/**
 * What the workers of the recipes work on. It writes down what they do, fails on demand,
 * and counts how many calls run at the same time.
 */
@Component
class Journal implements Recipes.SearchIndex, Recipes.Ledger, Recipes.Fleet, Recipes.Orders, Recipes.Bank,
		Recipes.Reports, Recipes.Archive, Recipes.Geocoder {

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicInteger mostRunning = new AtomicInteger();

	/** Holds slow calls back until the test opens it. */
	private final CountDownLatch slow = new CountDownLatch(1);

	/** Written by the thread of the test, read by those that perform. */
	private volatile boolean failing;

	void add(String line) {
		if (this.failing) {
			throw new IllegalStateException("out of order");
		}
		this.lines.add(line);
	}

	List<String> lines() {
		return List.copyOf(this.lines);
	}

	int running() {
		return this.running.get();
	}

	void endSlowCalls() {
		this.slow.countDown();
	}

	int mostRunning() {
		return this.mostRunning.get();
	}

	void failing(boolean fails) {
		this.failing = fails;
	}

	void clear() {
		this.lines.clear();
		this.failing = false;
	}

	@Override
	public void write(String id, Recipes.Product product) {
		add(id + " v" + product.version());
	}

	@Override
	public void book(String account, Recipes.Booking booking) {
		add(account + " #" + booking.number());
	}

	@Override
	public void show(String truck, String position) {
		add(truck + " at " + position);
	}

	@Override
	public void markPaid(String order) {
		add("paid " + order);
	}

	@Override
	public void charge(String order, long cents) {
		add("charge " + order + " " + cents);
	}

	@Override
	public void write(LocalDate day) {
		add("report " + day);
	}

	@Override
	public void insertAll(List<? extends Batch.Job<String>> jobs) {
		add("insert " + jobs.size());
	}

	@Override
	public boolean locate(String address) {
		this.mostRunning.accumulateAndGet(this.running.incrementAndGet(), Math::max);
		try {
			if (!this.slow.await(60, TimeUnit.SECONDS)) {
				throw new IllegalStateException("The test did not let slow calls end");
			}
			if (!this.failing) {
				add("located " + address);
			}
			return !this.failing;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		finally {
			this.running.decrementAndGet();
		}
	}

}
