package io.lowkiq.test.probe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * One way in which payloads may be performed. Its text, such as
 * {@code 2+1 crash 1 after call 2}, says how many payloads each delivery has, and what
 * happens.
 */
record Schedule(List<Integer> sizes, @Nullable Disturbance disturbance) {

	/** Up to so many payloads are split in every way. */
	private static final int MAX_EXHAUSTIVE = 6;

	private static final int MAX_SPLITS = 32;

	Schedule {
		sizes = List.copyOf(sizes);
	}

	static Schedule parse(String text) {
		String[] parts = text.strip().split(" ", 2);
		try {
			List<Integer> sizes = Arrays.stream(parts[0].split("\\+")).map(Integer::valueOf).toList();
			return new Schedule(sizes, (parts.length > 1) ? Disturbance.parse(parts[1]) : null);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"'%s' is not a schedule; take one from the report of a probe".formatted(text), ex);
		}
	}

	/**
	 * The splits of payloads into consecutive deliveries: all together first, then into
	 * two, and so on. All of them for a few payloads, a choice for many.
	 */
	static List<Schedule> splits(int payloads) {
		Set<List<Integer>> splits = new LinkedHashSet<>();
		splits.add(List.of(payloads));
		if (payloads <= MAX_EXHAUSTIVE) {
			for (int cuts = 0; cuts < (1 << (payloads - 1)); cuts++) {
				splits.add(split(payloads, cuts));
			}
		}
		else {
			splits.add(Collections.nCopies(payloads, 1));
			for (int first = 1; first < payloads && splits.size() < MAX_SPLITS / 2; first++) {
				splits.add(List.of(first, payloads - first));
			}
			Random random = new Random(payloads);
			while (splits.size() < MAX_SPLITS) {
				splits.add(split(payloads, random.nextLong()));
			}
		}
		return splits.stream()
			.sorted((one, other) -> Integer.compare(one.size(), other.size()))
			.map((sizes) -> new Schedule(sizes, null))
			.toList();
	}

	private static List<Integer> split(int payloads, long cuts) {
		List<Integer> sizes = new ArrayList<>();
		int size = 1;
		for (int i = 1; i < payloads; i++) {
			if ((cuts >> ((i - 1) % Long.SIZE) & 1) == 1) {
				sizes.add(size);
				size = 0;
			}
			size++;
		}
		sizes.add(size);
		return sizes;
	}

	/**
	 * This schedule with everything that may happen.
	 * @param calls how many calls of repositories each delivery makes
	 */
	List<Schedule> disturbed(List<Integer> calls) {
		List<Schedule> disturbed = new ArrayList<>();
		for (int delivery = 1; delivery <= this.sizes.size(); delivery++) {
			boolean[] again = (delivery < this.sizes.size()) ? new boolean[] { false, true } : new boolean[] { false };
			for (boolean merged : again) {
				disturbed.add(with(Disturbance.Kind.TWICE, delivery, 0, false, merged));
				for (int call = 1; call <= calls.get(delivery - 1); call++) {
					disturbed.add(with(Disturbance.Kind.LATE, delivery, call, false, merged));
					for (boolean after : new boolean[] { false, true }) {
						disturbed.add(with(Disturbance.Kind.CRASH, delivery, call, after, merged));
						disturbed.add(with(Disturbance.Kind.ERROR, delivery, call, after, merged));
					}
				}
			}
		}
		return disturbed;
	}

	private Schedule with(Disturbance.Kind kind, int delivery, int call, boolean after, boolean merged) {
		return new Schedule(this.sizes, new Disturbance(kind, delivery, call, after, merged));
	}

	/** Cuts payloads into the deliveries. */
	<P> List<List<P>> deliveries(List<P> payloads) {
		if (this.sizes.stream().anyMatch((size) -> size < 1)
				|| this.sizes.stream().mapToInt(Integer::intValue).sum() != payloads.size()) {
			throw new IllegalArgumentException(
					"Schedule '%s' does not fit %s payloads".formatted(this, payloads.size()));
		}
		List<List<P>> deliveries = new ArrayList<>();
		int from = 0;
		for (int size : this.sizes) {
			deliveries.add(payloads.subList(from, from + size));
			from += size;
		}
		return deliveries;
	}

	@Override
	public String toString() {
		String split = this.sizes.stream().map(String::valueOf).collect(Collectors.joining("+"));
		return (this.disturbance != null) ? split + " " + this.disturbance : split;
	}

}
