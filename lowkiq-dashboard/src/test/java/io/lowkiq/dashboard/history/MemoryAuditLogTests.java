package io.lowkiq.dashboard.history;

import java.time.InstantSource;

/**
 * Tests of {@link MemoryAuditLog}.
 */
class MemoryAuditLogTests extends AuditLogContract {

	private final AuditLog log = new MemoryAuditLog(InstantSource.system());

	@Override
	AuditLog log() {
		return this.log;
	}

}
