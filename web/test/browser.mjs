// The explorer in a browser: what a reader does, and what must be true afterwards.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strict as assert } from "node:assert";
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const figures = new URL("../../docs/figures/", import.meta.url).pathname;
const takesFigures = process.argv.includes("--figures");
/** Only tests whose names contain this, if it is given. */
const only = process.argv.slice(2).find((word) => !word.startsWith("--")) ?? "";
const program = process.env.COMMONWEAL;
const folder = await mkdtemp(join(tmpdir(), "commonweal-web-"));

/** A server of our own; resolves to its address. */
async function serve(...args) {
  const child = spawn(program, ["serve", "--no-open", "--quiet", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    child.stdout.once("data", (data) => resolve(String(data).split("\n")[0]));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  child.removeAllListeners("exit");
  return { address, pid: child.pid, stop: () => child.kill() };
}

const server = await serve("--time-limit", "120");
const browser = await chromium.launchPersistentContext(join(folder, "profile"), {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: FLAGS,
  headless: true,
  viewport: { width: 1380, height: 900 },
  acceptDownloads: true,
});
const complaints = [];
const left = [];

/** A page that keeps what it complains about, but for what a test expects, and whom it calls. */
async function open(address = server.address, expected = /422 \(Unprocessable/) {
  const page = await browser.newPage();
  // Long, because a loaded machine is slow and not wrong.
  page.setDefaultTimeout(120000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected.test(message.text())) complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.address) && !url.startsWith("data:") && !url.startsWith("blob:")) left.push(url);
  });
  await page.goto(address);
  return page;
}

const tests = [];
const test = (name, work) => tests.push([name, work]);
const slide = (page, label, value) =>
  page.getByLabel(label, { exact: true }).first().evaluate((slider, value) => {
    slider.value = String(value);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
const now = (page) => page.locator(".now strong").textContent();
/** The page asks for nothing, and draws nothing again until somebody does something: what a test finds now stays. */
const resting = (page) => page.waitForFunction(() => document.body.dataset.rests === "true", null, { timeout: 180000 });
/** The view is that of the present state; map, front and comparison may still be computed. */
const answered = (page) => page.waitForFunction(() => !document.body.classList.contains("asking"));
/** Types a model over the one that is there, and waits for its answer. */
const typed = async (page, text) => {
  await page.locator("#model").evaluate((area, text) => {
    area.value = text;
    area.dispatchEvent(new Event("input"));
  }, text);
  await page.waitForFunction(() => document.body.dataset.rests === "false" || document.body.classList.contains("asking"));
};
async function downloaded(page, choice) {
  const waiting = page.waitForEvent("download", { timeout: 120000 });
  await page.locator("#files").focus();
  await page.locator("#files").selectOption(choice);
  const file = await waiting;
  const path = join(folder, file.suggestedFilename());
  await file.saveAs(path);
  return readFile(path);
}

test("the first paint has the hotel's answer, without a request for it", async () => {
  const page = await browser.newPage();
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(server.address, { waitUntil: "load" });
  assert.equal(await now(page), "a");
  assert.ok(!asked.includes("/api/view"), asked.join(" "));
  const number = page.locator(".tiles .number").first();
  assert.equal(await number.textContent(), "14.111111");
  assert.equal(await number.getAttribute("data-exact"), "exactly 127/9");
  await page.close();
});

test("a mistake is shown at its place, with the cure, and goes away when it is mended", async () => {
  const page = await open();
  const editor = page.locator("#model");
  const text = await editor.inputValue();
  await editor.fill(text.replace("to: s1}\n  s1", "to: s9}\n  s1"));
  const told = page.locator("#mistake");
  await told.getByText("there is no state `s9`").waitFor();
  const line = text.split("\n").findIndex((line) => line.includes("b: {reward: -1")) + 1;
  assert.match(await told.textContent(), new RegExp(`Line ${line}, column \\d+`));
  assert.match(await told.textContent(), /did you mean `s[01]`/);
  assert.equal(await page.locator("#behind mark").textContent(), "s9");
  await told.getByRole("button").click();
  const chosen = await editor.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
  assert.equal(chosen, "s9");
  await editor.fill(text);
  await told.waitFor({ state: "hidden" });
  assert.equal(await now(page), "a");
  await page.close();
});

// Staying in s0 at step k in place of expanding changes the welfare by (2/3)^k·(−2/3) + b^k·(4 − 7b), where b is bob's discount:
// the hotel waits until that is no longer positive.
test("the slider changes the hotel's strategy at the known boundary", async () => {
  const page = await open();
  const waits = async (position) => {
    await slide(page, "discount of bob", position);
    await page.waitForFunction((text) => document.querySelector('[aria-label="discount of bob, typed"]').value === text, String(position / 200));
    await page.waitForFunction(() => !document.body.classList.contains("asking"));
    const rows = await page.locator("#timeline desc").textContent();
    return Number(/s0: a from step 0, b from step (\d+)/.exec(rows)?.[1] ?? 0);
  };
  const expected = (b) => {
    let k = 0;
    while ((2 / 3) ** k * (-2 / 3) + b ** k * (4 - 7 * b) > 0) k++;
    return k;
  };
  for (const position of [60, 66, 70, 80, 90, 96, 98, 100, 104, 110, 130]) {
    assert.equal(await waits(position), expected(position / 200), `bob ${position / 200}`);
  }
  await page.close();
});

/** Seconds of a processor that a process has taken. */
async function spent(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
/** Seconds of a processor that the page's thread has taken: a function that asks. */
async function threadTime(page) {
  const inspector = await page.context().newCDPSession(page);
  await inspector.send("Performance.enable");
  return async () => (await inspector.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "ThreadTime").value;
}
const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

// On a machine that does other things, the clock says more about them than about us. What a move costs is the processor time of the
// server and of the page's thread, whatever else runs; what a reader waits for is the round trip, which is looked at beside an empty
// one of the same moment and must be short where the machine is quiet.
test("a move of a slider is answered in less than 100 ms", async () => {
  const page = await open();
  await resting(page);
  const thread = await threadTime(page);
  await page.evaluate(() => performance.clearResourceTimings());
  const [empty, began] = [[], { server: await spent(server.pid), page: await thread() }];
  let moves = 0;
  for (let position = 40; position < 120; position += 2, moves++) {
    await slide(page, "discount of bob", position);
    await page.waitForFunction(() => !document.body.classList.contains("asking"), null, { polling: 5 });
    empty.push(await page.evaluate(async () => {
      const began = performance.now();
      await fetch("/api/health");
      return performance.now() - began;
    }));
  }
  const cost = { server: (1000 * ((await spent(server.pid)) - began.server)) / moves, page: (1000 * ((await thread()) - began.page)) / moves };
  const times = await page.evaluate(() => performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith("/api/view")).map((entry) => entry.duration));
  const [own, none] = [middle(times), middle(empty)];
  const isQuiet = none < 10;
  console.log(`  a move of a slider: ${cost.server.toFixed(1)} ms of a processor in the server, ${cost.page.toFixed(1)} ms in the page`);
  console.log(`  round trip: median ${own.toFixed(1)} ms beside ${none.toFixed(1)} ms for an empty one${isQuiet ? "" : "; the machine is busy, so the clock decides nothing"}`);
  assert.equal(times.length, moves, "one question for each move");
  assert.ok(cost.server + cost.page < 100, JSON.stringify(cost));
  if (isQuiet) assert.ok(own < 100, times.join(" "));
  await page.close();
});

test("a click on the map sets the sliders", async () => {
  const page = await open();
  await resting(page);
  const words = await page.locator("#map .legend").textContent();
  assert.match(words, /a twice, then b for ever/);
  // A finer map may replace the drawing at any moment, also between press and release.
  await page.locator("#map").scrollIntoViewIfNeeded();
  const box = await page.locator("#map svg.pick").boundingBox();
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.3);
  await page.mouse.down();
  const pressed = await page.locator("#map svg.pick").elementHandle();
  await page.setViewportSize({ ...page.viewportSize(), width: page.viewportSize().width - 1 });
  await page.waitForFunction((drawing) => !drawing.isConnected, pressed);
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector('[aria-label="discount of alice, typed"]').value.startsWith("0."));
  await resting(page);
  const value = async (name) => Number(await page.getByLabel(`discount of ${name}, typed`).inputValue());
  assert.ok(Math.abs((await value("alice")) - 0.73) < 0.08 && Math.abs((await value("bob")) - 0.74) < 0.08, `${await value("alice")} ${await value("bob")}`);
  assert.match(await page.locator(".now").textContent(), /: always b/);
  await page.close();
});

test("a click on the front shows that compromise", async () => {
  const page = await open();
  await resting(page);
  await page.locator('#front [data-point*="Kalai–Smorodinsky"]').click({ force: true });
  const told = page.locator("#compromise");
  await told.getByText("Kalai–Smorodinsky").waitFor();
  assert.match(await told.textContent(), /alice gets 10\.333333.*bob gets 3\.666667.*a for 1 step, then b/);
  const exact = await told.locator(".number").first().getAttribute("data-exact");
  assert.equal(exact, "exactly 31/3");
  await page.locator('#front [data-point="vertex 1 of the front"]').click({ force: true });
  await told.getByText("alice gets").waitFor();
  assert.match(await told.textContent(), /alice gets 11/);
  await page.close();
});

test("the comparison says who gains and who pays", async () => {
  const page = await open();
  await resting(page);
  const text = await page.locator("#compare").innerText();
  for (const row of ["best stationary", "best positional", "best for bob", "Nash"]) assert.ok(text.includes(row), `${row}: ${text}`);
  assert.match(await page.locator("#explanation").textContent(), /In s0, “a” pays from step 0 to 1: at step 0 it is better for bob \(\+1\.666667\) and worse for alice/);
  await page.close();
});

test("a shared link restores what was shown", async () => {
  const page = await open();
  await slide(page, "discount of alice", 180);
  await page.getByLabel("discount of bob, typed").fill("3/7");
  await page.getByLabel("discount of bob, typed").press("Enter");
  await page.locator("#unit-rate").check();
  await slide(page, "Show step", 3);
  await resting(page);
  await page.locator("#share").click();
  await page.locator("#said", { hasText: "link" }).waitFor();
  const link = page.url();
  assert.match(link, /#v1:/);
  const other = await open(link);
  await resting(other);
  assert.match(await other.getByLabel("rate of bob, typed").inputValue(), /^133/);
  assert.equal(await other.locator("#step-told").textContent(), "step 3");
  assert.equal(await other.locator("#answer").innerText(), await page.locator("#answer").innerText());
  await page.close();
  await other.close();
});

test("every download is a valid file", async () => {
  let page = await open();
  await resting(page);
  const document = JSON.parse(await downloaded(page, "Solution (JSON)"));
  assert.equal(document.states.s0.welfare.exact, "127/9");
  assert.equal(JSON.parse(await downloaded(page, "Strategy (JSON)")).format, "commonweal-strategy/1");
  assert.match(String(await downloaded(page, "Table (CSV)")), /^strategy,state,quantity/);
  assert.match(String(await downloaded(page, "Certificate")), /^commonweal-certificate/);
  assert.equal(String(await downloaded(page, "Model as it is typed (YAML)")), await page.locator("#model").inputValue());
  assert.match(String(await downloaded(page, "Model with the sliders in it (YAML)")), /bob: 1\/3/);
  for (const name of ["Timeline", "Who gains, who pays", "Front"]) {
    assert.match(String(await downloaded(page, `${name} (SVG)`)), /^<svg /);
  }
  // Chromium lets a page download ten files, no more.
  await page.close();
  page = await open();
  await resting(page);
  const png = await downloaded(page, "Timeline (PNG)");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.equal((await downloaded(page, "Front (PDF)")).subarray(0, 4).toString(), "%PDF");
  assert.match(String(await downloaded(page, "Payoffs over time (SVG)")), /^<svg /);
  assert.match(String(await downloaded(page, "Strategy map (SVG)")), /^<svg /);
  assert.equal(JSON.parse(await downloaded(page, "Strategy map (JSON)")).format, "commonweal-map/1");
  assert.match(String(await downloaded(page, "Comparison (CSV)")), /^strategy,state,quantity[^]*\nre-planned,/);
  assert.match(String(await downloaded(page, "Front (CSV)")), /^alice,bob,alice exactly/);
  const graph = String(await downloaded(page, "Graph (SVG)"));
  const errors = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("parsererror").length, graph);
  assert.equal(errors, 0);
  const [report] = await Promise.all([browser.waitForEvent("page"), page.locator("#report").click()]);
  await report.waitForURL(/^blob:/);
  await report.getByText("127/9").first().waitFor();
  for (const title of ["What simplicity and fairness cost", "What both can get", "The model"]) assert.equal(await report.getByRole("heading", { name: title }).count(), 1, title);
  await report.close();
  await page.close();
});

test("everything can be done with the keyboard alone", async () => {
  const page = await open();
  await resting(page);
  const focus = async (selector) => {
    for (let presses = 0; presses < 200; presses++) {
      if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`the Tab key does not come to ${selector}`);
  };
  await page.locator("body").press("Tab");
  await focus('[aria-label="discount of bob"]');
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector('[aria-label="discount of bob, typed"]').value === "0.34");
  await resting(page);
  // The numbers are one stop, and the arrow keys lead from one to the next.
  await focus("#answer .number");
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  const numbers = await page.locator("#answer .number").allTextContents();
  assert.equal(await focused(), numbers[0]);
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), numbers[1]);
  await page.keyboard.press("End");
  assert.equal(await focused(), numbers.at(-1));
  await page.keyboard.press("Tab");
  assert.ok(!(await page.evaluate(() => document.activeElement.matches("#answer .number"))), "the numbers are one stop");
  await focus("#step");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#step-told").textContent(), "step 1");
  await focus("svg.pick");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => document.querySelector('[aria-label="discount of bob, typed"]').value === "0.35");
  await resting(page);
  await focus("[data-point]");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  assert.match(await page.locator("#compromise h4").textContent(), /vertex 2/);
  await focus("#graph .state");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("data-state")), "s1");
  await page.close();
});

test("a run plays on the graph", async () => {
  const page = await open();
  await resting(page);
  // Every text is kept: one that stands for a second only may be gone before it is looked at.
  await page.evaluate(() => {
    window.told = [];
    const place = document.querySelector("#run-told");
    new MutationObserver(() => window.told.push(place.textContent)).observe(place, { childList: true, characterData: true, subtree: true });
  });
  await page.locator("#run").click();
  await page.waitForFunction(() => window.told.some((text) => text.includes("step 2: b in s0, now in s1")));
  await page.locator("#run").click();
  await page.close();
});

test("a comparison has no row of the model before", async () => {
  const page = await open();
  await resting(page);
  assert.match(await page.locator("#compare").textContent(), /fair: Nash/);
  // One principal, who has no front: the compromises of the hotel are not his.
  await page.locator("#gallery").selectOption("green-book-investment");
  await page.locator("#compare th", { hasText: "re-planned every year" }).waitFor({ timeout: 60000 });
  assert.doesNotMatch(await page.locator("#compare").textContent(), /fair:/);
  await page.close();
});

// The answer to a click comes after another model was opened: it is dropped, and what follows is asked and drawn for the new model alone.
test("an answer of one model is never drawn with the view of another", async () => {
  const page = await open();
  await resting(page);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  const asked = [];
  page.on("request", (request) => {
    if (request.method() === "POST") asked.push([new URL(request.url()).pathname, request.postDataJSON()]);
  });
  const gates = [0, 1].map(() => {
    let resolve;
    const promise = new Promise((done) => (resolve = done));
    return { promise, resolve };
  });
  let count = 0;
  await page.route("**/api/view", async (route) => {
    await gates[count++]?.promise;
    await route.continue();
  });
  const box = await page.locator("#map svg.pick").boundingBox();
  await page.locator("#map").scrollIntoViewIfNeeded();
  await page.mouse.click(box.x + box.width * 0.75, (await page.locator("#map svg.pick").boundingBox()).y + box.height * 0.3);
  const other = "principals: {x: 4/5, y: 1/5, z: 1/2}\nstates:\n  s: {go: {reward: {x: 1}, to: s}, rest: {reward: {y: 2, z: 1}, to: s}}\n";
  await page.locator("#upload").setInputFiles({ name: "other.yaml", mimeType: "text/yaml", buffer: Buffer.from(other) });
  await page.waitForFunction((text) => document.querySelector("#model").value === text, other);
  gates[0].resolve();
  // Long enough for what the old answer would have set off.
  await page.waitForTimeout(1500);
  assert.equal(await page.evaluate(() => document.body.dataset.rests), "false", "the new model is still asked for");
  gates[1].resolve();
  await page.locator("#answer", { hasText: "from s" }).waitFor();
  await resting(page);
  assert.deepEqual(errors, []);
  for (const [path, body] of asked) {
    for (const axis of [body.x, body.y].filter(Boolean)) assert.ok(new RegExp(`\\b${axis.replace(".rate", "")}:`).test(body.model), `${path} asks for ${axis} of another model`);
    for (const name of [body.discounts, body.weights, body.parameters].flatMap((own) => Object.keys(own ?? {}))) assert.ok(body.model.includes(`${name}:`), `${path} sets ${name} of another model`);
  }
  assert.deepEqual(await page.locator("#compare thead th").allTextContents(), ["strategy", "welfare", "loses", "x", "y", "z"]);
  const rows = await page.locator("#compare tbody th").allTextContents();
  for (const row of ["the plan (counting)", "best stationary", "best for z", "fair: Nash"]) assert.ok(rows.includes(row), `${row}: ${rows}`);
  const labels = await page.locator("#map svg.pick text").allTextContents();
  assert.ok(labels.includes("discount of x") && labels.includes("discount of y"), labels.join(" "));
  await page.close();
});

// The Green Book's rates fall in six segments. By the rate of the first 30 years (3.5 %) it pays to wait a year for a yield of 3.2 %, by no later
// one: at year 0 it saves 1 − 1/1.035 and costs 0.032/1.035.
test("the explanation tells each segment of a schedule, the earlier ones too", async () => {
  const page = await open();
  await page.locator("#gallery").selectOption("green-book-investment");
  await page.locator("#explanation", { hasText: "society" }).waitFor();
  await resting(page);
  const text = await page.locator("#explanation").innerText();
  assert.doesNotMatch(text, /never pays? by/);
  assert.match(text, /Years 0 to 29\n[^]*?In idea, “wait” pays from year 0 to 29: at year 0 it is better for society \(\+0\.002899\)/);
  for (const years of ["Years 30 to 74", "Years 75 to 124", "Years 125 to 199", "Years 200 to 299", "From year 300 on"]) {
    assert.match(text, new RegExp(`${years}\\s+1 other choice pays by itself in none of these years`), years);
  }
  // Bob counts for seven years only. While he does, the deviation of the hotel pays in years 0 and 1. One use at year 0 earns 3 in place
  // of −1 now and −1 in place of 6 a year later: 4 − 7/3 for bob, 4 − 14/3 for alice.
  const hotel = "step: year\nprincipals:\n  alice: 2/3\n  bob: {discount: 1/3, until: 7}\nstates:\n  s0:\n    a: {reward: 3, to: s0}\n    b: {reward: -1, to: s1}\n  s1:\n    b: {reward: 6, to: s1}\n";
  await typed(page, hotel);
  await resting(page);
  const told = await page.locator("#explanation").innerText();
  assert.match(told, /Years 0 to 6\n[^]*?In s0, “a” pays from year 0 to 1: at year 0 it is better for bob \(\+1\.666667\) and worse for alice \(−0\.666667\)/, told);
  // Without a discount each step is a segment of its own: most are folded away.
  await typed(page, hotel.replace("1/3, until: 7", "1, until: 40"));
  await page.locator("#explanation", { hasText: "33 more segments" }).waitFor();
  assert.equal(await page.locator("#explanation > h4", { hasText: "ear" }).count(), 7);
  await page.close();
});

test("every example of the gallery opens", async () => {
  const page = await open();
  const names = await page.locator("#gallery option").evaluateAll((options) => options.map((option) => option.value).filter(Boolean));
  assert.ok(names.length >= 7, names.join(" "));
  for (const name of names) {
    const answered = page.waitForResponse((response) => response.url().endsWith("/api/view"));
    await page.locator("#gallery").selectOption(name);
    assert.equal((await answered).status(), 200, name);
    await page.waitForFunction(() => !document.body.classList.contains("asking"));
    assert.ok(await page.locator("#mistake").isHidden(), name);
    // Tables, marks and graphs are one stop of the Tab key each.
    const stops = await page.evaluate(() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter((one) => one.tabIndex >= 0 && one.checkVisibility()).length);
    assert.ok(stops < 70, `${name}: ${stops} stops`);
    // Map, front and comparison end with what is asked of them: the console has no complaint of a 503.
    await resting(page);
    assert.doesNotMatch(await page.locator("#front-status").textContent(), /Not even/, name);
  }
  await page.close();
});

test("a model of a thousand states stays usable", async () => {
  const n = 1000;
  const states = Array.from({ length: n }, (_, s) => `  s${s}:\n    a: {reward: ${s % 7}, to: {s${(s + 1) % n}: 1/2, s${(s * 7 + 2) % n}: 1/2}}\n    b: {reward: {x: ${s % 5}, y: ${(s * 3) % 11}}, to: s${(s * 13 + 5) % n}}\n`).join("");
  const page = await open();
  const began = Date.now();
  await typed(page, `principals: {x: 9/10, y: 1/2}\nstates:\n${states}`);
  await page.locator("#graph .note", { hasText: "of 1000 states" }).waitFor();
  console.log(`  a thousand states: typed and drawn after ${Date.now() - began} ms`);
  // Nothing else may be computed meanwhile: its processor time would be counted.
  await resting(page);
  console.log(`  a thousand states: map, front and comparison are there after ${Date.now() - began} ms: ${await page.locator("#map-status").textContent()} ${await page.locator("#front-status").textContent()}`);
  assert.ok((await page.locator("#map svg.pick path").count()) > 2, "there is a map");
  assert.ok((await page.locator("#timeline svg rect").count()) > 10, "there is a timeline");
  assert.ok((await page.locator("#front svg .mark").count()) > 3, "there is a front");
  assert.match(await page.locator("#front .legend").textContent(), /max-min.*Nash/);
  // Another state is looked around, and another step is shown, without a question to the server.
  const looked = Date.now();
  await page.locator("#around").fill("s500");
  await page.locator("#around").press("Enter");
  await page.locator("#graph .note", { hasText: "around s500" }).waitFor();
  await slide(page, "Show step", 3);
  await page.locator("#step-told", { hasText: "step 3" }).waitFor();
  console.log(`  a thousand states: another state and another step after ${Date.now() - looked} ms`);
  const thread = await threadTime(page);
  const before = { server: await spent(server.pid), page: await thread() };
  const slid = Date.now();
  let moves = 0;
  for (let position = 120; position < 136; position += 2, moves++) {
    const answered = page.waitForResponse((response) => response.url().endsWith("/api/view"));
    await slide(page, "discount of y", position);
    assert.equal((await answered).status(), 200);
    await page.waitForFunction(() => !document.body.classList.contains("asking"), null, { polling: 5 });
  }
  const cost = { server: (1000 * ((await spent(server.pid)) - before.server)) / moves, page: (1000 * ((await thread()) - before.page)) / moves };
  console.log(`  a thousand states: a slider takes ${((Date.now() - slid) / moves).toFixed(0)} ms; ${cost.server.toFixed(0)} ms of a processor in the server, ${cost.page.toFixed(0)} ms in the page`);
  assert.ok(cost.server + cost.page < 500, JSON.stringify(cost));
  await page.close();
});

test("a dense model is drawn in part, and what is left out is said", async () => {
  const n = 30;
  const to = `{${Array.from({ length: n }, (_, s) => `s${s}: 1/${n}`).join(", ")}}`;
  const states = Array.from({ length: n }, (_, s) => `  s${s}: {${Array.from({ length: 10 }, (_, a) => `a${a}: {reward: {x: ${(a * s) % 7}, y: ${(a + s) % 5}}, to: ${to}}`).join(", ")}}`).join("\n");
  const page = await open();
  await typed(page, `principals: {x: 1/2, y: 1/4}\nstates:\n${states}\n`);
  const note = page.locator("#graph .note", { hasText: "Left out" });
  await note.waitFor();
  // 30 states have 300 actions and 8,700 arrows besides the ways to stay; ten states are drawn, with their plan, and of the start all.
  const told = await note.textContent();
  assert.match(told, /10 of 30 states, around s0/);
  assert.match(told, /Left out: \d+ actions and \d+ arrows/);
  assert.equal(await page.locator("#graph .state").count(), 10);
  assert.equal(await page.locator("#graph .action.taken").count(), 10);
  assert.ok((await page.locator("#graph .edge").count()) <= 60);
  // A state that is chosen has all of its actions.
  await page.locator('#graph [data-state="s3"] .name').click();
  await page.locator("#graph .note", { hasText: "around s3" }).waitFor();
  assert.equal(await page.locator("#graph .action[aria-label^='s3, ']").count(), 10);
  // A click on an action is one on its state.
  await page.locator("#graph .action[aria-label^='s0, ']").first().click();
  await page.locator("#graph .note", { hasText: "around s0" }).waitFor();
  await page.close();
});

/** Which texts of the graph lie on each other, on a card that is not theirs, or beyond it. */
const clashes = (page) =>
  page.evaluate(() => {
    const boxes = (selector) => [...document.querySelectorAll(`#graph ${selector}`)].map((one) => ({ text: one.textContent, box: one.getBoundingClientRect() }));
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const [labels, cards, pills] = [boxes(".probability"), boxes(".card-of"), [...document.querySelectorAll("#graph .action")]];
    const found = [];
    labels.forEach((label, at) => {
      for (const other of labels.slice(at + 1)) if (meet(label.box, other.box)) found.push(`${label.text} on ${other.text}`);
      for (const card of cards) if (meet(label.box, card.box)) found.push(`${label.text} on a card`);
    });
    cards.forEach((card, at) => cards.slice(at + 1).forEach((other) => meet(card.box, other.box) && found.push("two cards")));
    for (const pill of pills) {
      const [text, box] = [pill.querySelector("text").getBoundingClientRect(), pill.querySelector("rect").getBoundingClientRect()];
      if (text.left < box.left + 2 || text.right > box.right - 2) found.push(`${pill.textContent} is wider than its action`);
    }
    return found;
  });

test("no label of a graph lies on another, on any example and any screen", async () => {
  const page = await open();
  const names = await page.locator("#gallery option").evaluateAll((options) => options.map((option) => option.value).filter(Boolean));
  for (const width of [1380, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const name of names) {
      await page.locator("#gallery").selectOption(name);
      await page.waitForFunction(() => !document.body.classList.contains("asking"));
      assert.deepEqual(await clashes(page), [], `${name} at ${width}`);
      assert.ok((await page.locator("#graph .state.start").count()) === 1, name);
    }
  }
  // The chances of health care: shortened to three digits, with the fraction behind them.
  await page.locator("#gallery").selectOption("two-rates-in-health-care");
  await page.waitForFunction(() => !document.body.classList.contains("asking"));
  const told = await page.locator("#graph").textContent();
  assert.match(told, /combination ↺ 0\.858/);
  assert.match(await page.locator("#graph .action title").first().textContent(), /A 417\/578|A with 417\/578/);
  await page.close();
});

test("a typed number that is refused is marked until it is mended", async () => {
  const page = await open();
  await resting(page);
  const field = page.getByLabel("discount of bob, typed");
  const error = page.locator(".refused:visible");
  await field.fill("3/2");
  await field.press("Enter");
  await error.waitFor();
  assert.match(await error.textContent(), /“3\/2” is not taken: write a discount that is at least 0 and below 1/);
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await page.locator(`#${await field.getAttribute("aria-errormessage")}`).isVisible(), true);
  // It stays when something else is answered, and when the field loses the focus.
  await slide(page, "discount of alice", 120);
  await page.waitForFunction(() => document.querySelector('[aria-label="discount of alice, typed"]').value === "0.6");
  await resting(page);
  assert.equal(await field.inputValue(), "3/2");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await field.fill("3/7");
  assert.equal(await error.count(), 0);
  await field.press("Enter");
  await resting(page);
  assert.equal(await field.getAttribute("aria-invalid"), null);
  // A slider that is moved takes the place of what was refused.
  await field.fill("x");
  await field.press("Enter");
  await error.waitFor();
  await slide(page, "discount of bob", 100);
  await page.waitForFunction(() => document.querySelector('[aria-label="discount of bob"]').value === "100");
  await resting(page);
  assert.equal(await error.count(), 0);
  await page.close();
});

test("every kind of time preference has sliders of its own numbers", async () => {
  const page = await open();
  await resting(page);
  const hotel = await page.locator("#model").inputValue();
  const kinds = [
    ["{gamma: {mean: 40%, sd: 20%}}", "mean of bob", "50%", /^gamma 50% ± 20%$/],
    ["{hyperbolic: 0.5, hazard: 20%}", "k of bob", "0.7", /^hyperbolic 0\.7, 20%$/],
    ["{schedule: {0: 30%, 5: 20%}}", "from step 5 of bob", "15%", /^30% to 15%$/],
    ["{survey: [20%, 40%, 90%]}", "rate 2 of bob", "50%", /^survey of 3$/],
    ["{beta: 0.7, delta: 0.6}", "beta of bob", "0.5", /^β 0\.5, δ 0\.6$/],
    ["{discount: 0.5, until: 12}", "until of bob", "4", /^1\/2 until 4$/],
  ];
  for (const [entry, label, text, stated] of kinds) {
    await typed(page, hotel.replace("bob: 1/3", `bob: ${entry}`));
    await page.getByLabel(`${label}, typed`).waitFor();
    await answered(page);
    const before = await page.locator(".tiles .number").first().textContent();
    await page.getByLabel(`${label}, typed`).fill(text);
    await page.getByLabel(`${label}, typed`).press("Enter");
    await page.waitForFunction((before) => document.querySelector(".tiles .number").textContent !== before, before);
    await answered(page);
    // The preference in words, of bob alone.
    assert.match(await page.locator("#answer tbody tr", { hasText: "bob" }).locator("td").first().textContent(), stated, entry);
    assert.equal(await page.getByLabel(`${label}, typed`).inputValue(), text, entry);
    assert.ok(await page.locator("#mistake").isHidden(), entry);
    // The slider itself moves it too, and everything goes back as it was written.
    await slide(page, label, 330);
    await answered(page);
    await page.locator("#reset").click();
    await page.waitForFunction((before) => document.querySelector(".tiles .number").textContent === before, before);
    await answered(page);
  }
  await page.close();
});

test("a number that the server refuses stays marked with its reason, and the page goes on with the last one", async () => {
  const page = await open();
  await resting(page);
  const hotel = await page.locator("#model").inputValue();
  const error = page.locator(".refused:visible");
  const cases = [
    // A standard deviation is below its mean; the second number of present bias is a discount; steps are counted up to 2^53 − 1.
    ["{gamma: {mean: 40%, sd: 20%}}", "sd of bob", "60%", "20%"],
    ["{beta: 0.7, delta: 0.6}", "delta of bob", "1", "0.6"],
    ["{discount: 0.5, until: 12}", "until of bob", "9007199254740993", "12"],
  ];
  for (const [entry, label, text, kept] of cases) {
    await typed(page, hotel.replace("bob: 1/3", `bob: ${entry}`));
    const field = page.getByLabel(`${label}, typed`);
    await field.waitFor();
    await answered(page);
    assert.equal(await field.inputValue(), kept);
    const before = await page.locator("#answer").innerText();
    await field.fill(text);
    await field.press("Enter");
    await error.waitFor();
    await answered(page);
    const told = await error.textContent();
    assert.ok(told.startsWith(`“${text}” is not taken: `) && told.length > text.length + 25 && !told.includes("parameters"), told);
    assert.equal(await field.inputValue(), text);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator("#answer").innerText(), before);
    assert.ok(await page.locator("#mistake").isHidden());
    assert.equal(await page.locator(".stale").count(), 0);
    await field.fill(kept);
    await field.press("Enter");
    await answered(page);
    assert.equal(await error.count(), 0);
  }
  // A text in which bob is gone: the page says that the sliders are reset.
  await typed(page, hotel);
  await resting(page);
  await slide(page, "discount of bob", 100);
  await resting(page);
  await typed(page, hotel.replace("bob: 1/3", "carol: 1/4"));
  await page.locator("#said", { hasText: "The sliders are as the model has it again: there is no principal `bob`" }).waitFor();
  await page.getByLabel("discount of carol, typed").waitFor();
  await page.close();
});

test("the arrow keys move every slider from one end to the other", async () => {
  const page = await open();
  await resting(page);
  const hotel = await page.locator("#model").inputValue();
  for (const [entry, label, last] of [["{discount: 0.5, until: 3}", "until of bob", "1000"], ["{rate: 90%, until: 9}", "rate of bob", "100%"], ["{hyperbolic: 9, hazard: 20%}", "k of bob", "10"]]) {
    await typed(page, hotel.replace("bob: 1/3", `bob: ${entry}`));
    const slider = page.getByLabel(label, { exact: true });
    await slider.waitFor();
    await answered(page);
    await slider.focus();
    // Each press moves it, also where its answer comes before the next one.
    for (let presses = 0; presses < 6; presses++) {
      const before = Number(await slider.inputValue());
      await page.keyboard.press("ArrowRight");
      await answered(page);
      const after = Number(await slider.inputValue());
      assert.ok(after > before || (await slider.getAttribute("max")) === String(after), `${label}: ${before} to ${after}`);
    }
    await page.keyboard.press("End");
    await answered(page);
    assert.equal(await page.getByLabel(`${label}, typed`).inputValue(), last);
  }
  await page.close();
});

test("a click on the map leaves the map where it is", async () => {
  const chain = Array.from({ length: 9 }, (_, s) => `  c${s}: {on: {reward: ${s === 8 ? 9 : 0}, to: c${Math.min(8, s + 1)}}}`).join("\n");
  const page = await open();
  await typed(page, `principals: {x: 1/3, y: 1/4}\nstates:\n  s: {stay: {reward: 1, to: s}, go: {to: c0}}\n${chain}\n`);
  await page.locator("#answer", { hasText: "from s" }).waitFor();
  await resting(page);
  const rows = () => page.locator("#timeline svg rect").count();
  for (const width of [1380, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await resting(page);
    await page.locator("#map").scrollIntoViewIfNeeded();
    // To where both are patient and the plan meets ten states, and back to where it meets one.
    for (const [across, down] of [[0.9, 0.12], [0.3, 0.6]]) {
      const [box, before] = [await page.locator("#map svg.pick").boundingBox(), await rows()];
      await page.mouse.click(box.x + box.width * across, box.y + box.height * down);
      await page.waitForFunction((before) => document.querySelectorAll("#timeline svg rect").length !== before, before);
      await resting(page);
      const moved = (await page.locator("#map svg.pick").boundingBox()).y - box.y;
      assert.ok(Math.abs(moved) < 2, `${width}: the map moved by ${moved} pixels`);
    }
  }
  await page.close();
});

test("costs are told as costs, bounds as bounds, and every word is explained", async () => {
  const page = await open();
  await resting(page);
  // Each term that stands on the page has its meaning beside it.
  const words = (card) => page.locator(`section[aria-labelledby="${card}-title"] .terms dt`).allTextContents();
  const answer = await words("answer");
  for (const word of ["welfare", "gets", "long-term strategy", "memory", "horizon", "vs long-term", "vs own best"]) assert.ok(answer.includes(word), word);
  const compared = (await words("compare")).map((word) => word.replace(" …", ""));
  for (const row of await page.locator("#compare tbody th").allTextContents()) assert.ok(compared.some((word) => row.startsWith(word)), row);
  const rules = await words("front");
  for (const rule of ["max-min", "leximin", "Nash", "Kalai–Smorodinsky"]) assert.ok(rules.includes(rule), rule);
  await page.locator("#gallery").selectOption("two-rates-in-health-care");
  await page.locator("#compare th", { hasText: "spending (cost)" }).waitFor();
  await resting(page);
  assert.match(await page.locator("#answer").innerText(), /spending \(cost\)[^]*of a cost, less is better/);
  assert.match(await page.locator("#payoffs").innerText(), /spending \(cost\)/);
  assert.match(await page.locator("#explanation").textContent(), /better for spending \(−[\d.]+ of cost\) and worse for health \(−/);
  await page.locator('#front [data-point="vertex 2 of the front"]').click({ force: true });
  assert.match(await page.locator("#compromise").textContent(), /spending costs [\d.]+.*health gets/);
  // Each principal's own best is on its side of the bars: less of a cost is a gain.
  const bar = (row, column) => page.locator("#compare tbody tr", { hasText: row }).locator(`td[data-column="${column}"] i`).first().getAttribute("class");
  assert.equal(await bar("best for spending", "spending (cost)"), "gain");
  assert.equal(await bar("best for health", "spending (cost)"), "loss");
  await page.close();
});

test("what is known only between bounds loses between bounds", async () => {
  const page = await open();
  await page.route("**/api/solve", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    const positional = document.comparison.find((one) => one.strategy === "positional");
    Object.assign(positional, { upper: 14, welfare: { lower: 13, upper: 13, value: 13 }, status: "stopped", reason: "time limit" });
    await route.fulfill({ response: answer, json: document });
  });
  await slide(page, "discount of bob", 66);
  await answered(page);
  await page.getByLabel("discount of bob, typed").fill("1/3");
  await page.getByLabel("discount of bob, typed").press("Enter");
  await resting(page);
  const row = page.locator("#compare tbody tr", { hasText: "best positional (stopped)" });
  assert.deepEqual((await row.locator("td").allTextContents()).slice(0, 2), ["[13, 14]", "[0.11, 1.12]"]);
  await page.close();
});

test("the front of two of three principals says that the third is left out", async () => {
  const page = await open();
  await resting(page);
  const hotel = await page.locator("#model").inputValue();
  await typed(page, hotel.replace("bob: 1/3", "bob: 1/3\n  carol: 1/10"));
  await page.locator("#front-title", { hasText: "What alice and bob can get" }).waitFor();
  await resting(page);
  assert.match(await page.locator("#front-note").textContent(), /as if nobody else counted/);
  // The weights of a vertex are those for which it is the plan: carol has none.
  await page.locator('#front [data-point="vertex 2 of the front"]').click({ force: true });
  const firstOfEach = (rows) => rows.evaluateAll((all) => all.map((row) => row.querySelector(".number")?.textContent).filter(Boolean));
  const vertex = await firstOfEach(page.locator("#compromise li"));
  await page.locator("#compromise button").click();
  await page.locator('#answer td', { hasText: /^0$/ }).first().waitFor();
  await resting(page);
  const gets = await firstOfEach(page.locator("#answer tbody tr"));
  assert.equal(gets.length, 3);
  assert.deepEqual(gets, vertex);
  await page.close();
});

test("a map in rates has axes in rates, and its legend names what is on it", async () => {
  const page = await open();
  await page.locator("#gallery").selectOption("two-rates-in-health-care");
  await page.waitForFunction(() => document.body.dataset.rests === "false");
  await resting(page);
  const texts = await page.locator("#map svg.pick text").allTextContents();
  assert.ok(texts.includes("rate of spending") && texts.includes("rate of health"), texts.join(" "));
  assert.ok(texts.includes("10%") && texts.includes("20%"), texts.join(" "));
  await page.locator("#map").scrollIntoViewIfNeeded();
  const box = await page.locator("#map svg.pick").boundingBox();
  await page.mouse.click(box.x + box.width * 0.55, box.y + box.height * 0.45);
  await page.waitForFunction(() => document.querySelector('[aria-label="rate of spending, typed"]').value !== "3.5%");
  await resting(page);
  const rate = async (name) => Number((await page.getByLabel(`rate of ${name}, typed`).inputValue()).replace("%", ""));
  assert.ok(Math.abs((await rate("spending")) - 10) < 2 && Math.abs((await rate("health")) - 10) < 2, `${await rate("spending")} ${await rate("health")}`);
  // Every entry that should has its letter on the map; the others stand below a line that says why they have none.
  const letters = await page.locator("#map svg .letter").allTextContents();
  const entries = await page.locator("#map .legend .lettered").allTextContents();
  const lettered = entries.map((entry) => entry.split(":")[0]);
  assert.deepEqual([...new Set(letters)].sort(), [...lettered].sort());
  // In factors it goes over discounts again.
  await page.locator("#unit-factor").check();
  await resting(page);
  assert.ok((await page.locator("#map svg.pick text").allTextContents()).includes("discount of health"));
  await page.close();
});

test("the figures of the explanation are each principal's own, whatever the weights", async () => {
  const page = await open();
  await resting(page);
  const figure = async () => /better for bob \((\+[\d.]+)\)/.exec(await page.locator("#explanation").textContent())?.[1];
  // Under b for ever bob gets V = −1 + 1/3 · 9 = 2 in s0; a once before that changes it by 3 + 1/3 · V − V = 5/3.
  const own = "+1.666667";
  assert.equal(await figure(), own);
  const hotel = await page.locator("#model").inputValue();
  await typed(page, hotel.replace("bob: 1/3", "bob: {discount: 1/3, weight: 2}"));
  await page.locator("#explanation", { hasText: "before its weight" }).waitFor();
  assert.equal(await figure(), own);
  // Two with the same discount have a figure each.
  await typed(page, hotel.replace("bob: 1/3", "bob: {discount: 1/3, weight: 2}\n  carol: 1/3"));
  await page.locator("#explanation", { hasText: `carol (${own})` }).waitFor();
  assert.equal(await figure(), own);
  await page.close();
});

test("a link that is broken, of another version or endless is said to be, and the page works", async () => {
  const bomb = await (async () => {
    const zeros = new Blob([new Uint8Array(64 << 20)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    return Buffer.from(await new Response(zeros).arrayBuffer()).toString("base64url");
  })();
  const page = await open();
  await resting(page);
  await page.locator("#share").click();
  await page.locator("#said", { hasText: "link" }).waitFor();
  const link = new URL(page.url()).hash;
  const other = (value) => page.evaluate(async (value) => {
    const packed = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    return btoa(String.fromCharCode(...new Uint8Array(await new Response(packed).arrayBuffer())));
  }, value);
  const cases = [
    [link.slice(0, link.length / 2), /broken/],
    ["#v1:", /broken/],
    ["#garbage", /broken/],
    ["#v9.abc", /another version/],
    ["#v1:%%%", /broken/],
    [`#v1:${await other({ name: 1 })}`, /broken/],
    [`#v1:${await other(null)}`, /broken/],
    [link.replace("#v1:", "#v2:"), /another version/],
    [`#v1:${bomb}`, /more than this page takes/],
  ];
  for (const [fragment, expected] of cases) {
    // Opened with it, and arrived at with it.
    const fresh = await open(`${server.address}/${fragment}`);
    await fresh.locator("#said", { hasText: expected }).waitFor();
    assert.equal(await now(fresh), "a");
    await fresh.close();
    await page.evaluate((hash) => {
      document.querySelector("#said").textContent = "";
      location.hash = hash;
    }, fragment);
    await page.locator("#said", { hasText: expected }).waitFor();
    assert.equal(await now(page), "a");
  }
  // The page goes on from there.
  await slide(page, "discount of bob", 130);
  await page.locator(".now", { hasText: ": always b" }).waitFor();
  await page.close();
});

test("a file from the disk is opened, with its errors, and a stage that is jumped over has a break", async () => {
  const page = await open();
  await resting(page);
  const upload = (name, text) => page.locator("#upload").setInputFiles({ name, mimeType: "text/yaml", buffer: Buffer.from(text) });
  // Two who are close in patience wait for long: the stage is jumped over, and the axis is broken.
  const close = "principals: {x: 0.9999, y: 0.9998}\nstates:\n  s0:\n    wait: {reward: {y: 3}, to: s0}\n    go: {reward: {x: -1, y: -1}, to: s1}\n  s1: {stay: {reward: {x: 1, y: 1}, to: s1}}\n";
  await upload("my close ones.yaml", close);
  await page.waitForFunction(() => document.querySelector("#title").textContent === "my close ones");
  await answered(page);
  const words = await page.locator("#timeline desc").textContent();
  const since = Number(/go from step ([\d,]+)/.exec(words)?.[1].replaceAll(",", ""));
  assert.ok(since > 16, words);
  assert.ok((await page.locator("#timeline svg .paper").count()) > 0, "no break");
  assert.equal(await page.locator("#timeline text", { hasText: new RegExp(`^${since.toLocaleString("en")}$`) }).count(), 1);
  await upload("wrong.yaml", close.replace("to: s1}", "to: s7}"));
  await page.locator("#mistake", { hasText: "there is no state `s7`" }).waitFor();
  await upload("my close ones.yaml", close);
  await page.locator("#mistake").waitFor({ state: "hidden" });
  await page.close();
});

test("the curves are read under the pointer, and each number has its fraction", async () => {
  const page = await open();
  await resting(page);
  await page.locator("#payoffs").scrollIntoViewIfNeeded();
  const box = await page.locator("#payoffs svg[role=img]").boundingBox();
  await page.mouse.move(box.x + box.width - 14, box.y + box.height / 2);
  const told = await page.locator("#payoffs .told").textContent();
  // At the end of the curves the payoffs are nearly those of the answer: 89/9 and 38/9.
  const [alice, bob] = ["alice", "bob"].map((name) => Number(new RegExp(`${name} (\\d+\\.\\d+)`).exec(told)[1]));
  assert.ok(Math.abs(alice - 89 / 9) < 0.2 && Math.abs(bob - 38 / 9) < 0.2, told);
  const exact = await page.locator("#answer table .number").evaluateAll((numbers) => numbers.map((number) => number.dataset.exact));
  // What each gets, and how much more than in the long-term strategy and in their own best.
  assert.deepEqual(exact, ["89/9", "−10/9", "−10/9", "38/9", "20/9", "−5/18"].map((number) => `exactly ${number}`));
  await page.locator("#answer table .number").first().hover();
  const shown = await page.locator("#answer table .number").first().evaluate((number) => getComputedStyle(number, "::after").content);
  assert.match(shown, /89\/9/);
  await page.close();
});

test("one who does not keep to the plan is compared with those who do", async () => {
  const page = await open();
  await resting(page);
  const hotel = await page.locator("#model").inputValue();
  await typed(page, hotel.replace("bob: 1/3", "bob: {beta: 0.5, delta: 0.6}"));
  await page.locator("#compare th", { hasText: "no commitment" }).waitFor();
  await resting(page);
  const rows = await page.locator("#compare tbody th").allTextContents();
  for (const row of ["the plan (counting)", "best stationary", "best positional", "best for alice", "best for bob", "re-planned every step", "no commitment", "fair: max-min", "fair: Nash"]) {
    assert.ok(rows.some((name) => name.startsWith(row)), `${row}: ${rows}`);
  }
  await page.close();
});

test("a front of one point is drawn, although its doubles differ in the last place", async () => {
  const page = await open();
  await typed(page, "principals: {alice: {gamma: {mean: 4%, sd: 3%}}, bob: {rate: 20%}}\nstates: {s0: {a: {reward: 3, to: s0}, b: {reward: -10, to: s1}}, s1: {b: {reward: 6, to: s1}}}\n");
  await page.locator("#sliders", { hasText: "mean" }).waitFor();
  await resting(page);
  assert.ok((await page.locator("#front svg .mark").count()) >= 2, await page.locator("#front-status").textContent());
  const ticks = await page.locator("#front svg text.mute").count();
  assert.ok(ticks >= 2 && ticks < 40, `${ticks} ticks`);
  await page.close();
});

test("the bars of a comparison are as long as what they show, on every screen", async () => {
  const page = await open();
  await typed(page, "principals: {fund: {rate: 3%}, consumer: {hyperbolic: 0.3, hazard: 2%}}\nstates: {s0: {a: {reward: {fund: 1, consumer: 4}, to: s0}, b: {reward: {fund: -2, consumer: -3}, to: s1}}, s1: {b: {reward: {fund: 3, consumer: 2}, to: s1}}}\n");
  await page.locator("#compare", { hasText: "best for consumer" }).waitFor();
  await resting(page);
  const bars = () => page.locator("#compare .bar").evaluateAll((all) => all.map((bar) => ({ full: bar.getBoundingClientRect().width, own: bar.firstElementChild.getBoundingClientRect().width, share: parseFloat(bar.firstElementChild.style.getPropertyValue("--share")) })));
  for (const width of [1380, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await resting(page);
    const all = await bars();
    assert.ok(all.length > 4 && all.some(({ share }) => share === 50), JSON.stringify(all));
    for (const { full, own, share } of all) {
      assert.ok(share <= 50, `${share} %`);
      // One length of all bars, whatever number stands above them.
      assert.ok(Math.abs(full - all[0].full) < 0.5 && Math.abs(own - (share / 100) * full) < 1, JSON.stringify({ full, own, share }));
    }
  }
  await page.close();
});

test("a fair point is told in decimals, and its strategies are told apart", async () => {
  const page = await open();
  await page.locator("#gallery").selectOption("abatement");
  await page.locator("#title", { hasText: "batement" }).waitFor();
  await resting(page);
  await page.locator('#front [data-point*="max-min"]').click({ force: true });
  const told = page.locator("#compromise");
  await told.getByText("strategy 2").waitFor();
  const text = await told.innerText();
  assert.ok(!/\d{20}/.test(text), text.slice(0, 500));
  assert.match(text, /strategy 1, with probability 0\.\d+: in /);
  assert.match(text, /it differs from strategy 1 first in .+ at year \d+: .+ in place of .+/);
  const weights = await told.locator(".note .number").allTextContents();
  assert.equal(weights.length, 2);
  assert.ok(Math.abs(weights.reduce((sum, weight) => sum + Math.abs(Number(weight)), 0) - 1) < 1e-5, weights.join(" "));
  assert.match(await told.locator(".note .number").first().getAttribute("data-exact"), /^exactly a fraction of \d+ digits$/);
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= room, `${wide} > ${room}`);
  await page.close();
});

test("points of rules that agree are one mark with all their names", async () => {
  const page = await open();
  await resting(page);
  const names = await page.locator("#front [data-point]").evaluateAll((all) => all.map((mark) => mark.getAttribute("data-point")));
  assert.ok(names.includes("max-min, leximin") && names.includes("Nash, Kalai–Smorodinsky"), names.join("; "));
  await page.locator('#front [data-point="max-min, leximin"]').click({ force: true });
  assert.deepEqual(await page.locator("#compromise h4").allTextContents(), ["max-min, leximin"]);
  await page.locator('#front [data-point="Nash, Kalai–Smorodinsky"]').click({ force: true });
  // The edges at this vertex are optimal for 5/9 and 5/7 of alice: between them the vertex is optimal alone.
  assert.match(await page.locator("#compromise").textContent(), /optimal for the weights alice 40\/63, bob 23\/63/);
  await page.close();
});

test("at the dot of the map stands the plan itself", async () => {
  const page = await open();
  await page.locator("#gallery").selectOption("two-rates-in-health-care");
  await page.locator("#title", { hasText: "health" }).waitFor();
  await resting(page);
  const own = await page.locator("#map .legend .own").textContent();
  const [first] = (await page.locator("#timeline desc").textContent()).split(". ");
  assert.equal(own.split("; ")[0], `the sliders: in ${first.replace(": ", " ")}`);
  assert.match(first, / from year \d/);
  assert.ok((await page.locator("#map svg.pick").getAttribute("aria-label")).includes(own.replace("the sliders: ", "")), own);
  assert.equal(await page.locator("#map svg.pick .dot title").textContent(), own);
  await page.close();
});

test("a map in place of another preference says so, and a click on it can be undone", async () => {
  const page = await open();
  await typed(page, "principals: {minister: {rate: 3%, until: 4}, public: {rate: 2%}}\nstates: {s0: {a: {reward: 3, to: s0}, b: {reward: -10, to: s1}}, s1: {b: {reward: 6, to: s1}}}\n");
  await page.locator("#sliders", { hasText: "minister" }).waitFor();
  await resting(page);
  const note = /as if minister had a single discount in place of rate 3% until 4/;
  assert.match(await page.locator("#map .as-if").textContent(), note);
  assert.match(await page.locator("#map svg.pick").getAttribute("aria-label"), note);
  const before = await page.locator("#answer").innerText();
  await page.locator("#map").scrollIntoViewIfNeeded();
  const box = await page.locator("#map svg.pick").boundingBox();
  await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.5);
  await page.locator("#map-undo", { hasText: "minister has a single discount now" }).waitFor();
  await resting(page);
  assert.equal(await page.locator("#map .as-if").count(), 0);
  assert.notEqual(await page.locator("#answer").innerText(), before);
  await page.locator("#map-undo button").click();
  await resting(page);
  assert.equal(await page.locator("#answer").innerText(), before);
  assert.equal(await page.locator("#map-undo").textContent(), "");
  await page.close();
});

test("a rule that was stopped has one row, and the welfare of a class is that of the strategy found", async () => {
  const page = await open(server.address, /503 \(Service/);
  await page.route("**/api/solve", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    for (const one of document.comparison) {
      if (one.rule === "nash") Object.assign(one, { status: "stopped", reason: "time limit" });
      if (one.strategy === "stationary") one.upper = Number(one.welfare.upper) * (1 + 1e-7);
    }
    await route.fulfill({ response: answer, json: document });
  });
  await page.route("**/api/fair", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    if (document.rule === "nash") document.status = "stopped";
    await route.fulfill({ response: answer, json: document });
  });
  await slide(page, "discount of bob", 80);
  await answered(page);
  await resting(page);
  assert.deepEqual((await page.locator("#compare tbody th").allTextContents()).filter((name) => name.includes("Nash")), ["fair: Nash (stopped)"]);
  const stationary = page.locator("#compare tbody tr", { hasText: "best stationary" }).locator(".number").first();
  assert.match(await stationary.getAttribute("data-exact"), /^the one found has (exactly|between) .*; none of its class has more than /);
  await page.close();
});

test("differences of bounds are bounds, and bounds are rounded outward", async () => {
  const page = await open();
  await page.route("**/api/view", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    document.solution.engine = "certified";
    const start = document.solution.states.s0;
    const number = (lower, upper) => ({ lower, upper, value: (lower + upper) / 2 });
    Object.assign(start.payoffs, { alice: number(9.888887, 9.88889), bob: number(4.21875, 4.2333333) });
    Object.assign(start.long_term_payoffs, { alice: number(11, 11), bob: number(2, 2.0000006) });
    Object.assign(start.own_best, { alice: number(11, 11), bob: number(4.5, 4.5) });
    await route.fulfill({ response: answer, json: document });
  });
  await slide(page, "discount of bob", 60);
  await page.locator("#answer td", { hasText: "[4.2187, 4.2334]" }).first().waitFor();
  const cells = async (name) => (await page.locator("#answer tbody tr", { hasText: name }).locator("td").allTextContents()).slice(-3);
  // Between 9.888887 and 9.88889: six places would say too much.
  assert.deepEqual(await cells("alice"), ["9.88889", "−1.11111", "−1.11111"]);
  // 2.2187494 to 2.2333333 above the long-term strategy.
  assert.deepEqual(await cells("bob"), ["[4.2187, 4.2334]", "[2.2187, 2.2334]", "[−0.2813, −0.2666]"]);
  const behind = await page.locator("#answer tbody tr", { hasText: "alice" }).locator(".number").first().getAttribute("data-exact");
  assert.equal(behind, "between 9.888887 and 9.88889");
  await page.close();
});

/** The fraction that a double is, or a decimal that the page shows. */
const exactOf = (number) => {
  if (typeof number === "number") {
    let under = 1n;
    for (; !Number.isInteger(number); number *= 2) under *= 2n;
    return [BigInt(number), under];
  }
  const [, sign, before, behind = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(number.replaceAll("−", "-"));
  const places = behind.length - Number(power);
  return [BigInt(`${sign}${before}${behind}`) * 10n ** BigInt(Math.max(0, -places)), 10n ** BigInt(Math.max(0, places))];
};
/** Whether the first of two exact numbers is at most the second. */
const isAtMost = (one, other) => one[0] * other[1] <= other[0] * one[1];

// Bounds of all sizes whose decimals are longer than a double's: what is shown encloses them, digit by digit.
test("every bound that is shown encloses the one that is meant", async () => {
  const page = await open();
  let given = [0, 0];
  await page.route("**/api/view", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    document.solution.engine = "certified";
    const [lower, upper] = given;
    document.solution.states.s0.payoffs.alice = { lower, upper, value: lower };
    await route.fulfill({ response: answer, json: document });
  });
  const cases = [];
  for (const middle of [0.1, 1 / 3, 13.111111111111112, 98765.43210987654, 123456789.01234567, 9.99999e9, 9.99996e-21, 1.2345e300, 2e-4]) {
    for (const width of [1e-15, 1e-12, 1e-9, 1e-3]) for (const sign of [1, -1]) cases.push([sign * middle, sign * middle + width * middle]);
  }
  let position = 20;
  for (const [lower, upper] of cases) {
    given = [lower, upper];
    const answer = page.waitForResponse("**/api/view");
    await slide(page, "discount of bob", position++);
    await answer;
    await answered(page);
    const told = await page.locator("#answer tbody tr", { hasText: "alice" }).locator(".number").first().getAttribute("data-exact");
    const [, least, most] = /^between (\S+) and (\S+)$/.exec(told) ?? assert.fail(`${told} for ${given}`);
    assert.ok(isAtMost(exactOf(least), exactOf(lower)) && isAtMost(exactOf(upper), exactOf(most)), `${told} for ${given}`);
    // One digit before the point of a power of ten, and one kind of minus.
    for (const bound of [least, most]) assert.match(bound, /^−?(\d+(\.\d*[1-9])?|[1-9](\.\d*[1-9])?e−?\d+)$/, told);
  }
  await page.close();
});

test("bars of bounds show what is sure and what is possible, on the scale of the welfare", async () => {
  const page = await open();
  await page.route("**/api/solve", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    const one = document.comparison.find((one) => one.strategy === "long-term");
    const plan = document.comparison[0];
    const above = (name, lower, upper) => ({ lower: plan.payoffs[name].value + lower, upper: plan.payoffs[name].value + upper, value: 0 });
    one.payoffs = { alice: above("alice", 2, 4), bob: above("bob", -40, 20) };
    document.comparison = [plan, one];
    await route.fulfill({ response: answer, json: document });
  });
  const hotel = await page.locator("#model").inputValue();
  await typed(page, hotel.replace("alice: 2/3", "alice: {discount: 2/3, weight: 10}"));
  await page.locator("#compare", { hasText: "long-term" }).waitFor();
  await resting(page);
  const bars = (name) => page.locator("#compare tbody tr", { hasText: "long-term" }).locator(`td[data-column="${name}"] i`).evaluateAll((all) => all.map((bar) => [bar.className, bar.style.getPropertyValue("--share")]));
  // Alice gains 2 for sure and 4 at most, each counted ten times; bob loses 40 at most.
  assert.deepEqual(await bars("alice"), [["gain", "25%"], ["gain possible", "50%"]]);
  assert.deepEqual((await bars("bob")).slice(1), [["loss possible", "50%"], ["gain possible", "25%"]]);
  await page.close();
});

test("the sliders take weights for which the chosen vertex alone is optimal", async () => {
  const page = await open();
  await resting(page);
  const vertices = await page.locator('#front [data-point^="vertex"]').count();
  for (const at of [1, 2, 3]) {
    await page.locator(`#front [data-point="vertex ${at} of the front"]`).click({ force: true });
    const got = await page.locator("#compromise li .number").first().textContent();
    await page.locator("#compromise button", { hasText: "Set the weight sliders" }).click();
    await answered(page);
    await resting(page);
    assert.equal((await page.locator("#answer tbody tr", { hasText: "alice" }).locator(".number").first().textContent()), got, `vertex ${at} of ${vertices}`);
  }
  await page.close();
});

test("where the map is a sketch, its files are sketches too", async () => {
  const page = await open(server.address, /422 \(Unprocessable|503 \(Service/);
  await page.route("**/api/map", (route) => route.fulfill({ status: 503, json: { error: { message: "stopped: time limit", line: null, column: null, length: null, help: null } } }));
  const hotel = await page.locator("#model").inputValue();
  await typed(page, hotel.replace("reward: 6", "reward: 7"));
  await page.locator("#map-status", { hasText: /finer takes more than/ }).waitFor();
  await resting(page);
  assert.match(String(await downloaded(page, "Strategy map (SVG)")), /A sketch: each of 40 × 40 cells/);
  assert.equal(JSON.parse(await downloaded(page, "Strategy map (JSON)")).format, "commonweal-sketch/1");
  await page.close();
});

test("nothing of the model before stays on the page", async () => {
  const page = await open();
  await resting(page);
  assert.match(await page.locator("#title").textContent(), /[Hh]otel/);
  await typed(page, "step: year\nprincipals: {alice: 2/3, bob: 1/3}\nstates: {s0: {a: {reward: {alice: 10000, bob: 1}, to: s0}, b: {reward: {alice: 9000, bob: 0}, to: s1}}, s1: {b: {reward: {alice: 11000, bob: 1}, to: s1}}}\n");
  await page.locator("#title", { hasText: /^A model$/ }).waitFor();
  await resting(page);
  assert.match(await page.locator("#timeline desc").textContent(), / from year 0/);
  assert.match(await page.locator("#payoffs .flat").textContent(), /too coarse to see the curve of bob, which ends at/);
  await typed(page, "principals: {alice: 2/3}\nstates: {s0: {a: {reward: 3, to: s0}}}\n");
  await page.locator("#map-panel").waitFor({ state: "hidden" });
  await resting(page);
  for (const id of ["map-status", "front-status", "map", "front"]) assert.equal(await page.locator(`#${id}`).textContent(), "", id);
  await page.close();
});

test("what to do now is what can happen, in the words of the program", async () => {
  const page = await open();
  const told = () => page.locator(".now").textContent();
  await resting(page);
  assert.equal(await told(), "What to do now, in s0: a for 2 steps, then b");
  // The dam is built at once: what would be done in the river later never happens.
  await typed(page, "step: year\nprincipals: {society: 0.97, mayor: {rate: 6%, until: 12}}\nstates:\n  river: {wait: {reward: 1, to: river}, build: {reward: {society: -12, mayor: -1}, to: dam}}\n  dam: {run: {reward: {society: 2, mayor: 3/2}, to: dam}}\n");
  await page.locator(".now", { hasText: "in river" }).waitFor();
  assert.equal(await told(), "What to do now, in river: always build");
  await resting(page);
  // The details of a point of the front say the same of its strategy.
  await page.locator('#front [data-point^="the plan"]').click({ force: true });
  assert.match(await page.locator("#compromise").textContent(), /in river always build(?! for)/);
  await typed(page, "principals: {ann: 0, bob: 0.9}\nstates:\n  x: {go: {reward: {ann: 10, bob: 10}, to: y}, stay: {reward: {ann: 0, bob: 3/2}, to: x}}\n  y: {z: {reward: 0, to: y}}\n");
  await page.locator(".now", { hasText: "in x" }).waitFor();
  assert.equal(await told(), "What to do now, in x: always go");
  await page.close();
});

test("an edited model that another one takes the place of comes back with Undo, text and sliders", async () => {
  const page = await open();
  await resting(page);
  const undo = page.locator("#undo");
  // What was not changed is opened again from the list.
  await page.locator("#gallery").selectOption("green-book-investment");
  await page.locator("#title", { hasText: "Green" }).waitFor();
  assert.equal(await undo.textContent(), "");
  await page.locator("#gallery").selectOption("hotel");
  await answered(page);
  await page.locator("#share").click();
  await page.locator("#said", { hasText: "link" }).waitFor();
  const link = new URL(page.url()).hash;
  const own = (await page.locator("#model").inputValue()).replace("reward: 6", "reward: 7");
  await typed(page, own);
  await answered(page);
  await slide(page, "discount of bob", 90);
  await resting(page);
  const before = await page.locator("#answer").innerText();
  const upload = () => page.locator("#upload").setInputFiles({ name: "other.yaml", mimeType: "text/yaml", buffer: Buffer.from("principals: {x: 1/2}\nstates: {s: {go: {reward: 1, to: s}}}\n") });
  for (const leave of [() => page.locator("#gallery").selectOption("green-book-investment"), upload, () => page.evaluate((hash) => (location.hash = hash), link)]) {
    await leave();
    await undo.getByText("is open in place of what you had changed").waitFor();
    assert.notEqual(await page.locator("#model").inputValue(), own);
    await undo.getByRole("button").click();
    await resting(page);
    assert.equal(await page.locator("#model").inputValue(), own);
    assert.equal(await page.locator("#answer").innerText(), before);
    assert.equal(await page.getByLabel("discount of bob, typed").inputValue(), "0.45");
    assert.match(await undo.textContent(), /What you had changed is back/);
  }
  // What is typed after that is not lost with Undo either.
  await upload();
  await undo.getByRole("button").waitFor();
  const later = "principals: {x: 1/4}\nstates: {s: {go: {reward: 5, to: s}}}\n";
  await typed(page, later);
  await answered(page);
  await undo.getByRole("button").click();
  await undo.getByText("in place of what you changed since").waitFor();
  await undo.getByRole("button").click();
  await resting(page);
  assert.equal(await page.locator("#model").inputValue(), later);
  await page.close();
});

test("a number that is edited in the text counts, whatever its slider said", async () => {
  const page = await open();
  await resting(page);
  const hotel = await page.locator("#model").inputValue();
  const viewed = async (work) => {
    const answer = page.waitForResponse("**/api/view");
    await work();
    await answer;
    await answered(page);
  };
  const number = (name) => page.getByLabel(`discount of ${name}, typed`).inputValue();
  const json = JSON.stringify({ principals: { alice: "2/3", bob: "1/3" }, states: { s0: { a: { reward: 3, to: "s0" }, b: { reward: -1, to: "s1" } }, s1: { b: { reward: 6, to: "s1" } } } });
  const forms = [
    [hotel, "bob: 1/3", "bob: 0.2"],
    [hotel.replace(/principals:\n.*\n.*\n/, "principals: {alice: 2/3, bob: 1/3}  # both\n"), "bob: 1/3", "bob: 0.2"],
    [hotel.replace("bob: 1/3", "bob:\n    discount: 1/3"), "discount: 1/3", "discount: 0.2"],
    [json, '"bob":"1/3"', '"bob":"0.2"'],
  ];
  for (const [at, [text, from, to]] of forms.entries()) {
    assert.ok(text.includes(from), text);
    if (at > 0) await viewed(() => typed(page, text));
    await viewed(() => slide(page, "discount of alice", 120));
    await viewed(() => slide(page, "discount of bob", 100));
    assert.equal(await number("bob"), "0.5");
    // An edit elsewhere leaves the sliders as they are.
    await viewed(() => typed(page, text.replace("6", "7")));
    assert.equal(await number("bob"), "0.5", text);
    await viewed(() => typed(page, text.replace("6", "7").replace(from, to)));
    assert.match(await page.locator("#said").textContent(), /bob is as the text says now/);
    assert.deepEqual([await number("alice"), await number("bob")], ["0.6", "0.2"], text);
    await viewed(() => page.locator("#reset").click());
  }
  await page.close();
});

test("a principal that is chosen for both axes changes places", async () => {
  const page = await open();
  await typed(page, "principals: {ann: 3/4, ben: 1/2, cat: 1/4, dan: 1/8}\nstates:\n  s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}\n  s1: {b: {reward: 6, to: s1}}\n");
  await page.locator("#axes").waitFor();
  await resting(page);
  const axes = async () => [await page.locator("#axis-x").inputValue(), await page.locator("#axis-y").inputValue()];
  await page.locator("#axis-x").selectOption("cat");
  await page.locator("#axis-y").selectOption("dan");
  await resting(page);
  assert.deepEqual(await axes(), ["cat", "dan"]);
  for (const [id, name, expected] of [["#axis-x", "dan", ["dan", "cat"]], ["#axis-y", "dan", ["cat", "dan"]]]) {
    await page.locator(id).selectOption(name);
    await resting(page);
    assert.deepEqual(await axes(), expected);
    assert.match(await page.locator("#front-title").textContent(), new RegExp(`What ${expected[0]} and ${expected[1]} can get`));
    assert.ok((await page.locator("#map svg.pick text").allTextContents()).includes(`discount of ${expected[0]}`));
  }
  await page.close();
});

test("the error of a file that was opened is told at the top, and leads to its place", async () => {
  const page = await open();
  await page.setViewportSize({ width: 390, height: 700 });
  await resting(page);
  const upload = (name, text) => page.locator("#upload").setInputFiles({ name, mimeType: "text/yaml", buffer: Buffer.from(text) });
  const chain = Array.from({ length: 90 }, (_, s) => `  c${s}: {on: {reward: 1, to: c${s === 89 ? "x" : s + 1}}}`).join("\n");
  await upload("chain.yaml", `principals: {x: 1/2}\nstates:\n${chain}\n`);
  const top = page.locator("#wrong");
  await top.getByText("chain has an error: line 92, there is no state `cx`").waitFor();
  assert.ok(await top.evaluate((line) => line.getBoundingClientRect().bottom < innerHeight), "it is in view");
  await top.getByRole("button").click();
  // The mark follows the text when the browser has drawn the next picture.
  await page.waitForFunction(() => {
    const [own, paper] = ["#behind mark", "#model"].map((one) => document.querySelector(one).getBoundingClientRect());
    return own.top >= paper.top && own.bottom <= Math.min(paper.bottom, innerHeight);
  });
  assert.equal(await page.locator("#model").evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)), "cx");
  // What is typed has its error beside it.
  await typed(page, `principals: {x: 1/2}\nstates:\n${chain.replace("cx", "cy")}\n`);
  await page.locator("#mistake", { hasText: "`cy`" }).waitFor();
  assert.ok(await top.isHidden());
  // A file in Storm's format is for the program, with a discount for each of its rewards.
  await upload("costs.drn", "@type: MDP\n@parameters\n\n@reward_models\npatients insurer\n@nr_states\n1\n@model\nstate 0 init\n\taction a [1, 2]\n\t\t0 : 1\n");
  await page.locator("#mistake", { hasText: "commonweal serve FILE.drn --discount patients=… --discount insurer=…" }).waitFor();
  assert.doesNotMatch(await page.locator("#mistake").textContent(), /send/);
  await top.getByText("costs has an error: the model is in Storm's format").waitFor();
  await upload("good.yaml", "principals: {x: 1/2}\nstates: {s: {go: {reward: 1, to: s}}}\n");
  await top.waitFor({ state: "hidden" });
  await page.close();
});

test("a download says that it is computed, and what is too large to be compared has no comparison", async () => {
  const page = await open();
  await resting(page);
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  await page.route("**/api/certificate", async (route) => {
    await gate;
    await route.continue();
  });
  const options = () => page.locator("#files option").allTextContents();
  assert.ok((await options()).includes("Comparison (CSV)"));
  const file = downloaded(page, "Certificate");
  await page.locator("#said", { hasText: "Certificate is computed …" }).waitFor();
  release();
  await file;
  await page.locator("#said", { hasText: "Certificate: downloaded as hotel.cert" }).waitFor();
  const n = 201;
  await typed(page, `principals: {x: 1/2, y: 1/4}\nstates:\n${Array.from({ length: n }, (_, s) => `  s${s}: {a: {reward: ${s % 7}, to: s${(s + 1) % n}}}\n`).join("")}`);
  await page.locator("#compare-status", { hasText: "too large to be compared" }).waitFor();
  await resting(page);
  assert.ok(!(await options()).includes("Comparison (CSV)"));
  await page.close();
});

test("an arrow key on the map moves one principal and leaves the other as it is", async () => {
  const page = await open();
  await resting(page);
  const number = (name) => page.getByLabel(`discount of ${name}, typed`).inputValue();
  await page.locator("#map svg.pick").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector('[aria-label="discount of alice, typed"]').value !== "2/3");
  await resting(page);
  assert.equal(await number("bob"), "1/3");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => document.querySelector('[aria-label="discount of bob, typed"]').value !== "1/3");
  await resting(page);
  assert.equal(await number("alice"), "0.675");
  await page.close();
});

test("a state that there is not is said to be none, and the graph stays", async () => {
  const n = 60;
  const page = await open();
  await typed(page, `principals: {x: 1/2, y: 1/4}\nstates:\n${Array.from({ length: n }, (_, s) => `  s${s}: {a: {reward: ${s % 7}, to: s${(s + 1) % n}}}\n`).join("")}`);
  await page.locator("#around").waitFor();
  await resting(page);
  const around = async (name) => {
    await page.locator("#around").fill(name);
    await page.locator("#around").press("Enter");
  };
  await around("s30");
  await page.locator("#graph .note", { hasText: "around s30" }).waitFor();
  await around("s99");
  await page.locator("#around-told", { hasText: "There is no state “s99”" }).waitFor();
  assert.match(await page.locator("#graph .note").first().textContent(), /around s30/);
  await around("s0");
  await page.locator("#graph .note", { hasText: "around s0" }).waitFor();
  assert.equal(await page.locator("#around-told").textContent(), "");
  await page.close();
});

test("sums and differences are exact or enclose what they are, at the ends of the doubles too", async () => {
  const page = await open();
  await page.route("**/api/fair", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    const number = (lower, upper) => ({ lower, upper, value: lower });
    if (document.rule === "leximin") document.payoffs = { alice: number(0.1, 0.1), bob: number(0.2, 0.2) };
    if (document.rule === "max-min") document.payoffs = { alice: { exact: "1/3", ...number(0.333333, 0.333334) }, bob: { exact: "1/7", ...number(0.142857, 0.142858) } };
    if (document.rule === "nash") document.payoffs = { alice: { exact: `1${"0".repeat(305)}/7`, ...number(1e305 / 7, 1e305 / 7) }, bob: { exact: "1", ...number(1, 1) } };
    await route.fulfill({ response: answer, json: document });
  });
  await page.route("**/api/solve", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    if (document.comparison) document.comparison = document.comparison.filter((one) => !one.rule);
    await route.fulfill({ response: answer, json: document });
  });
  await page.route("**/api/view", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    const start = document.solution.states.s0;
    start.payoffs.alice = { lower: 2e307, upper: 2e307, value: 2e307 };
    start.long_term_payoffs.alice = { lower: -1.7e308, upper: -1.7e308, value: -1.7e308 };
    start.long_term_welfare = { lower: 14, upper: 14.5, value: 14.25 };
    await route.fulfill({ response: answer, json: document });
  });
  const hotel = await page.locator("#model").inputValue();
  await typed(page, hotel.replace("bob: 1/3", "bob: {discount: 1/3, weight: 3}"));
  await page.locator("#compare th", { hasText: "fair: leximin" }).waitFor();
  await resting(page);
  const behind = (rule) => page.locator("#compare tbody tr", { hasText: `fair: ${rule}` }).locator(".number").first().getAttribute("data-exact");
  assert.equal(await behind("max-min"), "exactly 16/21");
  assert.equal(await page.locator("#compare tbody tr", { hasText: "fair: Nash" }).locator(".number").first().textContent(), "1.4286e304");
  // The doubles 0.1 and 0.2 are a little more than these, three times the second as well.
  const [, least, most] = /^between (\S+) and (\S+)$/.exec(await behind("leximin"));
  const [[a, under], [b, other]] = [exactOf(0.1), exactOf(0.2)];
  const sum = [a * other + 3n * b * under, under * other];
  assert.ok(isAtMost(exactOf(least), sum) && isAtMost(sum, exactOf(most)), `${least} ${most}`);
  assert.ok(!(await page.locator("#answer").innerText()).match(/NaN|\?/), await page.locator("#answer").innerText());
  assert.match(await page.locator("#answer tbody tr", { hasText: "alice" }).locator("td").nth(3).textContent(), /^\[1\.7976e308, ∞\]$/);
  // What is earned and gained is between bounds too.
  const why = await page.locator("#explanation").textContent();
  assert.match(why, /earns \[14, 14\.5\]/);
  assert.match(why, /gains \[\d+\.\d+, \d+\.\d+\] by that/);
  // Discounts and weights of any length are read and shown exactly.
  await page.unroute("**/api/view");
  await typed(page, hotel);
  await resting(page);
  const field = page.getByLabel("discount of alice, typed");
  await field.fill("0.99999999999999999999999");
  await field.press("Enter");
  await answered(page);
  assert.equal(await page.locator(".refused:visible").count(), 0);
  const weight = page.getByLabel("weight of bob, typed");
  await page.locator("#sliders fieldset", { hasText: "bob" }).locator("summary", { hasText: "weight" }).click();
  await weight.fill("99999999999999999999999/10000");
  await weight.press("Enter");
  await answered(page);
  await page.waitForFunction(() => document.querySelector('[aria-label="weight of bob, typed"]').value === "9999999999999999999.9999");
  await page.close();
});

test("rules that choose the same point are listed, those that are near are said to be", async () => {
  const page = await open();
  await page.route("**/api/fair", async (route) => {
    const answer = await route.fetch();
    const document = await answer.json();
    const off = { "max-min": 0, leximin: 0, nash: 1e-4, "kalai-smorodinsky": 1e-4 }[document.rule];
    document.payoffs = Object.fromEntries(["alice", "bob"].map((name, at) => [name, { lower: 10 - 6 * at + off, upper: 10 - 6 * at + off, value: 10 - 6 * at + off }]));
    await route.fulfill({ response: answer, json: document });
  });
  const hotel = await page.locator("#model").inputValue();
  await typed(page, hotel.replace("reward: 6", "reward: 7"));
  await page.locator("#front .legend", { hasText: "Kalai" }).waitFor();
  await resting(page);
  assert.match(await page.locator("#front .legend").textContent(), /max-min,leximin ≈Nash,Kalai–Smorodinsky/);
  await page.close();
});

test("light, dark and on a phone nothing is cut off", async () => {
  for (const [name, width, scheme] of [["light", 1380, "light"], ["dark", 1380, "dark"], ["phone", 390, "light"]]) {
    const page = await open();
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await resting(page);
    // The letters of the legend stand on the map.
    const letters = await page.locator("#map svg .letter").allTextContents();
    const legend = await page.locator("#map .legend li").allTextContents();
    assert.ok(letters.length >= 3 && letters.every((letter) => legend.some((entry) => entry.startsWith(`${letter}: `))), `${name}: ${letters}`);
    // A short name stands on one line.
    const high = await page.locator("#answer tbody th").evaluateAll((names) => names.map((name) => name.getBoundingClientRect().height));
    assert.ok(high.every((height) => height < 45), `${name}: ${high}`);
    // Who gets what is seen whole.
    const hidden = await page.locator("#answer .scroll").evaluate((place) => place.scrollWidth - place.clientWidth);
    assert.ok(hidden <= 0, `${name}: ${hidden} pixels of the table are hidden`);
    // No number of the comparison is cut.
    const cut = await page.locator("#compare .scroll").evaluate((place) => place.scrollWidth - place.clientWidth);
    if (name === "phone") assert.ok(cut <= 0, `${cut} pixels of the comparison are hidden`);
    // A table that is moved sideways keeps its first column.
    const kept = await page.locator("#compare .scroll").evaluate((place) => {
      place.scrollLeft = 60;
      return place.querySelector("tbody th").getBoundingClientRect().left - place.getBoundingClientRect().left;
    });
    assert.ok(kept >= -0.5, `${name}: the first column is ${kept} pixels off`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${name}: ${overflow} pixels too wide`);
    if (takesFigures) {
      await page.locator("#compare .scroll").evaluate((place) => (place.scrollLeft = 0));
      await page.setViewportSize({ width, height: name === "phone" ? 1700 : 1560 });
      await page.screenshot({ path: `${figures}explorer-${name}.png` });
    }
    await page.close();
  }
});

test("numbers of many digits stand on one line, and all of it is on the page", async () => {
  const page = await open();
  await resting(page);
  const hotel = await page.locator("#model").inputValue();
  await typed(page, hotel.replace("reward: 6", "reward: 600000001/7"));
  await page.locator(".tiles .number", { hasText: /^\d{9}\.\d{6}$/ }).first().waitFor();
  await resting(page);
  for (const width of [1380, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await resting(page);
    const cut = await page.evaluate(() => [...document.querySelectorAll("section, #answer .scroll, .tiles li")].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => `${one.className} ${one.scrollWidth - one.clientWidth}`));
    assert.deepEqual(cut, [], `${width}`);
    // The name of an axis does not lie on its numbers.
    const clear = await page.locator("#payoffs svg[role=img]").evaluate((drawing) => {
      const name = drawing.querySelector("text[transform]").getBoundingClientRect().right;
      return Math.min(...[...drawing.querySelectorAll("text[text-anchor=end]")].map((tick) => tick.getBoundingClientRect().left)) - name;
    });
    assert.ok(clear >= 0, `${width}: ${clear}`);
    const lines = await page.locator(".tiles .number").evaluateAll((numbers) => numbers.map((number) => number.getClientRects().length));
    assert.ok(lines.every((count) => count === 1), `${width}: ${lines}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${width}: ${overflow} pixels too wide`);
  }
  await page.close();
});

let failed = 0;
const chosen = tests.filter(([name]) => name.includes(only));
for (const [name, work] of chosen) {
  const began = Date.now();
  try {
    await work();
    console.log(`ok   ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error.stack.slice(0, 1500)}`);
    for (const page of browser.pages().slice(1)) await page.close().catch(() => {});
  }
}
if (complaints.length > 0) console.log(`FAIL the console has complaints: ${complaints.join("\n")}`), failed++;
if (left.length > 0) console.log(`FAIL requests left the machine: ${left.join("\n")}`), failed++;
await browser.close();
server.stop();
await rm(folder, { recursive: true, force: true });
console.log(failed === 0 ? `all ${chosen.length} tests passed; no complaint, and no request left the machine` : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
