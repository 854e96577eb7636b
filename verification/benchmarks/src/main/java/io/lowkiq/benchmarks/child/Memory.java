package io.lowkiq.benchmarks.child;

/** Enqueues jobs with a payload of 100 bytes and lets them lie. */
final class Memory implements Mode {

	@Override
	public void run(Parameters parameters, Output output) {
		Application application = new Application(parameters, (id, payloads) -> {
		});
		Pause.millis(3_000);
		output.mark("enqueue");
		Jobs.enqueue(application, 0, parameters.jobs(), Jobs::hundredBytes);
		output.mark("enqueued");
		Pause.millis(5_000); // Redis shrinks idle client buffers meanwhile
		output.mark("settled");
		output.result("jobs", parameters.jobs());
	}

}
