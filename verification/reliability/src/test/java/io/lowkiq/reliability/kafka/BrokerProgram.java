package io.lowkiq.reliability.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import kafka.Kafka;
import kafka.tools.StorageTool;

/**
 * A broker of Kafka that is its own controller. Keeps its data when it is killed and
 * started again.
 */
public final class BrokerProgram {

	private static final String CLUSTER = "lowkiq-reliability-0000";

	private BrokerProgram() {
	}

	/**
	 * Runs until it is killed.
	 * @param arguments its directory, its port, and that of the controller
	 */
	public static void main(String[] arguments) throws IOException {
		Path directory = Path.of(arguments[0]);
		Path settings = directory.resolve("broker.properties");
		Files.createDirectories(directory);
		Files.write(settings,
				List.of("process.roles=broker,controller", "node.id=1",
						"controller.quorum.voters=1@localhost:" + arguments[2],
						"listeners=PLAINTEXT://localhost:%s,CONTROLLER://localhost:%s".formatted(arguments[1],
								arguments[2]),
						"advertised.listeners=PLAINTEXT://localhost:" + arguments[1],
						"controller.listener.names=CONTROLLER",
						"listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
						"log.dirs=" + directory.resolve("data"), "offsets.topic.replication.factor=1",
						"offsets.topic.num.partitions=1", "transaction.state.log.replication.factor=1",
						"transaction.state.log.min.isr=1", "share.coordinator.state.topic.replication.factor=1",
						"share.coordinator.state.topic.min.isr=1", "group.initial.rebalance.delay.ms=0",
						"group.min.session.timeout.ms=1000", "log.cleaner.dedupe.buffer.size=4194304",
						"auto.create.topics.enable=false"));
		StorageTool.execute(new String[] { "format", "--ignore-formatted", "-t", CLUSTER, "-c", settings.toString() },
				System.out);
		Kafka.main(new String[] { settings.toString() });
	}

}
