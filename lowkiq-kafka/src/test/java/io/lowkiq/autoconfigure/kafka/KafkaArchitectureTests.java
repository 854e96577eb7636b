package io.lowkiq.autoconfigure.kafka;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;

import io.lowkiq.testing.AutoConfigurationRules;

@AnalyzeClasses(packages = "io.lowkiq.autoconfigure.kafka", importOptions = ImportOption.DoNotIncludeTests.class)
class KafkaArchitectureTests {

	@ArchTest
	static final ArchTests rules = ArchTests.in(AutoConfigurationRules.class);

}
