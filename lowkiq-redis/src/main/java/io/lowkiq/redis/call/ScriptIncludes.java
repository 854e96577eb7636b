package io.lowkiq.redis.call;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Expands the lines {@code --@include name} of a script. */
final class ScriptIncludes {

	private static final String COMMENT = "--";

	private static final String INCLUDE = "--@include ";

	private final UnaryOperator<String> reader;

	private final StringBuilder expanded = new StringBuilder();

	private final Deque<Block> open = new ArrayDeque<>();

	private ScriptIncludes(UnaryOperator<String> reader) {
		this.reader = reader;
	}

	static String expand(String name, UnaryOperator<String> reader) {
		ScriptIncludes includes = new ScriptIncludes(reader);
		includes.append(name, 0);
		return includes.expanded.toString();
	}

	private void append(String name, int indentation) {
		for (String line : this.reader.apply(name).lines().toList()) {
			String code = line.strip();
			int own = indentation + line.length() - line.stripLeading().length();
			if (code.startsWith(INCLUDE)) {
				leaveBlocks(own);
				include(code.substring(INCLUDE.length()), own);
			}
			else if (!code.isEmpty() && !code.startsWith(COMMENT)) {
				leaveBlocks(own);
				this.expanded.append(line).append('\n');
			}
		}
	}

	private void leaveBlocks(int indentation) {
		while (!this.open.isEmpty() && this.open.peek().indentation > indentation) {
			this.open.pop();
		}
	}

	private void include(String library, int indentation) {
		if (this.open.stream().anyMatch((block) -> block.libraries.contains(library))) {
			return;
		}
		if (this.open.isEmpty() || this.open.peek().indentation < indentation) {
			this.open.push(new Block(indentation, new HashSet<>()));
		}
		this.open.element().libraries.add(library);
		append("lib/" + library, indentation);
	}

	private record Block(int indentation, Set<String> libraries) {
	}

}
