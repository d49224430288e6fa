import type { Locator } from "@playwright/test";

export type Customer = { name?: string; email: string; country?: string; since?: string; company?: boolean; news?: boolean };

/** The form that changes a customer. */
export class CustomerForm {
  constructor(readonly root: Locator) {}

  async enter(customer: Customer) {
    await this.root.locator("[name=email]").fill(customer.email);
    if (customer.name) await this.root.locator("[name=name]").fill(customer.name);
    if (customer.country) await this.root.locator("[name=country]").selectOption(customer.country);
    if (customer.since) await this.root.locator("#since").fill(customer.since);
    if (customer.company) await this.root.locator("#company").check();
    if (customer.news) await this.root.locator("[name=news]").check();
  }

  async save() {
    await this.root.locator(".save").click();
  }
}
