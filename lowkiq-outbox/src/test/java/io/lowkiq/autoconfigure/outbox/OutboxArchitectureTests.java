package io.lowkiq.autoconfigure.outbox;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;

import io.lowkiq.testing.AutoConfigurationRules;

@AnalyzeClasses(packages = "io.lowkiq.autoconfigure.outbox", importOptions = ImportOption.DoNotIncludeTests.class)
class OutboxArchitectureTests {

	@ArchTest
	static final ArchTests rules = ArchTests.in(AutoConfigurationRules.class);

}
