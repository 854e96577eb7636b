package io.lowkiq.autoconfigure;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

@AnalyzeClasses(packages = "io.lowkiq.autoconfigure", importOptions = ImportOption.DoNotIncludeTests.class)
class AutoConfigurationArchitectureTests {

	@ArchTest
	static final ArchRule autoConfigurationsArePublicAndFinal = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.bePublic()
		.andShould()
		.haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL);

	@ArchTest
	static final ArchRule beanMethodsArePackagePrivate = methods().that()
		.areAnnotatedWith(Bean.class)
		.should()
		.bePackagePrivate();

	@ArchTest
	static final ArchRule theIntegrationsDependOnTheBaseAndNotTheOtherWay = noClasses().that()
		.resideInAPackage("io.lowkiq.autoconfigure")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.lowkiq.autoconfigure.(*)..");

	@ArchTest
	static final ArchRule integrationsDoNotKnowEachOther = com.tngtech.archunit.library.dependencies.SlicesRuleDefinition
		.slices()
		.matching("io.lowkiq.autoconfigure.(*)..")
		.should()
		.notDependOnEachOther();

}
