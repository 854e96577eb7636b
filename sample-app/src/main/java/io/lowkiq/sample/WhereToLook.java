package io.lowkiq.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Says in the log where to look, once the application is up. */
@Component
class WhereToLook {

	private static final Logger logger = LoggerFactory.getLogger(WhereToLook.class);

	@EventListener
	void applicationReady(ApplicationReadyEvent event) {
		if (event.getApplicationContext() instanceof WebServerApplicationContext context
				&& context.getWebServer() != null) {
			String base = "http://localhost:" + context.getWebServer().getPort()
					+ context.getEnvironment().getProperty("server.servlet.context-path", "");
			logger.info("""
					The sample is up. Look at

					  {}/orders/stats            what the workers saw; overlaps and regressions stay 0
					  {}/orders/order-1          an order, as replicated
					  {}/lowkiq                  the dashboard: queues, jobs, nodes
					  {}/lowkiq/api/v1/stats     the queues, as JSON
					  {}/actuator/health         health
					  {}/actuator/lowkiq         this node, queues
					  {}/actuator/metrics        metrics, such as lowkiq.perform
					""", base, base, base, base, base, base, base);
		}
	}

}
