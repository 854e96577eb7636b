package io.lowkiq.sample.orders;

import java.net.URI;
import java.time.Duration;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.StoreException;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.metrics.QueueStatistics.QueueCounts;
import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

/** The door for the side system and for people. */
@RestController
@RequestMapping("/orders")
class OrderController {

	private final LowkiqClient lowkiq;

	private final OrderFacts facts;

	private final QueueStatistics queues;

	OrderController(LowkiqClient lowkiq, OrderFacts facts, QueueStatistics queues) {
		this.lowkiq = lowkiq;
		this.facts = facts;
		this.queues = queues;
	}

	@PostMapping("/{id}")
	ResponseEntity<Accepted> change(@PathVariable @OrderId String id, @Valid @RequestBody OrderChange change,
			UriComponentsBuilder uri) {
		OrderSnapshot snapshot = change.toSnapshot();
		this.lowkiq.enqueue(OrderWorker.class, JobRequest.of(id, snapshot).score(snapshot.score()));
		this.facts.received(id);
		URI order = uri.path("/orders/{id}").encode().buildAndExpand(id).toUri();
		return ResponseEntity.accepted().location(order).body(new Accepted(id, snapshot.version()));
	}

	@GetMapping("/{id}")
	OrderView order(@PathVariable @OrderId String id) {
		return this.facts.find(id)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No order '" + id + "'"));
	}

	@GetMapping("/stats")
	Stats stats() {
		OrderTotals totals = this.facts.totals();
		QueueCounts counts = counts();
		return (counts != null) ? Stats.of(totals, counts) : Stats.of(totals);
	}

	private @Nullable QueueCounts counts() {
		try {
			return this.queues.snapshot().of(OrderWorker.QUEUE).orElse(null);
		}
		catch (StoreException ex) {
			return null;
		}
	}

	/** The answer to a change that is in the queue now. */
	record Accepted(String id, long version) {
	}

	/**
	 * Statistics of all orders, and of the queue.
	 *
	 * @param received changes accepted
	 * @param performed hand-overs performed to success
	 * @param merged changes that were handed over together with an older one of the same
	 * order: performed + merged = received once all are done
	 * @param stale hand-overs whose newest change was older than the row
	 * @param failed performs that threw
	 * @param buried changes whose retries were used up
	 * @param fenced writes refused because the writer's lease had ended
	 * @param overlaps performs that overlapped with one of the same order; 0 (I1)
	 * @param disordered hand-overs not ascending by version; 0 (I2)
	 * @param regressions rows that went back to an older version; 0
	 * @param waiting jobs in the queue; null while Redis can't be reached
	 * @param dead orders in the morgue; null while Redis can't be reached
	 * @param lag how long the oldest due job has been due, in seconds; null while Redis
	 * can't be reached
	 */
	record Stats(long received, long performed, long merged, long stale, long failed, long buried, long fenced,
			long overlaps, long disordered, long regressions, @Nullable Long waiting, @Nullable Long dead,
			@Nullable Double lag) {

		static Stats of(OrderTotals totals) {
			return of(totals, null, null, null);
		}

		static Stats of(OrderTotals totals, QueueCounts counts) {
			return of(totals, counts.fresh() + counts.retry() + counts.busy(), counts.dead(),
					Duration.ofMillis(counts.lag()).toMillis() / 1000.0);
		}

		private static Stats of(OrderTotals totals, @Nullable Long waiting, @Nullable Long dead, @Nullable Double lag) {
			return new Stats(totals.received(), totals.performed(), totals.merged(), totals.stale(), totals.failed(),
					totals.buried(), totals.fenced(), totals.overlaps(), totals.disordered(), totals.regressions(),
					waiting, dead, lag);
		}

	}

}
