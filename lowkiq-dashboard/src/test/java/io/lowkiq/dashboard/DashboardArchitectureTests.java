package io.lowkiq.dashboard;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** The packages of the dashboard, from the one that serves HTTP down to the history. */
@AnalyzeClasses(packages = "io.lowkiq.dashboard", importOptions = ImportOption.DoNotIncludeTests.class)
class DashboardArchitectureTests {

	@ArchTest
	static final ArchRule noPackageCycles = slices().matching("io.lowkiq.dashboard.(**)").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule packagesUseThoseBelow = layeredArchitecture().consideringOnlyDependenciesInLayers()
		.layer("autoconfigure")
		.definedBy("io.lowkiq.dashboard.autoconfigure")
		.layer("http")
		.definedBy("io.lowkiq.dashboard.http")
		.layer("api")
		.definedBy("io.lowkiq.dashboard.api")
		.layer("actions")
		.definedBy("io.lowkiq.dashboard.actions")
		.layer("jobs")
		.definedBy("io.lowkiq.dashboard.jobs")
		.layer("cluster")
		.definedBy("io.lowkiq.dashboard.cluster")
		.layer("history")
		.definedBy("io.lowkiq.dashboard.history")
		.layer("root")
		.definedBy("io.lowkiq.dashboard")
		.whereLayer("autoconfigure")
		.mayNotBeAccessedByAnyLayer()
		.whereLayer("http")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("api")
		.mayOnlyBeAccessedByLayers("autoconfigure", "http")
		.whereLayer("actions")
		.mayOnlyBeAccessedByLayers("api")
		.whereLayer("jobs")
		.mayOnlyBeAccessedByLayers("http", "api", "actions")
		.whereLayer("cluster")
		.mayOnlyBeAccessedByLayers("api", "actions", "jobs")
		.whereLayer("history")
		.mayOnlyBeAccessedByLayers("api", "actions", "cluster")
		.whereLayer("root")
		.mayNotAccessAnyLayer();

	@ArchTest
	static final ArchRule httpKnowsNeitherJobsNorRedis = noClasses().that()
		.resideInAPackage("io.lowkiq.dashboard.http")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lowkiq.store..", "io.lowkiq.admin..", "io.lowkiq.redis..",
				"org.springframework.data..");

	@ArchTest
	static final ArchRule onlyHttpKnowsHttp = noClasses().that()
		.resideOutsideOfPackages("io.lowkiq.dashboard.http", "io.lowkiq.dashboard.autoconfigure")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.http..", "org.springframework.web..");

}
