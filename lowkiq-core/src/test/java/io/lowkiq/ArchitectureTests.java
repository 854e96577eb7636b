package io.lowkiq;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

@AnalyzeClasses(packages = "io.lowkiq", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	/**
	 * As {@code docs/appendix/internals.md} has them. A new package needs its place here.
	 */
	@ArchTest
	static final ArchRule arrowsGoOneWay = layeredArchitecture().consideringOnlyDependenciesInLayers()
		.ensureAllClassesAreContainedInArchitecture()
		.layer("base")
		.definedBy("io.lowkiq")
		.layer("internal")
		.definedBy("io.lowkiq.internal")
		.layer("codec")
		.definedBy("io.lowkiq.codec")
		.layer("store")
		.definedBy("io.lowkiq.store..")
		.layer("client")
		.definedBy("io.lowkiq.client")
		.layer("engine")
		.definedBy("io.lowkiq.engine")
		.layer("lease")
		.definedBy("io.lowkiq.engine.lease")
		.layer("perform")
		.definedBy("io.lowkiq.engine.perform")
		.layer("schedule")
		.definedBy("io.lowkiq.engine.schedule")
		.layer("runtime")
		.definedBy("io.lowkiq.engine.runtime")
		.layer("observation")
		.definedBy("io.lowkiq.observation")
		.whereLayer("internal")
		.mayNotAccessAnyLayer()
		.whereLayer("base")
		.mayOnlyAccessLayers("internal")
		.whereLayer("codec")
		.mayOnlyAccessLayers("base")
		.whereLayer("store")
		.mayOnlyAccessLayers("base", "internal")
		.whereLayer("client")
		.mayOnlyAccessLayers("base", "internal", "store")
		.whereLayer("engine")
		.mayOnlyAccessLayers("base", "internal", "codec", "store", "lease", "perform", "schedule", "runtime")
		.whereLayer("lease")
		.mayOnlyAccessLayers("base", "internal", "store", "perform", "schedule", "runtime")
		.whereLayer("runtime")
		.mayOnlyAccessLayers("internal")
		.whereLayer("perform")
		.mayOnlyAccessLayers("base", "internal", "store")
		.whereLayer("schedule")
		.mayOnlyAccessLayers("base", "internal", "store")
		.whereLayer("observation")
		.mayOnlyAccessLayers("base", "internal", "store", "client");

	@ArchTest
	static final ArchRule nothingImportsTheAutoConfiguration = noClasses().should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	@ArchTest
	static final ArchRule redisIsUnknown = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data.redis..", "io.lettuce..", "redis.clients..");

}
