package io.lowkiq.autoconfigure;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;

import io.lowkiq.testing.AutoConfigurationRules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

@AnalyzeClasses(packages = "io.lowkiq.autoconfigure", importOptions = ImportOption.DoNotIncludeTests.class)
class AutoConfigurationArchitectureTests {

	/** The base stands on these; all other packages stand on the base. */
	private static final String REDIS = "io.lowkiq.autoconfigure.redis";

	private static final String SCHEDULE = "io.lowkiq.autoconfigure.schedule";

	private static final String TRANSACTION = "io.lowkiq.autoconfigure.transaction";

	private static final String THREAD = "io.lowkiq.autoconfigure.thread";

	@ArchTest
	static final ArchTests rules = ArchTests.in(AutoConfigurationRules.class);

	@ArchTest
	static final ArchRule theIntegrationsDependOnTheBaseAndNotTheOtherWay = noClasses().that()
		.resideInAPackage("io.lowkiq.autoconfigure")
		.should()
		.dependOnClassesThat(resideInAPackage("io.lowkiq.autoconfigure.(*)..")
			.and(not(resideInAnyPackage(REDIS, SCHEDULE, TRANSACTION, THREAD))));

	@ArchTest
	static final ArchRule theBaseIsUnknownToTheRedisOfTheJobs = knowsOnlyItself(REDIS);

	@ArchTest
	static final ArchRule theBaseIsUnknownToSchedules = knowsOnlyItself(SCHEDULE);

	@ArchTest
	static final ArchRule theBaseIsUnknownToTransactions = knowsOnlyItself(TRANSACTION);

	@ArchTest
	static final ArchRule theBaseIsUnknownToThreads = knowsOnlyItself(THREAD);

	@ArchTest
	static final ArchRule integrationsDoNotKnowEachOther = com.tngtech.archunit.library.dependencies.SlicesRuleDefinition
		.slices()
		.matching("io.lowkiq.autoconfigure.(*)..")
		.should()
		.notDependOnEachOther();

	private static ArchRule knowsOnlyItself(String room) {
		return noClasses().that()
			.resideInAPackage(room)
			.should()
			.dependOnClassesThat(resideInAPackage("io.lowkiq.autoconfigure..").and(not(resideInAPackage(room))));
	}

}
