package io.lowkiq.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** The sample application. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SampleApplication {

	/** Runs the sample. */
	public static void main(String[] args) {
		SpringApplication.run(SampleApplication.class, args);
	}

}
