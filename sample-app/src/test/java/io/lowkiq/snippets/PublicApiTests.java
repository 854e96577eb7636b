package io.lowkiq.snippets;

import java.io.IOException;
import java.lang.reflect.Constructor;
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
 */
class PublicApiTests {

	private static final Path RECORDED = Path.of("").toAbsolutePath().getParent().resolve("verification/api.txt");

	private static final Set<String> PACKAGES = Set.of("io.lowkiq", "io.lowkiq.admin", "io.lowkiq.autoconfigure",
			"io.lowkiq.autoconfigure.kafka", "io.lowkiq.codec", "io.lowkiq.dashboard", "io.lowkiq.observation",
			"io.lowkiq.redis", "io.lowkiq.store", "io.lowkiq.test", "io.lowkiq.test.autoconfigure",
			"io.lowkiq.test.probe");

	@Test
	void isAsItWasRecorded() throws IOException {
		List<String> present = present();
		if (Boolean.getBoolean("lowkiq.api.record")) {
			Files.write(RECORDED, present);
		}
		assertThat(present).contains("public abstract interface io.lowkiq.LowkiqClient");
		List<String> recorded = Files.readAllLines(RECORDED);
		assertThat(present).as("What is here, compared with %s", RECORDED).containsExactlyElementsOf(recorded);
	}

	private static List<String> present() throws IOException {
		Resource[] files = new PathMatchingResourcePatternResolver().getResources("classpath*:io/lowkiq/**/*.class");
		List<String> lines = new ArrayList<>();
		Stream.of(files)
			.map(PublicApiTests::className)
			.filter((name) -> PACKAGES.contains(ClassUtils.getPackageName(name)))
			.filter((name) -> !name.endsWith("package-info"))
			.filter((name) -> !name.startsWith("io.lowkiq.autoconfigure.LowkiqProperties"))
			.sorted()
			.map((name) -> ClassUtils.resolveClassName(name, PublicApiTests.class.getClassLoader()))
			.filter(PublicApiTests::isVisible)
			.forEach((type) -> describe(type, lines));
		return lines;
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
		String parents = Stream
			.concat(Stream.ofNullable(type.getGenericSuperclass()), Stream.of(type.getGenericInterfaces()))
			.filter((parent) -> parent != Object.class)
			.map(Type::getTypeName)
			.sorted()
			.collect(Collectors.joining(", "));
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
		return Arrays.stream(members).filter((member) -> !member.isSynthetic() && isVisible(member.getModifiers()));
	}

	private static String withDefault(Method method) {
		Object value = method.getDefaultValue();
		if (value == null) {
			return "";
		}
		return " default " + (value.getClass().isArray() ? Arrays.deepToString(new Object[] { value }) : value);
	}

}
