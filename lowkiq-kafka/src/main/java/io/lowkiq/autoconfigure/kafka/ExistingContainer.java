package io.lowkiq.autoconfigure.kafka;

import java.util.regex.Pattern;

import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;

/** Gives an existing container to a registry, which expects to have one made. */
record ExistingContainer(ConcurrentMessageListenerContainer<?, ?> container)
		implements
			KafkaListenerContainerFactory<ConcurrentMessageListenerContainer<?, ?>> {

	@Override
	public ConcurrentMessageListenerContainer<?, ?> createListenerContainer(KafkaListenerEndpoint endpoint) {
		return this.container;
	}

	@Override
	public ConcurrentMessageListenerContainer<?, ?> createContainer(TopicPartitionOffset... topicPartitions) {
		return this.container;
	}

	@Override
	public ConcurrentMessageListenerContainer<?, ?> createContainer(String... topics) {
		return this.container;
	}

	@Override
	public ConcurrentMessageListenerContainer<?, ?> createContainer(Pattern topicPattern) {
		return this.container;
	}

}
