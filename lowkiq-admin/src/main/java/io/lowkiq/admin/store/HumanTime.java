package io.lowkiq.admin.store;

final class HumanTime {

	private HumanTime() {
	}

	/** A duration in the largest unit that gives at least two, rounded. */
	static String lasting(long millis) {
		long seconds = Math.max(millis, 0) / 1_000;
		if (seconds < 1) {
			return "less than a second";
		}
		if (seconds < 120) {
			return seconds + " s";
		}
		if (seconds < 7_200) {
			return (seconds + 30) / 60 + " min";
		}
		return (seconds < 172_800) ? (seconds + 1_800) / 3_600 + " h" : (seconds + 43_200) / 86_400 + " days";
	}

}
