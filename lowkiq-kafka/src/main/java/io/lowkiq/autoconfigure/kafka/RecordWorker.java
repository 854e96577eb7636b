package io.lowkiq.autoconfigure.kafka;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import io.lowkiq.BuryException;
import io.lowkiq.FailurePolicy;
import io.lowkiq.InvalidJobException;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.PerformContext;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.Worker;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.internal.InternalQueue;

/**
 * Lets sources read records once more that were given up. The records of a queue wait in
 * the morgue of a queue of their own; enqueued again from there, each becomes the job
 * that it was to be, exactly once, or is given up again.
 */
class RecordWorker implements Worker<GivenUpRecord> {

	/** One shard, and one record at a time. */
	static final RegisteredWorker.Settings SETTINGS = new RegisteredWorker.Settings(1, 1,
			RegisteredWorker.Settings.DEFAULTS.maxRetryCount(), 1, 1, 0)
		.with(new FailurePolicy(Set.of(InvalidJobException.class, PayloadException.class), Set.of(),
				RetriesExhausted.BURY_OLDEST));

	/** So that given-up records survive whatever the application does to payloads. */
	static final PayloadCodec CODEC = new JacksonPayloadCodec();

	private final String queue;

	private final List<RunningSource> sources;

	private final PerformContext context;

	RecordWorker(String queue, List<RunningSource> sources, PerformContext context) {
		this.queue = queue;
		this.sources = List.copyOf(sources);
		this.context = context;
	}

	/** The worker of the records of a queue, as a server serves it. */
	static RegisteredWorker registered(String queue, List<RunningSource> sources, Supplier<PerformContext> context) {
		return new RegisteredWorker(InternalQueue.RECORDS.nameFor(queue), RecordWorker.class, GivenUpRecord.class,
				SETTINGS, () -> new RecordWorker(queue, sources, context.get()), CODEC);
	}

	/** Why a record can't become a job. */
	static String describe(ConsumerRecord<?, ?> kafkaRecord, UnfitRecordException problem) {
		return "The record of topic %s, partition %s, offset %s can't become a job. %s".formatted(kafkaRecord.topic(),
				kafkaRecord.partition(), kafkaRecord.offset(), problem.getMessage());
	}

	@Override
	public void perform(String id, List<GivenUpRecord> records) {
		LowkiqClient client = this.context.onSuccess();
		for (GivenUpRecord each : records) {
			RunningSource source = sourceOf(each);
			ConsumerRecord<byte[], byte[]> raw = each.raw();
			try {
				JobRequest<?> job = source.records().read(raw);
				if (job != null) {
					client.enqueue(this.queue, job);
				}
			}
			catch (UnfitRecordException ex) {
				if (ErrorType.of(ex.getCause()) == ErrorType.OF_RECORD) {
					throw new BuryException(describe(raw, ex), ex.getCause());
				}
				throw new IllegalStateException(describe(raw, ex), ex.getCause());
			}
		}
	}

	/** The source of its group, if there is one; else any that reads its topic. */
	private RunningSource sourceOf(GivenUpRecord given) {
		List<RunningSource> reading = this.sources.stream()
			.filter((each) -> each.source().topics().contains(given.topic()))
			.toList();
		return reading.stream()
			.filter((each) -> each.groupId().equals(given.group()))
			.findFirst()
			.or(() -> reading.stream().findFirst())
			.orElseThrow(
					() -> new IllegalStateException("No Kafka source of queue '%s' in this application reads topic %s"
						.formatted(this.queue, given.topic())));
	}

}
