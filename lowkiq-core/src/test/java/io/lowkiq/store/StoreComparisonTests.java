package io.lowkiq.store;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Shows that the comparison of two storages finds what it is there to find.
 */
class StoreComparisonTests {

	private static final int OPERATIONS = 3_000;

	private final MovableClock clock = new MovableClock();

	private final TestedStore store = TestedStore.inMemory(this.clock);

	@Test
	void equalStoresDoNotDiffer() {
		StoreComparison.run(RandomRun.seed(), RandomRun.operations(20_000), this.clock, this.store,
				TestedStore.inMemory(this.clock), true);
	}

	@ParameterizedTest
	@MethodSource
	void brokenStoreIsFound(BrokenStore broken) {
		TestedStore other = TestedStore.inMemory(this.clock);
		TestedStore actual = other.with(broken.around(other.shardStore()));
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> StoreComparison.run(RandomRun.seed(), OPERATIONS, this.clock, this.store, actual, true))
			.withMessageContaining("Seed ")
			.withMessageContaining("Last operations");
	}

	static Stream<BrokenStore> brokenStoreIsFound() {
		return Stream.of(BrokenStore.values());
	}

	/**
	 * Ways in which a storage may break a rule.
	 */
	enum BrokenStore {

		FORGETS_DELAYS {
			@Override
			NewPayload pushed(NewPayload push) {
				return new NewPayload(push.id(), push.payload(), push.score(), push.performAt(), 0);
			}
		},

		FORGETS_SCORES {
			@Override
			NewPayload pushed(NewPayload push) {
				return new NewPayload(push.id(), push.payload(), null, push.performAt(), push.delay());
			}
		},

		FORGETS_CRASHES {
			@Override
			Claim claimed(Claim claim) {
				return new Claim(claim.session(), claim.from(), false, claim.epoch(), claim.sequence());
			}
		},

		FORGETS_SEQUENCE_NUMBERS_OF_UNCERTAIN_CALLS {
			@Override
			Claim claimed(Claim claim) {
				return new Claim(claim.session(), claim.from(), claim.crashed(), claim.epoch(), 0);
			}
		},

		APPLIES_LATE_SEQUENCE_NUMBERS {
			@Override
			long numbered(long sequence, long calls) {
				return calls;
			}
		},

		HANDS_OUT_TOO_MANY_PAYLOADS {
			@Override
			Fetch fetched(Fetch fetch) {
				return new Fetch(fetch.jobs(), fetch.payloads() + 1, fetch.suspects());
			}
		},

		FETCHES_SUSPECTS_WITH_OTHERS {
			@Override
			Fetch fetched(Fetch fetch) {
				return new Fetch(fetch.jobs(), fetch.payloads(), false);
			}
		},

		FORGETS_THE_LAST_OUTCOME {
			@Override
			List<Outcome> came(List<Outcome> outcomes) {
				return outcomes.isEmpty() ? outcomes : outcomes.subList(0, outcomes.size() - 1);
			}
		},

		FORGETS_FAILED_PAYLOADS {
			@Override
			List<Outcome> came(List<Outcome> outcomes) {
				return outcomes.stream()
					.map((outcome) -> (outcome instanceof Outcome.Retry) ? new Outcome.Done(outcome.id()) : outcome)
					.toList();
			}
		},

		FORGETS_ERRORS {
			@Override
			List<Outcome> came(List<Outcome> outcomes) {
				return outcomes.stream()
					.map((outcome) -> (outcome instanceof Outcome.Retry retry)
							? new Outcome.Retry(retry.id(), retry.delay(), "") : outcome)
					.toList();
			}
		};

		NewPayload pushed(NewPayload push) {
			return push;
		}

		Claim claimed(Claim claim) {
			return claim;
		}

		long numbered(long sequence, long calls) {
			return sequence;
		}

		List<Outcome> came(List<Outcome> outcomes) {
			return outcomes;
		}

		Fetch fetched(Fetch fetch) {
			return fetch;
		}

		ShardStore around(ShardStore store) {
			return new ShardStore() {

				private final AtomicLong calls = new AtomicLong();

				@Override
				public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
					return store.push(shard, pushes.stream().map(BrokenStore.this::pushed).toList());
				}

				@Override
				public Acquisition acquire(Shard shard, Claim claim) {
					Acquisition answer = store.acquire(shard, claimed(claim));
					if (answer instanceof Acquisition.Acquired) {
						this.calls.set(0);
					}
					return answer;
				}

				@Override
				public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
					return store.turn(lease, numbered(sequence, this.calls.incrementAndGet()), came(outcomes),
							fetched(fetch));
				}

				@Override
				public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
					return store.release(lease, numbered(sequence, this.calls.incrementAndGet()), came(outcomes));
				}

			};
		}

	}

}
