package io.lowkiq.testing;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** What is logged during a test. */
public final class LogLines implements BeforeEachCallback, AfterEachCallback {

	private final Logger logger;

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	public LogLines(String logger) {
		this.logger = (Logger) LoggerFactory.getLogger(logger);
	}

	public LogLines(Class<?> logger) {
		this(logger.getName());
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.logger.detachAppender(this.appender);
	}

	/** What has been logged since the test began. */
	public List<ILoggingEvent> events() {
		return List.copyOf(this.appender.list);
	}

	public List<String> messages() {
		return events().stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	public List<String> warnings() {
		return events().stream()
			.filter((event) -> event.getLevel() == Level.WARN)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

}
