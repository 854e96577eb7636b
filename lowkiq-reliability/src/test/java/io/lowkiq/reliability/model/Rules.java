package io.lowkiq.reliability.model;

/**
 * The rules of the ownership that can be taken out.
 *
 * @param epochChecked whether a call under another epoch than the current one is turned
 * away
 * @param sequenceChecked whether a call that was applied before is turned away
 * @param endIsFinal whether a session that has ended can't be prolonged any more
 * @param countedFromSending whether a node counts its lease from the sending of the
 * heartbeat, not from the answer
 * @param claimNamesEpoch whether a node that takes its lease anew after a lost answer
 * names the epoch of the call, and is told what became of it under that epoch only
 * @param handOverIsAStep whether a hand-over has a sequence number as the owner's calls
 * have
 */
record Rules(boolean epochChecked, boolean sequenceChecked, boolean endIsFinal, boolean countedFromSending,
		boolean claimNamesEpoch, boolean handOverIsAStep) {

	static final Rules ALL = new Rules(true, true, true, true, true, true);

	static final Rules WITHOUT_EPOCH = new Rules(false, true, true, true, true, true);

	static final Rules WITHOUT_SEQUENCE = new Rules(true, false, true, true, true, true);

	static final Rules WITHOUT_FINAL_END = new Rules(true, true, false, true, true, true);

	static final Rules COUNTED_FROM_ANSWER = new Rules(true, true, true, false, true, true);

	static final Rules WITHOUT_CLAIMED_EPOCH = new Rules(true, true, true, true, false, true);

	static final Rules WITHOUT_STEPS_OF_THE_STORE = new Rules(true, true, true, true, true, false);

}
