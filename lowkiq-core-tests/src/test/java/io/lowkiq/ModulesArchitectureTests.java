package io.lowkiq;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** The rules of core, the storage on Redis and admin that modules can't enforce. */
@AnalyzeClasses(packages = "io.lowkiq", importOptions = ImportOption.DoNotIncludeTests.class)
class ModulesArchitectureTests {

	@ArchTest
	static final ArchRule noPackageCycles = slices().assignedFrom(new SliceAssignment() {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
			return SliceIdentifier.of(javaClass.getPackageName());
		}

		@Override
		public String getDescription() {
			return "packages";
		}

	}).should().beFreeOfCycles();

	@ArchTest
	static final ArchRule callsDontKnowTheStorage = noClasses().that()
		.resideInAPackage("io.lowkiq.redis.call")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lowkiq.redis", "io.lowkiq.store.inspection");

	@ArchTest
	static final ArchRule storageDoesNotKnowLettuce = noClasses().that()
		.resideInAPackage("io.lowkiq.redis")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lettuce..", "org.springframework.data.redis.connection.lettuce..");

	@ArchTest
	static final ArchRule packedFormatsMakeNoCalls = noClasses().that()
		.resideInAPackage("io.lowkiq.redis.wire")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lowkiq.redis", "io.lowkiq.redis.call", "io.lettuce..", "org.springframework..");

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
