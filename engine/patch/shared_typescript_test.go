package patch

func typescriptGrid() sharedGrid {
	return sharedGrid{
		pageFile: "cart.ts", testFile: "cart.spec.ts",
		tests: [3]string{"buys", "pays", "looks"},
		class: `import type { Page } from '@playwright/test';
import { Base, step, once, wrap, a } from './base';
export class Cart extends Base {
  constructor(readonly page: Page) { super(page); }
{member}
  async other() { await this.page.locator('#other').click(); }
}
`,
		load: "import { Cart } from './cart';", make: "const cart = new Cart(page);",
		apart: "await cart.other();",
		decorations: []string{
			"", "@step('run') ", "@step('run')\n  ", "@step\n  ", "@step()\n  ", "@step({ name: 'run', f: () => { return [1, (2)]; } })\n  ",
			"@step(['a', 'b']) // ends; {\n  ", "@a.b.step(`x ${a} y`)\n  ", "@(wrap('run'))\n  ", "@step<{ a: string }>('run')\n  ",
			"@step('run')\n  /* async stop() { */\n  @step('stop')\n\n  ", "/** async stop() {\n   * @step('x')\n   */\n  @step(function stop() { return { a: 1 }; })\n  ",
		},
		neighbours: []string{
			"", "  a = 1\n  ", "  a: { b: string } = { b: 'x' }\n  ", "  a = () => {}\n  ", "  async stop() {}\n  ", "  get total() { return { a: 1 } }\n  ",
			"  static { a(); }\n  ", "  declare a: Page\n  ", "  a = [1, 2]\n  ", "  a?: string; ",
		},
		kept:    1193,
		members: typescriptMembers(), modules: typescriptModules(),
		ways: []way{
			{name: "direct", files: map[string]string{"cart.spec.ts": `import { test } from '@playwright/test';
{load}
test('buys', async ({ page }) => { {make} {use} });
test('pays', async ({ page }) => { {make} {use} });
test('looks', async ({ page }) => { {make} {apart} });
`}},
			{name: "helper", files: map[string]string{"cart.spec.ts": `import { test } from '@playwright/test';
import { shop as buy } from './shop'
{load}
test('buys', async ({ page }) => { await buy(page); });
test('pays', async ({ page }) => { await buy(page); });
test('looks', async ({ page }) => { {make} {apart} });
`, "shop.ts": `{load}
const limit = 1
export async function shop<T extends { a: string }>(page: T): Promise<{ b: string }> { {make} {use} }
`}},
			{name: "fixture", classOnly: true, files: map[string]string{"cart.spec.ts": `import { test } from './fixtures';
test('buys', async ({ cart }) => { {use} });
test('pays', async ({ cart }) => { {use} });
test('looks', async ({ cart }) => { {apart} });
`, "fixtures.ts": `import { test as base } from '@playwright/test';
{load}
export const test = base.extend<{ cart: Cart }>({
  cart: async ({ page }, use) => { {make} await use(cart); },
});
`}},
			{name: "subclass", classOnly: true, files: map[string]string{"cart.spec.ts": `import { test } from '@playwright/test';
import { Big } from './big';
test('buys', async ({ page }) => { const cart = new Big(page); {use} });
test('pays', async ({ page }) => { const cart = new Big(page); {use} });
test('looks', async ({ page }) => { const cart = new Big(page); {apart} });
`, "big.ts": `{load}
export class Big<T extends { a: string }> extends Cart { async big() {} }
`}},
			{name: "part", classOnly: true, files: map[string]string{"cart.spec.ts": `import { test } from '@playwright/test';
import { Shop } from './shop';
test('buys', async ({ page }) => { await new Shop(page).buy(); });
test('pays', async ({ page }) => { await new Shop(page).buy(); });
test('looks', async ({ page }) => { await new Shop(page).look(); });
`, "shop.ts": `{load}
export class Shop {
  constructor(readonly page: Page, readonly cart = new Cart(page)) {}
  last = 1
  @step('buy')
  async buy(): Promise<{ a: string }> { const cart = this.cart; {use} }
  async look() { const cart = this.cart; {apart} }
}
`}},
		},
	}
}

func typescriptMembers() []member {
	const click = "await this.page.locator('#go').click();"
	call := func(name, source string) member { return member{name: name, source: source, use: "await cart.go();"} }
	return []member{
		call("method", "async go() { "+click+" }"),
		call("modifiers", "public override\n  async go() { "+click+" }"),
		call("generic", "async go<T>(x?: T): Promise<void> { "+click+" }"),
		call("generic with a constraint", "async go<T extends { a: string }, U = Map<string, T>>(x?: T) { "+click+" }"),
		call("promise of an object", "async go(): Promise<{ a: string }> { "+click+" return { a: '' }; }"),
		call("returns an object", "go(): { a: string } { this.page.locator('#go'); return { a: '' }; }"),
		call("returns a map", "async go(): Promise<Map<string, number>> { "+click+" }"),
		call("returns a union", "go(): { a: string } | { b(): void }[] | undefined { this.page.locator('#go'); }"),
		call("returns a function", "go(): (x: { a: string }) => { b: string } { this.page.locator('#go'); }"),
		call("returns a conditional", "go<T>(): T extends { a: 1 } ? { b: 2 } : never { this.page.locator('#go'); }"),
		call("lines", "async\n  go\n  (\n    x = { a: 1 },\n  )\n  : Promise<\n    Map<string,\n      number>\n  >\n  {\n    "+click+"\n  }"),
		call("keyof on a line", "go(): keyof\n  Cart\n  { this.page.locator('#go'); }"),
		call("parameters", "async go({ a = 1 }: { a?: number } = {}, f = () => { return 2; }) { "+click+" }"),
		call("decorated parameter", "async go(@step('x') x?: string) { "+click+" }"),
		call("default of a parameter", "async go(at = this.page.locator('#go')) { await at.click(); }"),
		call("overloads", "go(): Promise<void>;\n  go(x: string): Promise<void>;\n  async go(x?: string) { "+click+" }"),
		call("overloads without semicolons", "go(): Promise<void>\n  go(x: { a: string }): Promise<{ b: string }>\n  async go(x?: unknown) { "+click+" }"),
		call("arrow", "go = async () => { "+click+" };"),
		call("arrow without semicolon", "go = async () => { "+click+" }"),
		call("arrow without a body", "go = () => this.page.locator('#go').click()"),
		call("generic arrow", "go = async <T,>(x?: T): Promise<{ a: T }> => { "+click+" };"),
		call("typed arrow", "readonly go: () => Promise<void> = async () => { "+click+" };"),
		call("arrow typed with objects", "go: (o?: { a: string }) => Promise<{ b: string }> = async () => { "+click+" };"),
		call("optional arrow", "go?: Map<string, { a: string }> = async () => { "+click+" };"),
		call("function", "go = async function stop() { "+click+" };"),
		call("wrapped", "go = once(async () => { "+click+" });"),
		call("wrapped twice", "go = wrap({ name: 'x' }, once(async function stop() { "+click+" }));"),
		call("private", "async go() { await this.#run(); }\n  async #run() { "+click+" }"),
		call("private arrow", "go = async () => { await this.run(); }\n  private run = async (): Promise<{ a: string }> => { "+click+" }"),
		call("quoted", "async 'go'() { "+click+" }"),
		call("computed literal", "async ['go']() { "+click+" }"),
		call("quoted arrow", "'go' = async () => { "+click+" };"),
		call("closure", "async go() { const f = async () => { "+click+" }; await f(); }"),
		call("callback", "async go() { await a.step('stop', async () => { "+click+" }); }"),
		call("named callback", "async go() { await a.step('stop', async function stop() { "+click+" }); }"),
		call("local function", "async go() { async function run(): Promise<{ a: string }> { "+click+" }\n await run(); }"),
		call("object in a method", "async go() { const steps = { run: async () => { "+click+" } }; for (const s of Object.values(steps)) await s(); }"),
		call("named function given back", "go() { return (async function stop() { await a.page.locator('#go').click(); })(); }"),
		call("try", "async go() { try { if (a) { "+click+" } } catch (e) { a(e); } }"),
		call("local without semicolon", "async go() { const b = 1\n const at = this.page.locator('#go')\n await at.click() }"),
		call("all", "async go() { await Promise.all([this.page.waitForURL('x'), this.page.locator('#go').click()]); }"),
		{name: "static", source: "static async go(page: Page): Promise<{ a: string }> { await page.locator('#go').click(); }", use: "await Cart.go(page);"},
		{name: "getter", source: "get go() { return this.page.locator('#go'); }", use: "await cart.go.click();"},
		{name: "typed getter", source: "get go(): { a: Locator } { return { a: this.page.locator('#go') }; }", use: "await cart.go.a.click();"},
		{name: "setter", source: "set go(v: string) { void this.page.locator('#go').fill(v); }", use: "cart.go = 'x';"},
		{name: "accessor", source: "accessor go = this.page.locator('#go');", use: "await cart.go.click();"},
		{name: "field", source: "readonly go = this.page.locator('#go');", use: "await cart.go.click();"},
		{name: "field without semicolon", source: "readonly go: Locator = this.page.locator('#go')", use: "await cart.go.click();"},
		{name: "field of an object", source: "readonly at = { go: this.page.locator('#go'), b: 1 }", use: "await cart.at.go.click();"},
		{name: "field of quoted keys", source: "readonly at = { 'go': this.page.locator('#go'), b: 1 };", use: "await cart.at['go'].click();"},
		{name: "generator", source: "async *go() { yield this.page.locator('#go'); }", use: "for await (const x of cart.go()) await x.click();"},
		{name: "called by its name as text", source: "async go() { " + click + " }", use: "await cart['go']();"},
		{name: "called by a name in a variable", source: "async go() { " + click + " }", use: "const name = 'go'; await cart[name]();"},
		{name: "called by a name in a list", source: "async go() { " + click + " }", use: "for (const name of ['go']) await cart[name]();"},
		{name: "called by a composed name", source: "async go() { " + click + " }", use: "const name = 'o'; await cart[`g${name}`]();"},
		{name: "taken out", source: "go = async () => { " + click + " }", use: "const { go } = cart; await go();"},
		{name: "taken out under another name", source: "go = async () => { " + click + " }", use: "const { go: run } = cart; await run();"},
		{name: "iterated", source: "async *[Symbol.asyncIterator]() { yield this.page.locator('#go'); }", use: "for await (const x of cart) await x.click();"},
		{name: "disposed", source: "async [Symbol.asyncDispose]() { " + click + " }", use: "await using c = cart;"},
		{name: "static block", source: "static { start(async (page) => { await page.locator('#go').click(); }); }", use: "cart.a();"},
		{name: "eager field", source: "ready = this.page.locator('#go').click();", use: "cart.a();"},
	}
}

func typescriptModules() []member {
	const click = "await page.locator('#go').click();"
	const other = "\nexport async function other(page) { await page.locator('#other').click(); }\n"
	of := func(name, source string) member {
		return member{name: name, source: source + other, use: "await go(page);", load: "import { go, other } from './cart';", apart: "await other(page);"}
	}
	cart := func(name, source string) member {
		return member{name: name, source: source, use: "await cart.go();", load: "import { Cart } from './cart';", make: "const cart = new Cart(page);"}
	}
	object := func(name, source string) member {
		return member{name: name, source: source, use: "await cart.go(page);", load: "import { cart } from './cart';", apart: "await cart.other(page);"}
	}
	renamed := func(name, source string) member {
		return member{name: name, source: source, use: "await run(page);", load: "import run from './cart';", apart: "await page.locator('#other').click();"}
	}
	return []member{
		of("function", "export async function go(page: Page) { "+click+" }"),
		of("function behind a constant", "const limit = 1\nexport async function go(page: Page) { "+click+" }"),
		of("generic function", "const limit = 1\nexport async function go<T extends { a: string }>(page: Page): Promise<{ a: T }> { "+click+" }"),
		of("overloaded function", "export function go(page: Page): void\nexport function go(page: Page, x: string): { a: string }\nexport async function go(page: Page, x?: string) { "+click+" }"),
		of("arrow", "const limit = 1\nexport const go = async (page: Page) => { "+click+" }"),
		of("typed arrow", "export const go: (page: Page) => Promise<{ a: string }> = async (page) => { "+click+" }"),
		of("arrow without a body", "const limit = { a: 1 }\nexport const go = (page: Page) => page.locator('#go').click()"),
		of("function value", "export const go = async function stop(page: Page) { "+click+" }"),
		of("wrapped", "export const go = wrap('x', async (page: Page) => { "+click+" })"),
		of("second of two constants", "export const limit = 1, go = async (page: Page) => { "+click+" }"),
		of("exported at the end", "async function run(page: Page): Promise<{ a: string }> { "+click+" }\nexport { run as go }"),
		of("constant", "const selector = '#go'\nexport async function go(page: Page) { await page.locator(selector).click() }"),
		of("enum", "enum Selectors { Stop = '#stop', Go = '#go' }\nexport async function go(page: Page) { await page.locator(Selectors.Go).click() }"),
		of("map", "const selectors = { stop: '#stop', go: '#go' } as const\nexport async function go(page: Page) { await page.locator(selectors.go).click() }"),
		of("namespace", "namespace Steps { export async function run(page: Page) { "+click+" } }\nexport const go = Steps.run"),
		of("given back", "const make = () => async function stop(page: Page) { "+click+" }\nexport const go = make()"),
		of("given back from a block", "function make() { return async function stop(page: Page) { "+click+" } }\nexport const go = make()"),
		of("given back by name", "function make() { const run = async (page: Page) => { "+click+" }\n return run }\nexport const go = make()"),
		renamed("default function", "const limit = 1\nexport default async function go(page: Page): Promise<{ a: string }> { "+click+" }"),
		renamed("default arrow", "const limit = 1\nexport default async (page: Page) => { "+click+" }"),
		renamed("default function without a name", "export default async function (page: Page) { "+click+" }"),
		object("object", "const limit = 1\nexport const cart = {\n  async other(page) {},\n  async go(page: Page) { "+click+" },\n}"),
		object("object of arrows", "export const cart = {\n  other: async (page: Page): Promise<Map<string, number>> => {},\n  go: async (page: Page): Promise<Map<string, number>> => { "+click+" },\n}"),
		object("object of functions", "export const cart = {\n  other: async function (page: Page) {},\n  go: async function stop(page: Page) { "+click+" },\n}"),
		object("object of generic methods", "export const cart = {\n  async other<T>(page: T) {},\n  async go<T, U>(page: T, x?: U): Promise<{ a: T }> { "+click+" },\n}"),
		object("object of quoted names", "export const cart = {\n  async 'other'(page) {},\n  async 'go'(page: Page) { "+click+" },\n}"),
		object("object of quoted arrows", "export const cart = {\n  'other': async (page) => {},\n  'go': async (page: Page) => { "+click+" },\n}"),
		object("object of computed names", "const name = 'go'\nexport const cart = {\n  async other(page) {},\n  async [name](page: Page) { "+click+" },\n}"),
		object("object of wrapped functions", "export const cart = {\n  other: once(() => {}),\n  go: once(async (page: Page) => { "+click+" }),\n}"),
		object("object of functions by name", "async function other(page) {}\nasync function go(page: Page) { "+click+" }\nexport const cart = { other, go }"),
		object("object of functions by other names", "async function look(page) {}\nasync function run(page: Page) { "+click+" }\nexport const cart = { other: look, go: run }"),
		object("frozen object", "export const cart = Object.freeze({\n  async other(page) {},\n  async go(page: Page) { "+click+" },\n})"),
		object("assigned", "export const cart: any = {}\ncart.other = async (page) => {}\ncart.go = async (page: Page) => { "+click+" }"),
		object("assigned by text", "export const cart: any = {}\ncart['other'] = async (page) => {}\ncart['go'] = async (page: Page) => { "+click+" }"),
		object("factory", "const make = (x) => ({\n  async other(page) {},\n  async go(page: Page) { "+click+" },\n})\nexport const cart = make(1)"),
		object("factory of functions", "function make(x) {\n  async function go(page: Page) { "+click+" }\n  async function other(page) {}\n  return { go, other }\n}\nexport const cart = make(1)"),
		cart("class without a name", "export const Cart = class {\n  page = page\n  async other() {}\n  async go() { "+click+" }\n}"),
		cart("class without a name that acts when made", "export const Cart = class extends Base {\n  constructor(page) { super(page); void page.locator('#go').click() }\n  async go() {}\n}"),
		cart("class that acts when made", "export class Cart extends Base<{ a: string }> {\n  a = 1\n  constructor(page) { super(page); void page.locator('#go').click() }\n  async go() {}\n}"),
		cart("mixin", "const Going = <T extends new (...args: any[]) => {}>(Base: T) => class extends Base {\n  async go() { "+click+" }\n}\nexport class Cart extends Going(Page) { async other() {} }"),
		cart("mixin that acts when made", "const Going = (Base) => class extends Base {\n  constructor(page) { super(page); void page.locator('#go').click() }\n}\nexport class Cart extends Going(Page) { async other() {} async go() {} }"),
		cart("abstract", "abstract class Base { abstract run(): Promise<{ a: string }>\n  async go() { await this.run() } }\nexport class Cart extends Base {\n  b = 1\n  override async run() { "+click+" }\n  async other() {} }"),
		cart("interface", "interface Runs { run(): Promise<{ a: string }> }\nexport class Cart implements Runs, Other<{ a: 1 }> {\n  async go() { await this.run() }\n  async run() { "+click+" }\n  async other() {} }"),
		cart("constraint on the class", "export class Cart<T extends { a: string } = { a: '' }> implements Other<{ a: 1 }> {\n  constructor(page) { page.locator('#go').click() }\n  async go() {}\n  async other() {} }"),
		cart("prototype", "export class Cart { async other() {} }\nCart.prototype.go = async function () { "+click+" }"),
	}
}
