// Serves one release of the shop on loopback, and drives a browser for the
// languages whose Playwright library Debian does not have (POST /driver/*, form
// fields in, text out). Usage: node server.js <folder> <port>
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { chromium } from "@playwright/test";
import { act } from "./healer.js";

const [folder, port] = process.argv.slice(2);
const pages = new Map();
let browser;
process.on("SIGTERM", () => process.exit());
let outages = process.env.SHOP_RECORD ? 0 : 1;

const driver = {
  async open() {
    browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM, args: process.env.CHROMIUM_ARGS.split(" ") });
    const page = await browser.newPage({ baseURL: `http://127.0.0.1:${port}` });
    pages.set(String(pages.size), page);
    return String(pages.size - 1);
  },
  async goto({ page, url }) {
    await pages.get(page).goto(url);
  },
  async act({ page, selector, action, value, runner, test, file, line }) {
    const where = { runner, test, api: "locator", site: { file, line: Number(line) } };
    await act(pages.get(page), pages.get(page).locator(selector), action, value === undefined ? [] : [value], where);
  },
  async press({ page, key }) {
    await pages.get(page).keyboard.press(key);
  },
  async read({ page, selector, what }) {
    return pages.get(page).locator(selector)[what]({ timeout: 1000 });
  },
  async close({ page }) {
    await pages.get(page).close();
  },
};

createServer(async (request, response) => {
  const url = new URL(request.url, "http://shop");
  if (url.pathname.startsWith("/driver/")) return drive(request, response, url.pathname.slice("/driver/".length));
  if (url.searchParams.get("user") === "grace" && outages-- > 0) {
    response.writeHead(503, { "content-type": "text/html" }).end("<h1>Service unavailable</h1><p>Try again in a minute.</p>");
    return;
  }
  try {
    const body = readFileSync(join(folder, normalize(url.pathname)));
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}).listen(Number(port), "127.0.0.1");

async function drive(request, response, verb) {
  let body = "";
  for await (const chunk of request) body += chunk;
  try {
    const text = await driver[verb](Object.fromEntries(new URLSearchParams(body)));
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(text ?? "");
  } catch (error) {
    response.writeHead(500, { "content-type": "text/plain; charset=utf-8" }).end(error.message);
  }
}
