package io.lowkiq.consumer.idle;

import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** The same application with one worker. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class JobsApplication {

	@LowkiqWorker(queue = "mails")
	static class Mails implements Worker<Mail> {

		@Override
		public void perform(String id, List<Mail> mails) {
		}

	}

	/** A mail to send. */
	record Mail(String subject) {
	}

}
