package io.lowkiq.benchmarks.child;

import java.util.Arrays;

/** A process that is measured. */
public final class Child {

	private Child() {
	}

	/**
	 * Runs one mode and ends the JVM.
	 * @throws Exception if it can't be measured
	 */
	public static void main(String[] arguments) throws Exception {
		Output output = new Output(System.out);
		Parameters parameters = Parameters.of(Arrays.copyOfRange(arguments, 1, arguments.length));
		mode(arguments[0]).run(parameters, output);
		output.mark("end");
		Pause.millis(500); // lets the suite read this process before it is gone
		System.exit(0); // a flight recording is written by a hook
	}

	private static Mode mode(String name) {
		return switch (name) {
			case "throughput" -> new Throughput();
			case "enqueue" -> new SingleEnqueue();
			case "latency" -> new IdleLatency();
			case "load" -> new LoadLatency();
			case "poisson" -> new PoissonLoad();
			case "coalescing" -> new Coalescing();
			case "failures" -> new FailingLoad();
			case "gathering" -> new GatheringLoad();
			case "hot" -> new HotId();
			case "depth" -> new Depth();
			case "memory" -> new Memory();
			case "silence" -> new Silence();
			case "fleet" -> new Fleet();
			case "tenants" -> new TenantLoad();
			default -> throw new IllegalArgumentException("Unknown mode " + name);
		};
	}

}
