package io.lowkiq.snippets;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What applications compile against is as it was recorded, until there is a release to
 * compare with. A change that is meant is recorded with {@code -Dlowkiq.api.record=true}.
 * What a recorded type shows is recorded, too.
 */
class PublicApiTests {

	private static final Path RECORDED = Path.of("").toAbsolutePath().getParent().resolve("verification/api.txt");

	/** What applications import, implement, inject or catch is in these packages. */
	private static final Set<String> PACKAGES = Set.of("io.lowkiq", "io.lowkiq.admin", "io.lowkiq.autoconfigure",
			"io.lowkiq.autoconfigure.kafka", "io.lowkiq.codec", "io.lowkiq.dashboard", "io.lowkiq.observation",
			"io.lowkiq.redis", "io.lowkiq.test", "io.lowkiq.test.autoconfigure", "io.lowkiq.test.probe");

	/** Or it is one of these, some of which a recorded signature names. */
	private static final Set<String> OTHERS = Set.of("io.lowkiq.autoconfigure.outbox.LowkiqDataSource",
			"io.lowkiq.engine.LowkiqServer", "io.lowkiq.engine.ServerOptions",
			"io.lowkiq.engine.schedule.ShardScheduler", "io.lowkiq.engine.schedule.ShardSplitter",
			"io.lowkiq.store.job.Failure", "io.lowkiq.store.job.FollowUp", "io.lowkiq.store.node.Forgotten",
			"io.lowkiq.store.GroupOverride", "io.lowkiq.store.job.NewPayload", "io.lowkiq.store.job.Origin",
			"io.lowkiq.store.job.Payload", "io.lowkiq.store.job.Shard", "io.lowkiq.store.job.StoredFollowUp",
			"io.lowkiq.store.job.TracedProducer", "io.lowkiq.store.inspection.EditResult",
			"io.lowkiq.store.inspection.Erasure", "io.lowkiq.store.inspection.ErrorKind",
			"io.lowkiq.store.inspection.JobQuery$JobList", "io.lowkiq.store.inspection.JobSelection",
			"io.lowkiq.store.inspection.JobView");

	/** Types, and members of others, that only Lowkiq itself uses. */
	private static final Set<String> INTERNAL = Set.of("io.lowkiq.FailurePolicy", "io.lowkiq.GatheringPolicy",
			"io.lowkiq.GroupPolicy", "io.lowkiq.Ids", "io.lowkiq.Limits", "io.lowkiq.RegisteredWorker",
			"io.lowkiq.WorkerRegistry", "io.lowkiq.admin.ForeignQueues", "io.lowkiq.admin.Outbox",
			"io.lowkiq.admin.ScheduleControl", "io.lowkiq.admin.SourceControl", "io.lowkiq.admin.UnservedQueues",
			"io.lowkiq.autoconfigure.LowkiqProperties", "io.lowkiq.autoconfigure.ServedWorkers",
			"io.lowkiq.autoconfigure.WorkerDiscovery", "io.lowkiq.engine.LowkiqServer.clockMoved",
			"io.lowkiq.engine.LowkiqServer.loop", "io.lowkiq.engine.LowkiqServer.new",
			"io.lowkiq.engine.LowkiqServer.quiet", "io.lowkiq.engine.LowkiqServer.registerQueues",
			"io.lowkiq.engine.LowkiqServer.start", "io.lowkiq.engine.LowkiqServer.status",
			"io.lowkiq.engine.LowkiqServer.stop", "io.lowkiq.engine.ServerOptions.foreignQueues",
			"io.lowkiq.engine.ServerOptions.new", "io.lowkiq.engine.ServerOptions.performContext",
			"io.lowkiq.engine.ServerOptions.performer", "io.lowkiq.engine.ServerOptions.runtime",
			"io.lowkiq.engine.ServerOptions.settings", "io.lowkiq.engine.ServerOptions.threadStates",
			"io.lowkiq.engine.ServerOptions.worker", "io.lowkiq.internal.BackgroundLoop$Owner",
			"io.lowkiq.observation.ObservedEnqueues", "io.lowkiq.observation.ObservedPerforms",
			"io.lowkiq.redis.EvictionPolicy", "io.lowkiq.redis.RedisStore", "io.lowkiq.redis.ShardActions",
			"io.lowkiq.redis.ShardInspection", "io.lowkiq.store.node.Forgotten.recent",
			"io.lowkiq.store.inspection.JobSelection.most", "io.lowkiq.test.LowkiqTester.new",
			"io.lowkiq.test.LowkiqTester.of", "io.lowkiq.test.TestClock.configure");

	/** With more components, a record has a constructor that only Lowkiq itself uses. */
	private static final int MOST_COMPONENTS = 4;

	private static final Pattern NAME = Pattern.compile("io\\.lowkiq\\.[\\w.$]+");

	@Test
	void isAsItWasRecorded() throws IOException {
		List<String> present = new ArrayList<>();
		types().forEach((type) -> describe(type, present));
		if (Boolean.getBoolean("lowkiq.api.record")) {
			Files.write(RECORDED, present);
		}
		assertThat(present).contains("public abstract interface io.lowkiq.LowkiqClient");
		List<String> recorded = Files.readAllLines(RECORDED);
		assertThat(present).as("What is here, compared with %s", RECORDED).containsExactlyElementsOf(recorded);
	}

	@Test
	void showsNothingThatIsNotRecorded() throws IOException {
		List<Class<?>> recorded = types();
		Set<String> names = recorded.stream().map(Class::getName).collect(Collectors.toSet());
		assertThat(recorded).allSatisfy((type) -> assertThat(shown(type)).isSubsetOf(names));
	}

	private static List<Class<?>> types() throws IOException {
		Resource[] files = new PathMatchingResourcePatternResolver().getResources("classpath*:io/lowkiq/**/*.class");
		List<Class<?>> types = new ArrayList<>();
		Stream.of(files)
			.map(PublicApiTests::className)
			.filter(PublicApiTests::isOfApplications)
			.sorted()
			.map((name) -> ClassUtils.resolveClassName(name, PublicApiTests.class.getClassLoader()))
			.filter(PublicApiTests::isVisible)
			.forEach(types::add);
		return types;
	}

	private static boolean isOfApplications(String name) {
		return (PACKAGES.contains(ClassUtils.getPackageName(name)) || isIn(OTHERS, name))
				&& !name.endsWith("package-info") && !isIn(INTERNAL, name);
	}

	/** Whether a type is among others, or a type that it is nested in. */
	private static boolean isIn(Set<String> names, String type) {
		return names.contains(type) || (type.contains("$") && isIn(names, type.substring(0, type.lastIndexOf('$'))));
	}

	private static Set<String> shown(Class<?> type) {
		Stream<Member> members = Stream
			.of(visible(type.getDeclaredFields()), visible(type.getDeclaredConstructors()),
					visible(type.getDeclaredMethods()))
			.flatMap((some) -> some);
		return Stream.concat(parents(type), members.flatMap(PublicApiTests::types))
			.flatMap((shown) -> NAME.matcher(shown.getTypeName()).results())
			.map(MatchResult::group)
			.collect(Collectors.toSet());
	}

	private static Stream<Type> types(Member member) {
		if (member instanceof Field field) {
			return Stream.of(field.getGenericType());
		}
		Executable call = (Executable) member;
		Stream<Type> parts = Stream.of(call.getGenericParameterTypes(), call.getGenericExceptionTypes())
			.flatMap(Stream::of);
		return (call instanceof Method method) ? Stream.concat(Stream.of(method.getGenericReturnType()), parts) : parts;
	}

	private static Stream<Type> parents(Class<?> type) {
		return Stream.concat(Stream.ofNullable(type.getGenericSuperclass()), Stream.of(type.getGenericInterfaces()))
			.filter((parent) -> parent != Object.class && !INTERNAL.contains(parent.getTypeName()));
	}

	private static String className(Resource file) {
		try {
			String path = file.getURL().getPath();
			return path.substring(path.lastIndexOf("/io/lowkiq/") + 1, path.length() - ".class".length())
				.replace('/', '.');
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isVisible(Class<?> type) {
		for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
			if (each.isAnonymousClass() || each.isLocalClass() || !isVisible(each.getModifiers())) {
				return false;
			}
		}
		return true;
	}

	private static boolean isVisible(int modifiers) {
		return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
	}

	private static void describe(Class<?> type, List<String> lines) {
		String parents = parents(type).map(Type::getTypeName).sorted().collect(Collectors.joining(", "));
		lines.add(
				type.toGenericString().replaceAll("\\b(non-)?sealed ", "") + (parents.isEmpty() ? "" : ": " + parents));
		Stream<String> fields = visible(type.getDeclaredFields()).map(Field::toGenericString);
		Stream<String> constructors = visible(type.getDeclaredConstructors()).map(Constructor::toGenericString);
		Stream<String> methods = visible(type.getDeclaredMethods())
			.map((method) -> method.toGenericString() + withDefault(method));
		Stream.of(fields, constructors, methods)
			.flatMap((members) -> members)
			.map((member) -> "    " + member)
			.sorted()
			.forEach(lines::add);
	}

	private static <M extends Member> Stream<M> visible(M[] members) {
		return Arrays.stream(members)
			.filter((member) -> !member.isSynthetic() && isVisible(member.getModifiers()) && !isInternal(member));
	}

	private static boolean isInternal(Member member) {
		Class<?> type = member.getDeclaringClass();
		if (!(member instanceof Constructor<?> constructor)) {
			return INTERNAL.contains(type.getName() + "." + member.getName());
		}
		int components = type.isRecord() ? type.getRecordComponents().length : 0;
		return INTERNAL.contains(type.getName() + ".new")
				|| (components > MOST_COMPONENTS && constructor.getParameterCount() == components);
	}

	private static String withDefault(Method method) {
		Object value = method.getDefaultValue();
		if (value == null) {
			return "";
		}
		return " default " + (value.getClass().isArray() ? Arrays.deepToString(new Object[] { value }) : value);
	}

}
