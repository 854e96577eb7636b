package io.lowkiq.samples.orders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The sample application. */
@SpringBootApplication
public class OrdersApplication {

	/** Runs the sample. */
	public static void main(String[] args) {
		SpringApplication.run(OrdersApplication.class, args);
	}

}
