import type { Locator } from "@playwright/test";

/** A table whose rows are known by a text. */
export class Table {
  readonly rows: Locator;
  readonly selectAll: Locator;

  constructor(readonly root: Locator) {
    this.rows = root.locator("tbody tr");
    this.selectAll = root.locator("#select-all");
  }

  row(text: string): Row {
    return new Row(this.rows.filter({ hasText: text }));
  }

  async sortByPriority() {
    await this.root.locator(".sort-priority").click();
  }
}

export class Row {
  constructor(readonly root: Locator) {}

  async open() {
    await this.root.locator(".open").click();
  }

  async close() {
    await this.root.locator(".close-btn").click();
  }
}
