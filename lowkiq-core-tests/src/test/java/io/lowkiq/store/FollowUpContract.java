package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.lowkiq.TraceParent;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;
import io.lowkiq.store.job.StoredPayload;
import io.lowkiq.store.job.TracedProducer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is enqueued because a job is done waits in the job's shard until its owner has
 * enqueued it.
 */
abstract class FollowUpContract extends OwnedShardContract {

	private static final TracedProducer PRODUCER = new TracedProducer(
			new TraceParent("0123456789abcdef0123456789abcdef", "0123456789abcdef", true), 32);

	private static final Shard SOURCE = new Shard("sources", 1, 7);

	private static final Shard TARGET = new Shard("mails", 1, 0);

	private static FollowUp followUp(String payload) {
		return new FollowUp("mails", NewPayload.of("m", bytes(payload)));
	}

	private static Outcome next(String id, long number, String payload) {
		return new Outcome.FollowUp(id, number, followUp(payload));
	}

	/** Removes some that were enqueued, and returns what waits. */
	private List<String> waiting(TestOwner by, long after, Long... moved) {
		for (Long number : moved) {
			remember(TARGET, new Origin(SHARD, by.lease().epoch(), number));
		}
		List<EnqueuedFollowUps> enqueued = (moved.length > 0) ? List.of(new EnqueuedFollowUps(TARGET, List.of(moved)))
				: List.of();
		return next(by, enqueued, after).followUps()
			.stream()
			.map((each) -> each.number() + " "
					+ new String(each.followUp().payload().payload(), StandardCharsets.UTF_8))
			.toList();
	}

	private NextFollowUps next(TestOwner by, List<EnqueuedFollowUps> enqueued, long after) {
		return this.store.shards().moveFollowUps(by.lease(), enqueued, after).join();
	}

	/** The owner performs {@code a}, and these follow it; they are numbered from 1. */
	private void performFollowedBy(String... payloads) {
		performing("a", "p");
		List<Outcome> outcomes = new ArrayList<>();
		for (String payload : payloads) {
			outcomes.add(next("a", outcomes.size() + 1L, payload));
		}
		outcomes.add(done("a"));
		this.owner.complete(outcomes.toArray(Outcome[]::new));
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
		performing("a", "p");
		assertThat(waiting(this.owner, 0)).isEmpty();
		this.owner.complete(next("a", 1, "x"), next("a", 2, "y"), done("a"));
		thenCounts().processed(1);
		assertThat(waiting(this.owner, 0)).containsExactly("1 x", "2 y");
		assertThat(waiting(this.owner, 1)).containsExactly("2 y");
	}

	@Test
	void waitingFollowUpsAreCounted() {
		enqueue(NewPayload.of("a", bytes("p")).from(new Origin(SOURCE, 50, 1)));
		this.owner.fetch(1);
		thenCounts().followUps(0);
		this.owner.complete(next("a", 1, "x"), next("a", 2, "y"), done("a"));
		thenCounts().followUps(2);
		waiting(this.owner, 0, 1L);
		thenCounts().followUps(1);
		waiting(this.owner, 0, 2L);
		thenCounts().followUps(0);
	}

	@Test
	void everythingAboutAFollowUpIsKept() {
		performing("a", "p");
		NewPayload timed = new NewPayload("\uD83D\uDE00", bytes("x"), -2.5, 77L, 0, PRODUCER);
		NewPayload delayed = new NewPayload("m", new byte[0], null, null, 1_500);
		this.owner.complete(new Outcome.FollowUp("a", 1, new FollowUp("mails", timed)),
				new Outcome.FollowUp("a", 2, new FollowUp("other", delayed)), done("a"));
		List<StoredFollowUp> waiting = next(this.owner, List.of(), 0).followUps();
		assertThat(waiting).extracting((each) -> each.followUp().queue()).containsExactly("mails", "other");
		assertThat(waiting.stream().map((each) -> each.followUp().payload()))
			.usingRecursiveFieldByFieldElementComparator()
			.containsExactly(timed, delayed);
	}

	@Test
	void followUpOfAJobThatIsNotBusyIsNotKept() {
		enqueue("a", "p");
		this.owner.complete(next("a", 1, "x"), done("a"));
		assertThat(waiting(this.owner, 0)).isEmpty();
	}

	@Test
	void followUpOfPayloadsThatAreDoneIsKeptThoughTheOthersFail() {
		performing("a", "p0", "p1");
		this.owner.complete(next("a", 1, "x"), partlyDone("a", 0), retry("a", 10, "e"));
		assertThat(waiting(this.owner, 0)).containsExactly("1 x");
		thenQueued("a").has("p1");
	}

	@Test
	void whatHasBeenEnqueuedIsRemovedAndNothingElse() {
		performFollowedBy("x", "y", "z");
		assertThat(waiting(this.owner, 3, 1L, 3L)).isEmpty();
		assertThat(waiting(this.owner, 0)).containsExactly("2 y");
		assertThat(waiting(this.owner, 2, 1L, 2L, 3L)).isEmpty();
		assertThat(waiting(this.owner, 0)).isEmpty();
	}

	@Test
	void onlyTheOwnerMovesFollowUps() {
		performFollowedBy("x");
		TestOwner late = this.owner;
		TestOwner newOwner = crashTo("t");
		assertThat(waiting(late, 0, 1L)).isEmpty();
		assertThat(waiting(newOwner, 0)).containsExactly("1 x");
	}

	@Test
	void theNextOwnerLearnsThatFollowUpsWait() {
		then(this.owner.acquire(LeaseRequest.forFreeShard("s"))).lastFollowUp(0);
		performing("a", "p");
		this.owner.release(next("a", 4, "x"), next("a", 5, "y"), done("a"));
		this.owner = new TestOwner(this.store.shards(), SHARD, "t");
		then(this.owner.acquire(LeaseRequest.forFreeShard("t"))).lastFollowUp(5);
		assertThat(waiting(this.owner, 0)).containsExactly("4 x", "5 y");
	}

	@Test
	void manyFollowUpsAreReturnedInParts() {
		performFollowedBy(Collections.nCopies(250, "x").toArray(String[]::new));
		List<StoredFollowUp> first = next(this.owner, List.of(), 0).followUps();
		assertThat(first).hasSize(ShardStore.MAX_FOLLOW_UPS);
		assertThat(first.get(99).number()).isEqualTo(100);
		assertThat(next(this.owner, List.of(), 200).followUps()).hasSize(50);
	}

	@Test
	void followUpsWaitWhileTheQueueIsPausedAndEmptyOtherwise() {
		performing("a", "p");
		actions().pause(SHARD, true);
		this.owner.complete(next("a", 1, "x"), done("a"));
		assertThat(waiting(this.owner, 0)).containsExactly("1 x");
		thenCounts().queued(0);
	}

	private static NewPayload from(String payload, Shard shard, long epoch, long number) {
		return NewPayload.of("m", bytes(payload)).from(new Origin(shard, epoch, number));
	}

	private EnqueueResult enqueueFrom(Remembered remembered, NewPayload... payloads) {
		return this.store.shards().enqueueFollowUps(SHARD, List.of(payloads), remembered).join();
	}

	@Test
	void aFollowUpIsEnqueuedOnce() {
		NewPayload[] call = { from("1", SOURCE, 50, 1), from("2", SOURCE, 50, 2) };
		assertThat(enqueueFrom(Remembered.NOTHING, call).remembered()).isNull();
		then(this.owner.fetch(1)).jobs("m=[1, 2]");
		this.owner.complete(done("m"));
		Remembered remembered = enqueueFrom(Remembered.NOTHING, call).remembered();
		assertThat(remembered).isEqualTo(new Remembered(50, 2));
		assertThat(enqueueFrom(new Remembered(50, 2), call[0], call[1], from("3", SOURCE, 50, 3)).merged())
			.isEqualTo(2);
		then(this.owner.fetch(1)).jobs("m=[3]");
	}

	@Test
	void aShardThatHasForgottenAFollowUpEnqueuesNoLaterOne() {
		assertThat(enqueueFrom(new Remembered(50, 1), from("2", SOURCE, 50, 2)).remembered())
			.isEqualTo(Remembered.NOTHING);
		enqueueFrom(Remembered.NOTHING, from("1", SOURCE, 50, 1));
		assertThat(enqueueFrom(new Remembered(50, 2), from("3", SOURCE, 50, 3)).remembered())
			.isEqualTo(new Remembered(50, 1));
		thenQueued("m").has("1");
	}

	@Test
	void aLaterEpochComesAfterAllNumbersOfAnEarlierOne() {
		enqueueFrom(Remembered.NOTHING, from("1", SOURCE, 50, 9));
		assertThat(enqueueFrom(new Remembered(50, 9), from("2", SOURCE, 51, 1), from("3", SOURCE, 50, 10)).merged())
			.isEqualTo(2);
		then(this.owner.fetch(1)).jobs("m=[1, 2]");
	}

	@Test
	void shardsCountTheirFollowUpsEachForItself() {
		enqueueFrom(Remembered.NOTHING, from("1", SOURCE, 50, 9));
		enqueueFrom(Remembered.NOTHING, from("2", new Shard("sources", 1, 8), 40, 1));
		enqueueFrom(Remembered.NOTHING, from("3", new Shard("sources", 2, 7), 40, 1));
		then(this.owner.fetch(1)).jobs("m=[1, 2, 3]");
	}

	@Test
	void whatWasEnqueuedHereIsNotAmongWhatWaitsHere() {
		enqueue(from("1", SOURCE, 50, 9));
		then(this.owner.acquire(LeaseRequest.forFreeShard("s"))).lastFollowUp(0);
		assertThat(waiting(this.owner, 0)).isEmpty();
	}

	@Test
	void theOriginOfAFollowUpIsUnlikeAnyOther() {
		performing("a", "p");
		this.owner.complete(next("a", 3, "x"), done("a"));
		assertThat(next(this.owner, List.of(), 0).followUps()).extracting(StoredFollowUp::origin)
			.containsExactly(new Origin(SHARD, this.owner.lease().epoch(), 3));
	}

	@Test
	void onlyTheOwnerLetsOthersForgetAndOnlyWhenNothingWaits() {
		ShardStore shards = this.store.shards();
		Shard mails = new Shard("mails", 1, 0);
		Shard prints = new Shard("prints", 1, 0);
		performFollowedBy("x");
		List<EnqueuedFollowUps> others = List.of(new EnqueuedFollowUps(mails, List.of()),
				new EnqueuedFollowUps(prints, List.of()));
		assertThat(next(this.owner, others, 0).followUps()).hasSize(1);
		assertThat(shards.followUpTargets(this.owner.lease(), List.of(mails)).join()).as("One waits").isEmpty();
		assertThat(waiting(this.owner, 0, 1L)).isEmpty();
		Lease lost = new Lease(SHARD, "s", this.owner.lease().epoch() - 1);
		assertThat(shards.followUpTargets(lost, List.of(mails)).join()).isEmpty();
		assertThat(shards.followUpTargets(new Lease(SHARD, "t", this.owner.lease().epoch()), List.of(mails)).join())
			.isEmpty();
		assertThat(shards.followUpTargets(this.owner.lease(), List.of()).join()).containsExactlyInAnyOrder(mails,
				prints);
		assertThat(shards.followUpTargets(this.owner.lease(), List.of(mails)).join()).containsExactly(prints);
		assertThat(shards.followUpTargets(this.owner.lease(), List.of(prints)).join()).isEmpty();
		thenCounts().followUps(0);
	}

	@Test
	void onlyTheNamedFollowUpIsForgottenAndCallsFromBeforeAreRefused() {
		ShardStore shards = this.store.shards();
		NewPayload call = from("1", SOURCE, 50, 9);
		assertThat(enqueueFrom(Remembered.NOTHING, call).merged()).isZero();
		assertThat(shards.forgetOrigin(SHARD, new Origin(SOURCE, 50, 8), true).join()).isFalse();
		assertThat(shards.forgetOrigin(SHARD, new Origin(SOURCE, 51, 9), false).join()).isFalse();
		assertThat(enqueueFrom(new Remembered(50, 9), call).merged()).as("It is remembered").isEqualTo(1);
		assertThat(shards.forgetOrigin(SHARD, new Origin(SOURCE, 51, 1), true).join()).isTrue();
		assertThat(shards.forgetOrigin(SHARD, new Origin(SOURCE, 51, 1), true).join()).isFalse();
		actions().delete(SHARD, List.of("m"));
		Remembered once = new Remembered(0, 1);
		assertThat(enqueueFrom(Remembered.NOTHING, call).remembered()).isEqualTo(once);
		assertThat(enqueueFrom(new Remembered(0, 2), call).remembered()).isEqualTo(once);
		assertThat(enqueueFrom(new Remembered(50, 9), call).remembered()).isEqualTo(once);
		thenCounts().queued(0);
		assertThat(enqueueFrom(once, call).remembered()).isNull();
		thenCounts().queued(1);
		assertThat(enqueueFrom(once, from("2", SOURCE, 49, 1)).remembered()).isEqualTo(new Remembered(50, 9));
	}

	@Test
	void aSmallerNumberOfTheSameLeaseIsForgotten() {
		enqueueFrom(Remembered.NOTHING, from("1", SOURCE, 50, 9));
		assertThat(this.store.shards().forgetOrigin(SHARD, new Origin(SOURCE, 50, 10), false).join()).isFalse();
		assertThat(this.store.shards().forgetOrigin(SHARD, new Origin(SOURCE, 50, 10), true).join()).isTrue();
	}

	/** Whether one step sees the shard of a follow-up and its target. */
	boolean seesTargets() {
		return true;
	}

	/** Where the target isn't seen, the mover is believed. */
	@Test
	void aFollowUpThatItsTargetHasForgottenStaysAndNoneIsReturnedBeforeIt() {
		Shard prints = new Shard("prints", 1, 0);
		performFollowedBy("x", "y", "z");
		remember(TARGET, new Origin(SHARD, this.owner.lease().epoch(), 1));
		remember(prints, new Origin(SHARD, this.owner.lease().epoch(), 3));
		NextFollowUps next = next(this.owner,
				List.of(new EnqueuedFollowUps(TARGET, List.of(1L, 2L)), new EnqueuedFollowUps(prints, List.of(3L))), 0);
		assertThat(next.forgotten()).isEqualTo(seesTargets());
		assertThat(next.followUps()).isEmpty();
		assertThat(waiting(this.owner, 0)).containsExactlyElementsOf(seesTargets() ? List.of("2 y") : List.of());
	}

	@Test
	void aPayloadCanNotPassForOneThatSomethingFollows() {
		byte[] forged = StoredPayload.of(bytes("x"), followUp("y").toBytes());
		enqueue(NewPayload.of("a", forged).withScore(1));
		assertThat(this.owner.fetchOne().payloads()).containsExactly(new Payload(forged, 1));
		actions().bury(SHARD, "b", forged, 2, "forged");
		thenDead("b").has(new Payload(forged, 2));
		actions().reEnqueue(SHARD, List.of("b"));
		assertThat(this.owner.fetchOne().payloads()).containsExactly(new Payload(forged, 2));
		enqueue("c", "z", 3);
		actions().hold(SHARD, List.of("c"));
		assertThat(actions().editHeld(SHARD, "c", bytes("z"), forged)).isEqualTo(EditResult.EDITED);
		thenQueued("c").has(new Payload(forged, 3));
	}

	@Test
	void payloadsThatAreFollowedByDifferentThingsAreDifferent() {
		byte[] next = followUp("y").toBytes();
		enqueue(NewPayload.of("a", bytes("x")).withScore(1),
				NewPayload.of("a", bytes("x")).withScore(2).followedBy(next),
				NewPayload.of("a", bytes("x")).withScore(3).followedBy(next));
		assertThat(this.owner.fetchOne().payloads()).containsExactly(payload("x", 1), new Payload(bytes("x"), 2, next));
	}

	@Test
	void waitingFollowUpsAreListedAndDroppedByTheirOrigins() {
		performFollowedBy("x", "y", "z");
		long epoch = this.owner.lease().epoch();
		assertThat(this.store.inspection().followUps(SHARD, 1, 1)).extracting(StoredFollowUp::origin)
			.containsExactly(new Origin(SHARD, epoch, 2));
		assertThat(actions().dropFollowUps(SHARD,
				List.of(new Origin(SHARD, epoch - 1, 1), new Origin(SHARD, epoch, 2), new Origin(SHARD, epoch, 4))))
			.isEqualTo(1);
		assertThat(waiting(this.owner, 0)).containsExactly("1 x", "3 z");
	}

	@Test
	void whatFollowsAPayloadStaysWhenThatIsEdited() {
		byte[] next = followUp("y").toBytes();
		enqueue(NewPayload.of("a", bytes("x")).withScore(1).followedBy(next));
		actions().hold(SHARD, List.of("a"));
		assertThat(actions().editHeld(SHARD, "a", bytes("other"), bytes("z"))).isEqualTo(EditResult.CHANGED);
		assertThat(actions().editHeld(SHARD, "a", bytes("x"), bytes("z"))).isEqualTo(EditResult.EDITED);
		thenQueued("a").has(new Payload(bytes("z"), 1, next));
		actions().kill(SHARD, List.of("a"));
		assertThat(actions().editDead(SHARD, "a", bytes("z"), bytes("zz"))).isEqualTo(EditResult.EDITED);
		thenDead("a").has(new Payload(bytes("zz"), 1, next));
	}

}
