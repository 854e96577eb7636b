package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.dashboard.api.DashboardApi;

import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Lets the dashboard remember what operators do, in whatever way.
 *
 * @param api remembers
 */
record DashboardAudit(DashboardApi api) implements ApplicationListener<PayloadApplicationEvent<AdminEvent>> {

	@Override
	public void onApplicationEvent(PayloadApplicationEvent<AdminEvent> published) {
		this.api.record(published.getPayload());
	}

}
