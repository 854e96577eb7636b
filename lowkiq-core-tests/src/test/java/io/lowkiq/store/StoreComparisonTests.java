package io.lowkiq.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.lowkiq.redis.ShardActions;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.RandomRun.Payloads;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.ForwardingListener;
import io.lowkiq.testing.ForwardingShardStore;
import io.lowkiq.testing.Intercepted;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Shows that the comparison of two storages finds what it is there to find. */
class StoreComparisonTests {

	/** Enough to find what is broken. */
	private static final int OPERATIONS = 3_000;

	@ParameterizedTest
	@EnumSource
	void equalStoresDoNotDiffer(Payloads payloads) {
		ShrinkingRun.run(ShrinkingRun.seed(), ShrinkingRun.operations(500), payloads,
				(clock) -> new StoreComparison(TestedStore.inMemory(clock), TestedStore.inMemory(clock), true));
	}

	/** The usual call is a special case of any call. */
	@ParameterizedTest
	@EnumSource
	void usualCallDoesWhatAnyOtherWouldDo(Payloads payloads) {
		ShrinkingRun.run(ShrinkingRun.seed(), ShrinkingRun.operations(500), payloads,
				(clock) -> new StoreComparison(ChangedScripts.withoutUsualCalls(new InMemoryRedis(clock)),
						TestedStore.inMemory(clock), false));
	}

	@ParameterizedTest
	@EnumSource
	void brokenStoreIsFound(BrokenStore broken) {
		assertThat(ShrinkingRun.fails(ShrinkingRun.seed(), OPERATIONS, Payloads.OF_ALL_KINDS, comparisonWith(broken)))
			.isTrue();
	}

	@Test
	void fewOperationsAreEnoughToShowAFailure() {
		AssertionError error = null;
		try {
			ShrinkingRun.run(ShrinkingRun.seed(), OPERATIONS, Payloads.OF_ALL_KINDS,
					comparisonWith(BrokenStore.FORGETS_ERRORS));
		}
		catch (AssertionError ex) {
			error = ex;
		}
		assertThat(error).isNotNull();
		assertThat(error).hasMessageContaining("Repeat with -Dlowkiq.test.seed=" + ShrinkingRun.seed());
		assertThat(error.getMessage().lines().filter((text) -> text.startsWith("    -> "))).hasSizeBetween(2, 12);
	}

	private static Function<MovableClock, RandomRun.Steps> comparisonWith(BrokenStore broken) {
		return (clock) -> new StoreComparison(TestedStore.inMemory(clock), broken.around(TestedStore.inMemory(clock)),
				true);
	}

	/** Ways in which a storage may break a rule. */
	enum BrokenStore {

		FORGETS_DELAYS {
			@Override
			NewPayload enqueued(NewPayload payload) {
				return new NewPayload(payload.id(), payload.payload(), payload.score(), payload.performAt(), 0);
			}
		},

		FORGETS_SCORES {
			@Override
			NewPayload enqueued(NewPayload payload) {
				return new NewPayload(payload.id(), payload.payload(), null, payload.performAt(), payload.delay());
			}
		},

		FORGETS_CRASHES {
			@Override
			LeaseRequest changed(LeaseRequest request) {
				return new LeaseRequest(request.session(), request.from(), false, request.epoch(), request.sequence());
			}
		},

		FORGETS_SEQUENCE_NUMBERS_OF_UNCERTAIN_CALLS {
			@Override
			LeaseRequest changed(LeaseRequest request) {
				return new LeaseRequest(request.session(), request.from(), request.crashed(), request.epoch(), 0);
			}
		},

		APPLIES_LATE_SEQUENCE_NUMBERS {
			@Override
			long numbered(long sequence, long calls) {
				return calls;
			}
		},

		IGNORES_THE_NUMBER_OF_BUSY_JOBS {
			@Override
			int counted(int busy, TestedStore store) {
				return (int) store.inspection().counts(StoreContract.SHARD).busy();
			}
		},

		FETCHES_TOO_MANY_PAYLOADS {
			@Override
			Fetch fetched(Fetch fetch) {
				return new Fetch(fetch.jobs(), fetch.payloads() + 1, fetch.suspects(), fetch.groups());
			}
		},

		FETCHES_NO_SUSPECTS {
			@Override
			Fetch fetched(Fetch fetch) {
				return new Fetch(fetch.jobs(), fetch.payloads(), false, fetch.groups());
			}
		},

		FORGETS_THE_LAST_OUTCOME {
			@Override
			List<Outcome> applied(List<Outcome> outcomes) {
				return outcomes.isEmpty() ? outcomes : outcomes.subList(0, outcomes.size() - 1);
			}
		},

		FORGETS_FOLLOW_UPS {
			@Override
			List<Outcome> applied(List<Outcome> outcomes) {
				return outcomes.stream().filter((outcome) -> !(outcome instanceof Outcome.FollowUp)).toList();
			}
		},

		FORGETS_FAILED_PAYLOADS {
			@Override
			Outcome applied(Outcome outcome) {
				return (outcome instanceof Outcome.Retry) ? new Outcome.Done(outcome.id()) : outcome;
			}
		},

		FORGETS_RETURNED_JOBS {
			@Override
			Outcome applied(Outcome outcome) {
				return (outcome instanceof Outcome.Returned) ? new Outcome.Done(outcome.id()) : outcome;
			}
		},

		FORGETS_WHO_EXHAUSTED_THE_MEMORY {
			@Override
			Outcome applied(Outcome outcome) {
				return (outcome instanceof Outcome.Retry retry)
						? new Outcome.Retry(retry.id(), retry.delay(), retry.failure(), false) : outcome;
			}
		},

		FORGETS_ERRORS {
			@Override
			Outcome applied(Outcome outcome) {
				return (outcome instanceof Outcome.Retry retry)
						? new Outcome.Retry(retry.id(), retry.delay(), "", retry.suspect()) : outcome;
			}
		},

		FORGETS_HOLDS {
			@Override
			TestedStore around(TestedStore store) {
				return ignoring(store, "hold", new ShardActions.Step(0, false));
			}
		},

		FORGETS_EDITS {
			@Override
			TestedStore around(TestedStore store) {
				return ignoring(store, "editHeld", EditResult.EDITED);
			}
		},

		FORGETS_ERASURES {
			@Override
			TestedStore around(TestedStore store) {
				return ignoring(store, "erase", new Erasure(false, false, false));
			}
		},

		FORGETS_BURIALS {
			@Override
			TestedStore around(TestedStore store) {
				return ignoring(store, "bury", null);
			}
		},

		WAKES_NOBODY {
			@Override
			TestedStore around(TestedStore store) {
				return new TestedStore(store.shards(), store.queues(), store.nodes(),
						(session, listener) -> store.wakeUps().subscribe(session, new Sleeper(listener)),
						store.inspection(), store.actions(), store.livingNodes(), store.keys(), store.end());
			}
		};

		/** Passes all messages on but wake-ups. */
		private static final class Sleeper extends ForwardingListener {

			Sleeper(WakeUps.Listener listener) {
				super(listener);
			}

			@Override
			public void wake(Shard shard) {
			}

		}

		/**
		 * A storage on which one of the actions does nothing, and answers always the
		 * same.
		 */
		private static TestedStore ignoring(TestedStore store, String action, @Nullable Object answer) {
			ShardActions actions = Intercepted.of(ShardActions.class, store.actions(),
					(method, call) -> method.equals(action) ? answer : call.make());
			return new TestedStore(store.shards(), store.queues(), store.nodes(), store.wakeUps(), store.inspection(),
					actions, store.livingNodes(), store.keys(), store.end());
		}

		NewPayload enqueued(NewPayload payload) {
			return payload;
		}

		LeaseRequest changed(LeaseRequest request) {
			return request;
		}

		long numbered(long sequence, long calls) {
			return sequence;
		}

		int counted(int busy, TestedStore store) {
			return busy;
		}

		List<Outcome> applied(List<Outcome> outcomes) {
			return outcomes.stream().map(this::applied).toList();
		}

		Outcome applied(Outcome outcome) {
			return outcome;
		}

		Fetch fetched(Fetch fetch) {
			return fetch;
		}

		TestedStore around(TestedStore tested) {
			return tested.with(new ForwardingShardStore(tested.shards()) {

				private final AtomicLong calls = new AtomicLong();

				@Override
				public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
					return this.store.enqueue(shard, payloads.stream().map(BrokenStore.this::enqueued).toList());
				}

				@Override
				public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
					return this.store.acquire(shard, changed(request)).thenApply((answer) -> {
						if (answer instanceof Acquisition.Acquired) {
							this.calls.set(0);
						}
						return answer;
					});
				}

				@Override
				public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
						List<Outcome> outcomes, Fetch fetch) {
					return this.store.completeAndFetch(lease, numbered(sequence, this.calls.incrementAndGet()),
							counted(busy, tested), applied(outcomes), fetched(fetch));
				}

				@Override
				public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
					return this.store.release(lease, numbered(sequence, this.calls.incrementAndGet()),
							applied(outcomes));
				}

			});
		}

	}

}
