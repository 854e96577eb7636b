package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.TraceParent;
import io.lowkiq.store.inspection.EditResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is enqueued because a job is done waits in the job's shard until its owner has
 * enqueued it.
 */
abstract class FollowUpContract extends StoreContract {

	private static final TracedProducer PRODUCER = new TracedProducer(
			new TraceParent("0123456789abcdef0123456789abcdef", "0123456789abcdef", true), 32);

	private static final Shard TARGET = new Shard("mails", 1, 0);

	private static FollowUp followUp(String payload) {
		return new FollowUp("mails", NewPayload.of("m", bytes(payload)));
	}

	private static Outcome next(String id, long number, String payload) {
		return new Outcome.FollowUp(id, number, followUp(payload));
	}

	/** Removes some that were enqueued, and returns what waits. */
	private List<String> waiting(TestOwner owner, long after, Long... moved) {
		for (Long number : moved) {
			remember(TARGET, new Origin(SHARD, owner.lease().epoch(), number));
		}
		List<EnqueuedFollowUps> enqueued = (moved.length > 0) ? List.of(new EnqueuedFollowUps(TARGET, List.of(moved)))
				: List.of();
		return next(owner, enqueued, after).followUps()
			.stream()
			.map((each) -> each.number() + " "
					+ new String(each.followUp().payload().payload(), StandardCharsets.UTF_8))
			.toList();
	}

	private NextFollowUps next(TestOwner owner, List<EnqueuedFollowUps> enqueued, long after) {
		return this.store.shards().moveFollowUps(owner.lease(), enqueued, after).join();
	}

	/** Lets a shard enqueue a follow-up, whatever it remembers. */
	private void remember(Shard target, Origin origin) {
		List<NewPayload> call = List.of(NewPayload.of("m", bytes("x")).from(origin));
		Remembered remembered = this.store.shards()
			.enqueueFollowUps(target, call, Remembered.NOTHING)
			.join()
			.remembered();
		if (remembered != null) {
			assertThat(this.store.shards().enqueueFollowUps(target, call, remembered).join().remembered()).isNull();
		}
	}

	@Test
	void followUpIsKeptInTheStepThatCompletesTheJob() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		assertThat(waiting(owner, 0)).isEmpty();
		owner.complete(next("a", 1, "x"), next("a", 2, "y"), new Outcome.Done("a"));
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(waiting(owner, 0)).containsExactly("1 x", "2 y");
		assertThat(waiting(owner, 1)).containsExactly("2 y");
	}

	@Test
	void waitingFollowUpsAreCounted() {
		TestOwner owner = owner("s");
		enqueue(NewPayload.of("a", bytes("p")).from(new Origin(new Shard("sources", 1, 7), 50, 1)));
		owner.fetch(1);
		assertThat(counts().followUps()).isZero();
		owner.complete(next("a", 1, "x"), next("a", 2, "y"), new Outcome.Done("a"));
		assertThat(counts().followUps()).isEqualTo(2);
		waiting(owner, 0, 1L);
		assertThat(counts().followUps()).isEqualTo(1);
		waiting(owner, 0, 2L);
		assertThat(counts().followUps()).isZero();
	}

	@Test
	void everythingAboutAFollowUpIsKept() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		NewPayload timed = new NewPayload("\uD83D\uDE00", bytes("x"), -2.5, 77L, 0, PRODUCER);
		NewPayload delayed = new NewPayload("m", new byte[0], null, null, 1_500);
		owner.complete(new Outcome.FollowUp("a", 1, new FollowUp("mails", timed)),
				new Outcome.FollowUp("a", 2, new FollowUp("other", delayed)), new Outcome.Done("a"));
		List<StoredFollowUp> waiting = next(owner, List.of(), 0).followUps();
		assertThat(waiting).extracting((each) -> each.followUp().queue()).containsExactly("mails", "other");
		assertThat(waiting.stream().map((each) -> each.followUp().payload()))
			.usingRecursiveFieldByFieldElementComparator()
			.containsExactly(timed, delayed);
	}

	@Test
	void followUpOfAJobThatIsNotBusyIsNotKept() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.complete(next("a", 1, "x"), new Outcome.Done("a"));
		assertThat(waiting(owner, 0)).isEmpty();
	}

	@Test
	void followUpOfPayloadsThatAreDoneIsKeptThoughTheOthersFail() {
		TestOwner owner = owner("s");
		enqueue("a", "p0", 0);
		enqueue("a", "p1", 1);
		owner.fetch(1);
		owner.complete(next("a", 1, "x"), new Outcome.PartlyDone("a", List.of(0), List.of(), "", false),
				new Outcome.Retry("a", 10, "e"));
		assertThat(waiting(owner, 0)).containsExactly("1 x");
		assertThat(texts(queued("a").payloads())).containsExactly("p1");
	}

	@Test
	void whatHasBeenEnqueuedIsRemovedAndNothingElse() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(next("a", 1, "x"), next("a", 2, "y"), next("a", 3, "z"), new Outcome.Done("a"));
		assertThat(waiting(owner, 3, 1L, 3L)).isEmpty();
		assertThat(waiting(owner, 0)).containsExactly("2 y");
		assertThat(waiting(owner, 2, 1L, 2L, 3L)).isEmpty();
		assertThat(waiting(owner, 0)).isEmpty();
	}

	@Test
	void onlyTheOwnerMovesFollowUps() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(next("a", 1, "x"), new Outcome.Done("a"));
		TestOwner late = owner;
		TestOwner newOwner = owner("t", LeaseRequest.afterCrash("t", "s"));
		assertThat(waiting(late, 0, 1L)).isEmpty();
		assertThat(waiting(newOwner, 0)).containsExactly("1 x");
	}

	@Test
	void theNextOwnerLearnsThatFollowUpsWait() {
		TestOwner owner = owner("s");
		assertThat(((Acquisition.Acquired) owner.acquire(LeaseRequest.forFreeShard("s"))).lastFollowUp()).isZero();
		enqueue("a", "p");
		owner.fetch(1);
		owner.release(next("a", 4, "x"), next("a", 5, "y"), new Outcome.Done("a"));
		TestOwner newOwner = new TestOwner(this.store.shards(), SHARD, "t");
		Acquisition.Acquired acquired = (Acquisition.Acquired) newOwner.acquire(LeaseRequest.forFreeShard("t"));
		assertThat(acquired.lastFollowUp()).isEqualTo(5);
		assertThat(waiting(newOwner, 0)).containsExactly("4 x", "5 y");
	}

	@Test
	void manyFollowUpsAreReturnedInParts() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		List<Outcome> outcomes = new ArrayList<>();
		for (int i = 1; i <= 250; i++) {
			outcomes.add(next("a", i, "x"));
		}
		outcomes.add(new Outcome.Done("a"));
		owner.complete(outcomes.toArray(Outcome[]::new));
		List<StoredFollowUp> first = next(owner, List.of(), 0).followUps();
		assertThat(first).hasSize(ShardStore.MAX_FOLLOW_UPS);
		assertThat(first.get(99).number()).isEqualTo(100);
		assertThat(next(owner, List.of(), 200).followUps()).hasSize(50);
	}

	@Test
	void followUpsWaitWhileTheQueueIsPausedAndEmptyOtherwise() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		this.store.actions().pause(SHARD, true);
		owner.complete(next("a", 1, "x"), new Outcome.Done("a"));
		assertThat(waiting(owner, 0)).containsExactly("1 x");
		assertThat(counts().queued()).isZero();
	}

	private static NewPayload from(String payload, Shard shard, long epoch, long number) {
		return NewPayload.of("m", bytes(payload)).from(new Origin(shard, epoch, number));
	}

	private EnqueueResult enqueueFrom(Remembered remembered, NewPayload... payloads) {
		return this.store.shards().enqueueFollowUps(SHARD, List.of(payloads), remembered).join();
	}

	@Test
	void aFollowUpIsEnqueuedOnce() {
		TestOwner owner = owner("s");
		Shard source = new Shard("sources", 1, 7);
		NewPayload[] call = { from("1", source, 50, 1), from("2", source, 50, 2) };
		assertThat(enqueueFrom(Remembered.NOTHING, call).remembered()).isNull();
		assertThat(jobTexts(owner.fetch(1))).containsExactly("m=[1, 2]");
		owner.complete(new Outcome.Done("m"));
		Remembered remembered = enqueueFrom(Remembered.NOTHING, call).remembered();
		assertThat(remembered).isEqualTo(new Remembered(50, 2));
		assertThat(enqueueFrom(new Remembered(50, 2), call[0], call[1], from("3", source, 50, 3)).merged())
			.isEqualTo(2);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("m=[3]");
	}

	@Test
	void aShardThatHasForgottenAFollowUpEnqueuesNoLaterOne() {
		owner("s");
		Shard source = new Shard("sources", 1, 7);
		assertThat(enqueueFrom(new Remembered(50, 1), from("2", source, 50, 2)).remembered())
			.isEqualTo(Remembered.NOTHING);
		enqueueFrom(Remembered.NOTHING, from("1", source, 50, 1));
		assertThat(enqueueFrom(new Remembered(50, 2), from("3", source, 50, 3)).remembered())
			.isEqualTo(new Remembered(50, 1));
		assertThat(texts(queued("m").payloads())).containsExactly("1");
	}

	@Test
	void aLaterEpochComesAfterAllNumbersOfAnEarlierOne() {
		TestOwner owner = owner("s");
		Shard source = new Shard("sources", 1, 7);
		enqueueFrom(Remembered.NOTHING, from("1", source, 50, 9));
		assertThat(enqueueFrom(new Remembered(50, 9), from("2", source, 51, 1), from("3", source, 50, 10)).merged())
			.isEqualTo(2);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("m=[1, 2]");
	}

	@Test
	void shardsCountTheirFollowUpsEachForItself() {
		TestOwner owner = owner("s");
		enqueueFrom(Remembered.NOTHING, from("1", new Shard("sources", 1, 7), 50, 9));
		enqueueFrom(Remembered.NOTHING, from("2", new Shard("sources", 1, 8), 40, 1));
		enqueueFrom(Remembered.NOTHING, from("3", new Shard("sources", 2, 7), 40, 1));
		assertThat(jobTexts(owner.fetch(1))).containsExactly("m=[1, 2, 3]");
	}

	@Test
	void whatWasEnqueuedHereIsNotAmongWhatWaitsHere() {
		enqueue(from("1", new Shard("sources", 1, 7), 50, 9));
		TestOwner owner = new TestOwner(this.store.shards(), SHARD, "s");
		assertThat(((Acquisition.Acquired) owner.acquire(LeaseRequest.forFreeShard("s"))).lastFollowUp()).isZero();
		assertThat(waiting(owner, 0)).isEmpty();
	}

	@Test
	void theOriginOfAFollowUpIsUnlikeAnyOther() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(next("a", 3, "x"), new Outcome.Done("a"));
		assertThat(next(owner, List.of(), 0).followUps()).extracting(StoredFollowUp::origin)
			.containsExactly(new Origin(SHARD, owner.lease().epoch(), 3));
	}

	@Test
	void onlyTheOwnerLetsOthersForgetAndOnlyWhenNothingWaits() {
		ShardStore shards = this.store.shards();
		Shard mails = new Shard("mails", 1, 0);
		Shard prints = new Shard("prints", 1, 0);
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(next("a", 1, "x"), new Outcome.Done("a"));
		List<EnqueuedFollowUps> others = List.of(new EnqueuedFollowUps(mails, List.of()),
				new EnqueuedFollowUps(prints, List.of()));
		assertThat(next(owner, others, 0).followUps()).hasSize(1);
		assertThat(shards.followUpTargets(owner.lease(), List.of(mails)).join()).as("One waits").isEmpty();
		assertThat(waiting(owner, 0, 1L)).isEmpty();
		Lease lost = new Lease(SHARD, "s", owner.lease().epoch() - 1);
		assertThat(shards.followUpTargets(lost, List.of(mails)).join()).isEmpty();
		assertThat(shards.followUpTargets(new Lease(SHARD, "t", owner.lease().epoch()), List.of(mails)).join())
			.isEmpty();
		assertThat(shards.followUpTargets(owner.lease(), List.of()).join()).containsExactlyInAnyOrder(mails, prints);
		assertThat(shards.followUpTargets(owner.lease(), List.of(mails)).join()).containsExactly(prints);
		assertThat(shards.followUpTargets(owner.lease(), List.of(prints)).join()).isEmpty();
		assertThat(counts().followUps()).isZero();
	}

	@Test
	void onlyTheNamedFollowUpIsForgottenAndCallsFromBeforeAreRefused() {
		ShardStore shards = this.store.shards();
		owner("s");
		Shard source = new Shard("sources", 1, 7);
		NewPayload call = from("1", source, 50, 9);
		assertThat(enqueueFrom(Remembered.NOTHING, call).merged()).isZero();
		assertThat(shards.forgetOrigin(SHARD, new Origin(source, 50, 8), true).join()).isFalse();
		assertThat(shards.forgetOrigin(SHARD, new Origin(source, 51, 9), false).join()).isFalse();
		assertThat(enqueueFrom(new Remembered(50, 9), call).merged()).as("It is remembered").isEqualTo(1);
		assertThat(shards.forgetOrigin(SHARD, new Origin(source, 51, 1), true).join()).isTrue();
		assertThat(shards.forgetOrigin(SHARD, new Origin(source, 51, 1), true).join()).isFalse();
		this.store.actions().delete(SHARD, List.of("m"));
		Remembered once = new Remembered(0, 1);
		assertThat(enqueueFrom(Remembered.NOTHING, call).remembered()).isEqualTo(once);
		assertThat(enqueueFrom(new Remembered(0, 2), call).remembered()).isEqualTo(once);
		assertThat(enqueueFrom(new Remembered(50, 9), call).remembered()).isEqualTo(once);
		assertThat(counts().queued()).isZero();
		assertThat(enqueueFrom(once, call).remembered()).isNull();
		assertThat(counts().queued()).isEqualTo(1);
		assertThat(enqueueFrom(once, from("2", source, 49, 1)).remembered()).isEqualTo(new Remembered(50, 9));
	}

	/** Whether one step sees the shard of a follow-up and its target. */
	boolean seesTargets() {
		return true;
	}

	/** Where the target isn't seen, the mover is believed. */
	@Test
	void aFollowUpThatItsTargetHasForgottenStaysAndNoneIsReturnedBeforeIt() {
		TestOwner owner = owner("s");
		Shard prints = new Shard("prints", 1, 0);
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(next("a", 1, "x"), next("a", 2, "y"), next("a", 3, "z"), new Outcome.Done("a"));
		remember(TARGET, new Origin(SHARD, owner.lease().epoch(), 1));
		remember(prints, new Origin(SHARD, owner.lease().epoch(), 3));
		NextFollowUps next = next(owner,
				List.of(new EnqueuedFollowUps(TARGET, List.of(1L, 2L)), new EnqueuedFollowUps(prints, List.of(3L))), 0);
		assertThat(next.forgotten()).isEqualTo(seesTargets());
		assertThat(next.followUps()).isEmpty();
		assertThat(waiting(owner, 0)).containsExactlyElementsOf(seesTargets() ? List.of("2 y") : List.of());
	}

	@Test
	void aPayloadCanNotPassForOneThatSomethingFollows() {
		TestOwner owner = owner("s");
		byte[] forged = StoredPayload.of(bytes("x"), followUp("y").toBytes());
		enqueue(NewPayload.of("a", forged).withScore(1));
		assertThat(owner.fetch(1).jobs().get(0).payloads()).containsExactly(new Payload(forged, 1));
		this.store.actions().bury(SHARD, "b", forged, 2, "forged");
		assertThat(dead("b").payloads()).containsExactly(new Payload(forged, 2));
		this.store.actions().reEnqueue(SHARD, List.of("b"));
		assertThat(owner.fetch(1).jobs().get(0).payloads()).containsExactly(new Payload(forged, 2));
		enqueue("c", "z", 3);
		this.store.actions().hold(SHARD, List.of("c"));
		assertThat(this.store.actions().editHeld(SHARD, "c", bytes("z"), forged)).isEqualTo(EditResult.EDITED);
		assertThat(queued("c").payloads()).containsExactly(new Payload(forged, 3));
	}

	@Test
	void payloadsThatAreFollowedByDifferentThingsAreDifferent() {
		TestOwner owner = owner("s");
		byte[] next = followUp("y").toBytes();
		enqueue(NewPayload.of("a", bytes("x")).withScore(1),
				NewPayload.of("a", bytes("x")).withScore(2).followedBy(next),
				NewPayload.of("a", bytes("x")).withScore(3).followedBy(next));
		assertThat(owner.fetch(1).jobs().get(0).payloads()).containsExactly(payload("x", 1),
				new Payload(bytes("x"), 2, next));
	}

	@Test
	void waitingFollowUpsAreListedAndDroppedByTheirOrigins() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(next("a", 1, "x"), next("a", 2, "y"), next("a", 3, "z"), new Outcome.Done("a"));
		long epoch = owner.lease().epoch();
		assertThat(this.store.inspection().followUps(SHARD, 1, 1)).extracting(StoredFollowUp::origin)
			.containsExactly(new Origin(SHARD, epoch, 2));
		assertThat(this.store.actions()
			.dropFollowUps(SHARD,
					List.of(new Origin(SHARD, epoch - 1, 1), new Origin(SHARD, epoch, 2), new Origin(SHARD, epoch, 4))))
			.isEqualTo(1);
		assertThat(waiting(owner, 0)).containsExactly("1 x", "3 z");
	}

	@Test
	void whatFollowsAPayloadStaysWhenThatIsEdited() {
		byte[] next = followUp("y").toBytes();
		enqueue(NewPayload.of("a", bytes("x")).withScore(1).followedBy(next));
		this.store.actions().hold(SHARD, List.of("a"));
		assertThat(this.store.actions().editHeld(SHARD, "a", bytes("other"), bytes("z"))).isEqualTo(EditResult.CHANGED);
		assertThat(this.store.actions().editHeld(SHARD, "a", bytes("x"), bytes("z"))).isEqualTo(EditResult.EDITED);
		assertThat(queued("a").payloads()).containsExactly(new Payload(bytes("z"), 1, next));
		this.store.actions().kill(SHARD, List.of("a"));
		assertThat(this.store.actions().editDead(SHARD, "a", bytes("z"), bytes("zz"))).isEqualTo(EditResult.EDITED);
		assertThat(dead("a").payloads()).containsExactly(new Payload(bytes("zz"), 1, next));
	}

}
