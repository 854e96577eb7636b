package io.lowkiq.dashboard.web;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * A headless Chromium of the system; nothing is downloaded. The headless shell uses a
 * third less CPU than the whole browser. Its binary is started rather than Debian's
 * script, since the driver ends only the process that it has started.
 */
final class Browser implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

	private static final Path SCREENSHOTS = Path.of("target", "screenshots");

	private final ChromeDriver driver;

	private Browser(ChromeDriver driver) {
		this.driver = driver;
	}

	static Browser start() {
		ChromeOptions options = new ChromeOptions();
		options.setBinary(find("CHROMIUM", "/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium",
				"/usr/bin/chromium-browser", "/usr/bin/google-chrome"));
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync",
				"--disable-dev-shm-usage", "--hide-scrollbars", "--host-resolver-rules=MAP *.example 127.0.0.1");
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(
					new File(find("CHROMEDRIVER", "/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver")))
			.build();
		return new Browser(new ChromeDriver(service, options));
	}

	private static String find(String variable, String... places) {
		return Stream.concat(Stream.ofNullable(System.getenv(variable)), Stream.of(places))
			.filter((place) -> Files.isExecutable(Path.of(place)))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(
					"The browser tests need Chromium and its driver, but there is none at %s. Install them (Debian: "
						.formatted(List.of(places))
							+ "apt-get install chromium-headless-shell chromium-driver), set %s, or leave the profile 'browser' off"
								.formatted(variable)));
	}

	/**
	 * As at first: of what a test has set, nothing reaches the next one, even if it
	 * failed.
	 */
	Browser reset() {
		return size(1280, 900).dark(false).timezone("").line(-1, 0);
	}

	Browser size(int width, int height) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 700));
		return this;
	}

	Browser dark(boolean dark) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
		return this;
	}

	Browser open(String url) {
		visit(url);
		return ready();
	}

	/** Opens a page that need not be the dashboard's. */
	void visit(String url) {
		this.driver.get(url);
	}

	void leave() {
		visit("about:blank");
	}

	Browser ready() {
		await("the page is there", () -> !all("main[data-ready]").isEmpty());
		return this;
	}

	WebElement find(String selector) {
		await(selector, () -> !all(selector).isEmpty());
		return this.driver.findElement(By.cssSelector(selector));
	}

	List<WebElement> all(String selector) {
		return this.driver.findElements(By.cssSelector(selector));
	}

	/** Scrolls first, as a user does: it may be behind the bar. */
	void click(String selector) {
		WebElement element = find(selector);
		script("arguments[0].scrollIntoView({ block: 'center' })", element);
		element.click();
	}

	void await(String what, BooleanSupplier condition) {
		await(() -> what, condition);
	}

	private void await(Supplier<String> what, BooleanSupplier condition) {
		new WebDriverWait(this.driver, PATIENCE, POLL_INTERVAL).withMessage(what)
			.ignoring(StaleElementReferenceException.class)
			.until((driver) -> condition.getAsBoolean());
	}

	/**
	 * Repeats what a test says of the page until it holds: the page draws in steps, and
	 * its counts follow its lists.
	 */
	void awaitThat(ThrowingRunnable assertion) {
		Awaitility.await()
			.pollInSameThread()
			.pollInterval(POLL_INTERVAL)
			.atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(StaleElementReferenceException.class)
			.untilAsserted(assertion);
	}

	void awaitText(String selector, String text) {
		await(() -> "%s shows %s, not %s".formatted(selector, text, texts(selector)),
				() -> texts(selector).stream().anyMatch((shown) -> shown.contains(text)));
	}

	private List<String> texts(String selector) {
		return all(selector).stream().map(WebElement::getText).toList();
	}

	Object script(String script, Object... arguments) {
		return this.driver.executeScript(script, arguments);
	}

	Object asyncScript(String script) {
		this.driver.manage().timeouts().scriptTimeout(PATIENCE);
		return this.driver.executeAsyncScript(script);
	}

	String url() {
		return this.driver.getCurrentUrl();
	}

	List<String> problems() {
		return this.driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(LogEntry::toString).toList();
	}

	/** As on a line of this speed; -1 for as fast as can be. */
	Browser line(int bytesASecond, int latency) {
		this.driver.executeCdpCommand("Network.enable", Map.of());
		this.driver.executeCdpCommand("Network.emulateNetworkConditions", Map.of("offline", false, "latency", latency,
				"downloadThroughput", bytesASecond, "uploadThroughput", bytesASecond));
		return this;
	}

	void clearCache() {
		this.driver.executeCdpCommand("Network.clearBrowserCache", Map.of());
	}

	/**
	 * Each page remembers when its first rows were drawn. An observer would be told
	 * later, when the page has already asked for more.
	 */
	void rememberFirstRows() {
		this.driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
				const insertBefore = Node.prototype.insertBefore;
				Node.prototype.insertBefore = function (...nodes) {
					const inserted = insertBefore.apply(this, nodes);
					if (document.querySelector(".queues tbody tr, tr.job")) {
						Node.prototype.insertBefore = insertBefore;
						window.firstRows = performance.now();
					}
					return inserted;
				};
				"""));
	}

	/**
	 * When the first rows were drawn, and how many requests and bytes were asked for
	 * before. What the browser took from its cache was not asked for; numbers that a slow
	 * page refreshes count once.
	 */
	List<?> firstRows() {
		await("rows", () -> script("return window.firstRows ?? null") != null);
		// An entry is there only when its answer has ended
		ready();
		return (List<?>) script(
				"""
						const seen = new Set();
						const asked = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
							.filter((each) => each.startTime < window.firstRows && each.transferSize > 0)
							.filter((each) => !each.name.includes("/api/") || seen.size < seen.add(each.name).size);
						return [Math.round(window.firstRows), asked.length, asked.reduce((sum, each) => sum + each.transferSize, 0)];
						""");
	}

	Browser timezone(String id) {
		this.driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", id));
		return this;
	}

	void downloads(Path directory) {
		this.driver.executeCdpCommand("Browser.setDownloadBehavior",
				Map.of("behavior", "allow", "downloadPath", directory.toString()));
	}

	void back() {
		this.driver.navigate().back();
	}

	void keys(CharSequence... keys) {
		this.driver.switchTo().activeElement().sendKeys(keys);
	}

	/** For people: with {@code -Dlowkiq.test.screenshots=true}, into the build folder. */
	void screenshot(String name) {
		if (!Boolean.getBoolean("lowkiq.test.screenshots")) {
			return;
		}
		byte[] png = Base64.getDecoder()
			.decode(String.valueOf(this.driver
				.executeCdpCommand("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true))
				.get("data")));
		try {
			Files.createDirectories(SCREENSHOTS);
			Files.write(SCREENSHOTS.resolve(name + ".png"), png);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What axe-core finds, of whatever level. Of the rules that are off by themselves,
	 * the one for level AA of WCAG 2.2 is on. The page is at its top: the bar stays, and
	 * covers what is scrolled under it.
	 */
	@SuppressWarnings("unchecked")
	List<String> accessibilityProblems() {
		if (!Boolean.TRUE.equals(script("return Boolean(window.axe)"))) {
			try (var axe = Browser.class.getResourceAsStream("/axe.min.js")) {
				script(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return (List<String>) asyncScript(
				"""
						const done = arguments[arguments.length - 1];
						window.scrollTo(0, 0);
						axe.run({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }).then((found) => done(found.violations.map((each) => each.id + ': ' + each.help + ' at '
								+ each.nodes.slice(0, 5).map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join(' | '))));
						""");
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
