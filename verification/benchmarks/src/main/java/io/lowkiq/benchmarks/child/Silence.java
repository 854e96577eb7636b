package io.lowkiq.benchmarks.child;

/** A node that serves its shards and gets no job. */
final class Silence implements Mode {

	@Override
	public void run(Parameters parameters, Output output) {
		Application application = new Application(parameters, (id, payloads) -> {
		});
		application.start();
		Pause.millis(10_000);
		output.mark("silence");
		Pause.millis(parameters.number("seconds", 30) * 1_000L);
		output.mark("silent");
	}

}
