package io.lowkiq.snippets.pages;

import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.testing.TestRedis;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application that was copied out of a page, on the Redis of the tests. Its
 * configuration is that of the page alone.
 */
final class RunningApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	RunningApplication(URLClassLoader classes, String main, String configuration) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0",
				"--spring.data.redis.url=" + TestRedis.shared().url(),
				"--lowkiq.key-prefix=" + TestRedis.uniquePrefix(), "--spring.config.location=" + configuration));
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(classes);
		try {
			this.context = SpringApplication.run(classes.loadClass(main), arguments.toArray(String[]::new));
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	int port() {
		return ((WebServerApplicationContext) this.context).getWebServer().getPort();
	}

	@Override
	public void close() {
		this.context.close();
	}

}
