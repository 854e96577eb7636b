package io.lowkiq.sample.traffic;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The settings of the traffic.
 *
 * @param rate changes per second
 */
@Validated
@ConfigurationProperties("sample.traffic")
record TrafficSettings(@DefaultValue("true") boolean enabled, @DefaultValue("50") @Min(1) @Max(10_000) int rate,
		@DefaultValue("100") @Min(1) int orders) {
}
