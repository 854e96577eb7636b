package io.lowkiq.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to change when the configuration can't work. */
class LowkiqConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<LowkiqConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LowkiqConfigurationException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", cause.action() + ".", cause);
	}

}
