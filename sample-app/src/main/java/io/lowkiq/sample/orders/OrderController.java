package io.lowkiq.sample.orders;

import java.net.URI;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
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
		return Stats.of(this.facts.totals(), counts());
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
	 * Statistics of all orders, and of the queue; null while Redis can't be reached.
	 *
	 * @param lag how long the oldest due job has been due, in seconds
	 */
	record Stats(@JsonUnwrapped OrderTotals totals, @Nullable Long waiting, @Nullable Long dead, @Nullable Double lag) {

		static Stats of(OrderTotals totals, @Nullable QueueCounts counts) {
			return (counts == null) ? new Stats(totals, null, null, null) : new Stats(totals,
					counts.fresh() + counts.retry() + counts.busy(), counts.dead(), counts.lag() / 1000.0);
		}

	}

}
