import { readFile } from "node:fs/promises";
import { expect, test } from "./fixtures";

const slow = { timeout: 30_000 };

test.describe("Reports", () => {
  test("downloads the list", async ({ reports, page }, testInfo) => {
    const [download] = await Promise.all([page.waitForEvent("download", slow), page.locator("#download").click()]);
    const file = testInfo.outputPath("tickets.csv");
    await download.saveAs(file);
    expect(await readFile(file, "utf8")).toBe("subject;status\nPrinter is on fire;open\n");
  });

  test("exports the chart", async ({ reports, page }, testInfo) => {
    const [download] = await Promise.all([page.waitForEvent("download", slow), page.locator("#export").click()]);
    const file = testInfo.outputPath(download.suggestedFilename());
    await download.saveAs(file);
    expect(await readFile(file, "utf8")).toContain("May;7");
  });

  test("chooses a range", async ({ reports, page }) => {
    await reports.chooseRange("2026-01-01", "2026-03-31");
    await expect(page.getByRole("status")).toHaveText("2026-01-01 to 2026-03-31");
  });

  test("refreshes the chart in its frame", async ({ reports }) => {
    await reports.chart.locator("#refresh").click();
    await expect(reports.chart.getByRole("status")).toHaveText("May: 8");
  });

  test("hides the closed ones in a frame within a frame", async ({ reports }) => {
    const legend = reports.chart.frameLocator("[name=legend]");
    await legend.locator(".hide-closed").click();
    await expect(legend.getByRole("status")).toHaveText("Closed tickets are hidden");
  });

  test("prints from another page", async ({ reports, page }) => {
    const [print] = await Promise.all([page.waitForEvent("popup", slow), page.locator("#print").click()]);
    await print.locator("#large").click();
    await expect(print.getByRole("status")).toHaveText("The type is large");
  });

  test("asks the server itself", async ({ request }) => {
    const answer = await request.get("/files/tickets.csv");
    expect(answer.headers()["content-type"]).toContain("text/csv");
  });
});
