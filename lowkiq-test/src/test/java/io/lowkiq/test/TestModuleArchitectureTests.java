package io.lowkiq.test;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

@AnalyzeClasses(packages = "io.lowkiq.test", importOptions = ImportOption.DoNotIncludeTests.class)
class TestModuleArchitectureTests {

	@ArchTest
	static final ArchRule testerKnowsNeitherTheProbeNorTheAutoConfiguration = noClasses().that()
		.resideInAPackage("io.lowkiq.test")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lowkiq.test.probe..", "io.lowkiq.test.autoconfigure..");

	@ArchTest
	static final ArchRule probeNeedsNoContext = noClasses().that()
		.resideInAPackage("io.lowkiq.test.probe")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.context..", "org.springframework.boot..", "org.springframework.test..",
				"io.lowkiq.test.autoconfigure..");

	@ArchTest
	static final ArchRule clientsOfRedisAreNotKnown = noClasses().that()
		.resideOutsideOfPackage("io.lowkiq.test.autoconfigure")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data.redis..", "io.lettuce..");

}
