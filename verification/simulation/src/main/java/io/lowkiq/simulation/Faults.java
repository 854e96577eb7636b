package io.lowkiq.simulation;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The kinds of faults that a simulation may inject.
 *
 * @param kinds the kinds, in the order of their declaration
 */
public record Faults(List<Fault> kinds) {

	/** All kinds. */
	public static final Faults ALL = new Faults(List.of(Fault.values()));

	/** No faults. */
	public static final Faults NONE = new Faults(List.of());

	/** Some kinds. */
	public static Faults of(Fault... kinds) {
		return new Faults(Arrays.stream(kinds).distinct().sorted().toList());
	}

	/** The others. */
	public Faults without(Fault... kinds) {
		Set<Fault> left = EnumSet.noneOf(Fault.class);
		left.addAll(this.kinds);
		left.removeAll(Arrays.asList(kinds));
		return new Faults(List.copyOf(left));
	}

}
