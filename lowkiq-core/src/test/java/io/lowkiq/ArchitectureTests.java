package io.lowkiq;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

@AnalyzeClasses(packages = "io.lowkiq", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	/** As {@code docs/internals.md} has them. A new package needs its place here. */
	@ArchTest
	static final ArchRule arrowsGoOneWay = layeredArchitecture().consideringOnlyDependenciesInLayers()
		.ensureAllClassesAreContainedInArchitecture()
		.layer("base")
		.definedBy("io.lowkiq")
		.layer("store")
		.definedBy("io.lowkiq.store")
		.layer("inspection")
		.definedBy("io.lowkiq.store.inspection")
		.layer("admin")
		.definedBy("io.lowkiq.admin")
		.layer("redis")
		.definedBy("io.lowkiq.redis")
		.layer("memory")
		.definedBy("io.lowkiq.memory")
		.layer("client")
		.definedBy("io.lowkiq.client")
		.layer("engine")
		.definedBy("io.lowkiq.engine")
		.layer("perform")
		.definedBy("io.lowkiq.engine.perform")
		.layer("schedule")
		.definedBy("io.lowkiq.engine.schedule")
		.layer("metrics")
		.definedBy("io.lowkiq.metrics")
		.layer("observation")
		.definedBy("io.lowkiq.observation")
		.whereLayer("base")
		.mayNotAccessAnyLayer()
		.whereLayer("store")
		.mayOnlyAccessLayers("base")
		.whereLayer("inspection")
		.mayOnlyAccessLayers("base", "store")
		.whereLayer("admin")
		.mayOnlyAccessLayers("base", "store", "inspection")
		.whereLayer("redis")
		.mayOnlyAccessLayers("base", "store", "inspection")
		.whereLayer("memory")
		.mayOnlyAccessLayers("base", "store", "inspection")
		.whereLayer("client")
		.mayOnlyAccessLayers("base", "store")
		.whereLayer("engine")
		.mayOnlyAccessLayers("base", "store", "perform", "schedule")
		.whereLayer("perform")
		.mayOnlyAccessLayers("base", "store")
		.whereLayer("schedule")
		.mayOnlyAccessLayers("base", "store")
		.whereLayer("metrics")
		.mayOnlyAccessLayers("base", "store", "inspection", "engine")
		.whereLayer("observation")
		.mayOnlyAccessLayers("base", "store", "client");

	@ArchTest
	static final ArchRule nothingImportsTheAutoConfiguration = noClasses().should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	@ArchTest
	static final ArchRule redisIsKnownOnlyToItsPackage = noClasses().that()
		.resideOutsideOfPackage("io.lowkiq.redis..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data.redis..", "io.lettuce..", "redis.clients..");

	@ArchTest
	static final ArchRule noMutableStatics = fields().that()
		.areStatic()
		.and()
		.areDeclaredInClassesThat(DescribedPredicate.not(JavaClass.Predicates.simpleName("package-info")))
		.should()
		.haveModifier(JavaModifier.FINAL);

	@ArchTest
	static final ArchRule namesSayARole = noClasses().should()
		.haveNameMatching(".*(Impl|Util|Utils|Manager|Helper)(\\$.*)?");

}
