package io.lowkiq.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Objects;
import java.util.stream.Stream;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;

import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis with a restricted user. The one on the PATH also speaks TLS, with a certificate
 * made for it; the one of the published jar was built without TLS. Not thread safe.
 */
public final class SecuredRedis implements AutoCloseable {

	private static final String USER = "app";

	private static final String PASSWORD = "secret-of-the-test";

	private final Path directory = TestDirectories.create("tls-");

	private final Path certificate = this.directory.resolve("certificate.pem");

	private final boolean encrypted;

	private final int port;

	private final RedisProcess redis;

	private SecuredRedis(Path binary) throws IOException, GeneralSecurityException {
		this.encrypted = RedisBinary.onPath().filter(binary::equals).isPresent();
		if (this.encrypted) {
			this.port = RedisProcess.freePort();
			Path key = this.directory.resolve("key.pem");
			makeCertificate(key);
			this.redis = RedisProcess.start(binary, "--tls-port", Integer.toString(this.port), "--tls-cert-file",
					this.certificate.toString(), "--tls-key-file", key.toString(), "--tls-ca-cert-file",
					this.certificate.toString(), "--tls-auth-clients", "no");
		}
		else {
			this.redis = RedisProcess.start(binary);
			this.port = this.redis.port();
		}
	}

	/** Starts a server. */
	public static SecuredRedis start(String rules) throws IOException, GeneralSecurityException {
		SecuredRedis secured = new SecuredRedis(RedisBinary.find());
		String answer = secured.redis
			.call(Stream.concat(Stream.of("ACL", "SETUSER", USER, "on", ">" + PASSWORD), Stream.of(rules.split(" ")))
				.toArray(String[]::new));
		if (!"OK".equals(answer)) {
			secured.close();
			throw new IllegalStateException("ACL SETUSER: " + answer);
		}
		// Lettuce does without them, but a denial is logged. Not all versions know them
		secured.redis.call("ACL", "SETUSER", USER, "+client|setinfo");
		secured.redis.call("ACL", "SETUSER", USER, "+client|maint_notifications");
		return secured;
	}

	/** Connects as the user. With TLS, trusts nothing but the certificate. */
	public LettuceConnectionFactory connectionFactory() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.redis.host(), this.port);
		configuration.setUsername(USER);
		configuration.setPassword(RedisPassword.of(PASSWORD));
		if (!this.encrypted) {
			return TestRedis.connectionFactory(configuration);
		}
		SslOptions trust = SslOptions.builder().jdkSslProvider().trustManager(this.certificate.toFile()).build();
		return TestRedis.connectionFactory(configuration,
				(client) -> client.clientOptions(ClientOptions.builder().sslOptions(trust).build()).useSsl());
	}

	/** The calls that the user was denied, from ACL LOG. */
	public String denied() {
		return Objects.requireNonNull(this.redis.call("ACL", "LOG"));
	}

	@Override
	public void close() {
		this.redis.close();
		TestDirectories.delete(this.directory);
	}

	private void makeCertificate(Path key) throws IOException, GeneralSecurityException {
		Path store = this.directory.resolve("store.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "redis", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=localhost",
				"-ext", "san=ip:127.0.0.1,dns:localhost", "-validity", "2", "-storetype", "PKCS12", "-keystore",
				store.toString(), "-storepass", PASSWORD)
			.redirectErrorStream(true)
			.start();
		String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		KeyStore keys = KeyStore.getInstance("PKCS12");
		if (!Files.exists(store)) {
			throw new IllegalStateException("keytool: " + output);
		}
		try (InputStream in = Files.newInputStream(store)) {
			keys.load(in, PASSWORD.toCharArray());
		}
		writePem(key, "PRIVATE KEY", keys.getKey("redis", PASSWORD.toCharArray()).getEncoded());
		writePem(this.certificate, "CERTIFICATE", keys.getCertificate("redis").getEncoded());
	}

	private static void writePem(Path file, String type, byte[] content) throws IOException {
		Files.writeString(file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(type,
				Base64.getMimeEncoder().encodeToString(content), type));
	}

}
