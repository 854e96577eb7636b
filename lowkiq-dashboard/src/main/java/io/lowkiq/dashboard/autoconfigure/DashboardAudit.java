package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.dashboard.Dashboard;

import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Lets the dashboard remember what operators do, in whatever way.
 *
 * @param dashboard the dashboard
 */
record DashboardAudit(Dashboard dashboard) implements ApplicationListener<PayloadApplicationEvent<AdminEvent>> {

	@Override
	public void onApplicationEvent(PayloadApplicationEvent<AdminEvent> published) {
		this.dashboard.record(published.getPayload());
	}

}
