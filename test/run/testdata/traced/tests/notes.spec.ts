import { readFile } from "node:fs/promises";
import { expect, test, type Page, type TestInfo } from "@playwright/test";

const html = `<!doctype html><title>Notes</title><h1>Notes</h1>
<form><label>Note <input id="note"></label><label><input type="checkbox"> Pin</label>
<select aria-label="Colour"><option>red</option><option>blue</option></select><button>Add</button></form>
<ul></ul><button id="off" disabled>Archive</button><a id="print" href="about:blank" target="_blank">Print</a>
<iframe srcdoc="<button onclick='this.textContent += &quot; to all&quot;'>Share</button>"></iframe>
<script>
document.querySelector("form").addEventListener("submit", (e) => {
  e.preventDefault();
  const item = document.createElement("li");
  item.textContent = document.querySelector("#note").value;
  setTimeout(() => document.querySelector("ul").append(item), 150);
  console.log("added");
});
</script>`;

test.beforeEach(async ({ page }) => {
  await page.route("http://notes.test/**", (route) => route.request().url().endsWith("/down") ? route.abort() : route.fulfill({ contentType: "text/html", body: html }));
  await page.goto("http://notes.test/");
});

async function attachScreenshot(page: Page, info: TestInfo) {
  await info.attach("screenshot", { body: await page.locator("h1").screenshot(), contentType: "image/png" });
}

test("adds notes", async ({ page }, info) => {
  const note = page.getByLabel("Note");
  for (const text of ["milk", "bread"]) {
    await note.fill(text);
    await page.getByRole("button", { name: "Add" }).click({ timeout: 5_000 });
    await expect(page.getByRole("listitem").last()).toHaveText(text);
  }
  await expect(page.getByText("cheese")).toHaveCount(0);
  expect(await page.locator("li").count()).toBe(2);
  expect(await page.locator("li").allTextContents()).toEqual(["milk", "bread"]);
  await info.attach("notes", { body: await page.locator("ul").innerHTML(), contentType: "text/html" });
  await attachScreenshot(page, info);
});

test("uses every kind of control", async ({ page }, info) => {
  await test.step("choose", async () => {
    await page.getByLabel("Pin").check({ timeout: 1_000 });
    await page.getByLabel("Colour").selectOption("blue");
    await page.locator("#note").press("Tab");
    await page.locator("#note").evaluate((e: HTMLInputElement) => { e.value = "tea"; });
  });
  expect(await page.locator("#note").inputValue()).toBe("tea");
  expect(await page.locator("#off").isDisabled()).toBe(true);
  expect(await page.locator("#gone").isVisible()).toBe(false);
  await page.locator("#gone").waitFor({ state: "detached" });
  await page.frameLocator("iframe").getByRole("button").click();
  await expect(page.frameLocator("iframe").getByRole("button")).toHaveText("Share to all");
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.locator("#print").click()]);
  await popup.close();
  const handle = await page.$("h1");
  expect(await handle?.textContent()).toBe("Notes");
  expect(await page.evaluate(() => fetch("/down").catch((error) => error.message))).toBe("Failed to fetch");
  // Chromium draws the round corners of controls now and then one shade lighter.
  const controls = [page.locator("form"), page.locator("#off"), page.locator("iframe")];
  await page.screenshot({ path: info.outputPath("page.png"), mask: controls });
  await info.attach("page", { path: info.outputPath("page.png") });
  expect((await readFile(info.outputPath("page.png"))).length).toBeGreaterThan(0);
});

// What fails here fails for reasons that no healing is for.
test("acts on a control that is off", async ({ page }, info) => {
  await expect.soft(page.locator("h1")).toHaveText("Tasks");
  await attachScreenshot(page, info);
  await page.locator("#off").click({ timeout: 1_000 });
});

test("finds two where one is wanted", async ({ page }) => {
  await page.locator("button").click({ timeout: 1_000 });
});

test("fails in its own code", async ({ page }) => {
  await page.evaluate(() => { throw new Error("no notes"); });
});
