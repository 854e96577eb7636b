package io.lowkiq.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The faults of a run, drawn before it begins, so that a run can do without some of them.
 *
 * @param faults the faults, by their times
 * @param endings what becomes of each node when faults end: it stays dead, frozen or cut
 * off for ever, or is well again
 */
record Plan(List<Planned> faults, List<Ending> endings) {

	/**
	 * One fault.
	 *
	 * @param draw decides the rest
	 */
	record Planned(int number, long at, Fault fault, int node, long lasts, long draw) {
	}

	/**
	 * The fate of a node when faults end. Of a mute one, no call arrives; a deaf one gets
	 * no answer.
	 */
	enum Ending {

		WELL, DEAD, FROZEN, CUT, MUTE, DEAF

	}

	/** Of faults that last as long as they may. */
	private static final int MOST_AT_ONCE = 6;

	boolean terminates() {
		return this.faults.stream().anyMatch((planned) -> planned.fault() == Fault.TERMINATE);
	}

	static Plan draw(Options options) {
		SplittableRandom random = options.random(4);
		List<Planned> faults = new ArrayList<>();
		List<Fault> kinds = options.faults().without(Fault.EMPTY).kinds();
		long lease = options.lease().toNanos();
		long pause = options.faultPause().toNanos();
		long end = options.lasts().toNanos();
		int number = 0;
		for (long at = lease; at < end && !kinds.isEmpty(); at += pause / 2 + random.nextLong(pause)) {
			number++;
			Fault fault = kinds.get(random.nextInt(kinds.size()));
			// Not so many at a time that nothing else happens
			long longest = Math.min(random.nextBoolean() ? lease / 2 : 3 * lease, MOST_AT_ONCE * pause);
			Planned planned = new Planned(number, at, fault, random.nextInt(options.nodes()), random.nextLong(longest),
					random.nextLong());
			if (options.restLeft(at) == 0 && !options.without().contains(number)) {
				faults.add(planned);
			}
		}
		if (options.emptied() && !options.without().contains(++number)) {
			faults.add(new Planned(number, lease + random.nextLong(end - lease), Fault.EMPTY, 0, 0, 0));
		}
		List<Ending> endings = new ArrayList<>();
		random = options.random(5);
		int well = random.nextInt(options.nodes());
		for (int node = 0; node < options.nodes(); node++) {
			Ending drawn = Ending.values()[random.nextInt(Ending.values().length)];
			endings
				.add((node == well || kinds.isEmpty() || options.without().contains(-1 - node)) ? Ending.WELL : drawn);
		}
		return new Plan(faults, endings);
	}

}
