package io.lowkiq.consumer.aot;

import java.util.concurrent.TimeUnit;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Enqueues two payments, prints them when they were performed, and ends. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class AotApplication {

	/** Runs it. */
	public static void main(String[] arguments) {
		System.exit(SpringApplication.exit(SpringApplication.run(AotApplication.class, arguments)));
	}

	@Bean
	PaymentWorker paymentWorker() {
		return new PaymentWorker();
	}

	@Bean
	ApplicationRunner payments(LowkiqClient client, PaymentWorker worker) {
		return (arguments) -> {
			client.enqueue(PaymentWorker.class, JobRequest.of("42", new Payment.Card("1234")).score(1));
			client.enqueue(PaymentWorker.class, JobRequest.of("42", new Payment.Transfer("DE1")).score(2));
			for (int i = 0; i < 2; i++) {
				System.out.println("PERFORMED " + worker.taken.poll(30, TimeUnit.SECONDS));
			}
		};
	}

}
