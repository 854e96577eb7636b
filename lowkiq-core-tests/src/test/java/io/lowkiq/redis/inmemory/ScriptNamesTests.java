package io.lowkiq.redis.inmemory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.luaj.vm2.Globals;
import org.luaj.vm2.Lua;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.compiler.LuaC;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import io.lowkiq.redis.call.LuaScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A name that a script doesn't define where it uses it is a global one. Redis has few of
 * these, so another one means that a library isn't included there. A call that comes
 * across it may be rare.
 */
class ScriptNamesTests {

	private static final Set<String> GLOBAL = Set.of("KEYS", "ARGV", "redis", "struct", "math", "string", "table",
			"assert", "error", "ipairs", "pairs", "pcall", "tonumber", "tostring", "type", "unpack");

	@Test
	void eachNameIsDefinedWhereItIsUsed() throws IOException {
		List<String> undefined = new ArrayList<>();
		int scripts = 0;
		for (Resource file : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/lowkiq/redis/*.lua")) {
			String name = String.valueOf(file.getFilename()).replace(".lua", "");
			Set<String> names = globalNames(LuaScript.load(name, name));
			names.removeAll(GLOBAL);
			names.forEach((missing) -> undefined.add(name + ": " + missing));
			scripts++;
		}
		assertThat(scripts).isGreaterThan(30);
		assertThat(undefined).isEmpty();
	}

	private static Set<String> globalNames(LuaScript script) throws IOException {
		Globals compiler = new Globals();
		LuaC.install(compiler);
		Set<String> names = new TreeSet<>();
		addGlobalNames(compiler.compilePrototype(new ByteArrayInputStream(script.text()), script.task()), names);
		return names;
	}

	private static void addGlobalNames(Prototype function, Set<String> names) {
		for (int instruction : function.code) {
			int operation = Lua.GET_OPCODE(instruction);
			boolean gets = operation == Lua.OP_GETTABUP;
			boolean sets = operation == Lua.OP_SETTABUP;
			int table = gets ? Lua.GETARG_B(instruction) : Lua.GETARG_A(instruction);
			if ((gets || sets) && "_ENV".equals(function.upvalues[table].name.tojstring())) {
				int key = gets ? Lua.GETARG_C(instruction) : Lua.GETARG_B(instruction);
				names.add(Lua.ISK(key) ? function.k[Lua.INDEXK(key)].tojstring() : "a computed name");
			}
		}
		for (Prototype inner : function.p) {
			addGlobalNames(inner, names);
		}
	}

}
