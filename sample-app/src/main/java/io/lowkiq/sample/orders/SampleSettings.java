package io.lowkiq.sample.orders;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the sample.
 *
 * @param workTime how long the warehouse takes for a booking
 * @param notifyAfter how long a notification waits for further changes of its order
 */
@ConfigurationProperties("sample")
record SampleSettings(@DefaultValue("5ms") Duration workTime, @DefaultValue("2s") Duration notifyAfter) {
}
