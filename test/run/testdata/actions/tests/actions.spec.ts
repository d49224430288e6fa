import { writeFileSync } from "node:fs";

import { expect, test, type Page } from "@playwright/test";

const fields = 60;
const rounds = 6;

// Each action meets each field in turn, in the first round for the first time. None of
// them waits for a frame, as a click does, so that their times show the way there and back.
const actions: Record<string, (page: Page, n: number) => Promise<unknown>> = {
  fill: (page, n) => page.locator(`#fill-${n}`).fill(`quantity ${n}`),
  inputValue: (page, n) => page.getByLabel(`Value ${n}`, { exact: true }).inputValue(),
  getAttribute: (page, n) => page.getByTestId(`attribute-${n}`).getAttribute("name"),
  focus: (page, n) => page.locator(`#focus-${n}`).focus(),
  dispatchEvent: (page, n) => page.locator(`#event-${n}`).dispatchEvent("change"),
};

for (const [name, act] of Object.entries(actions)) {
  test(name, async ({ page }) => {
    const field = (n: number) =>
      `<p><label>Value ${n} <input id="value-${n}" value="${n}"></label> <input id="fill-${n}"> <input id="focus-${n}"> <input id="event-${n}"> <input data-testid="attribute-${n}" name="name-${n}"></p>`;
    await page.setContent(Array.from({ length: fields }, (_, n) => field(n)).join(""));
    await expect(page.locator("p")).toHaveCount(fields);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++)
      for (let n = 0; n < fields; n++) {
        const start = performance.now();
        await act(page, n);
        times.push(performance.now() - start);
      }
    writeFileSync(`${process.env.ACTION_TIMES}/${name}.json`, JSON.stringify(times));
  });
}
