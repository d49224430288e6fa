import type { Page } from "@playwright/test";
import { CustomerForm } from "../components/customer-form";

export class CustomersPage {
  readonly form: CustomerForm;

  constructor(readonly page: Page) {
    this.form = new CustomerForm(page.locator(".customer"));
  }

  async open() {
    await this.page.goto("/customers.html");
    return this;
  }
}
