import { test as base } from "@playwright/test";
import { CustomersPage } from "./pages/customers-page";
import { ReportsPage } from "./pages/reports-page";
import { SettingsPage } from "./pages/settings-page";
import { TicketPage } from "./pages/ticket-page";
import { TicketsPage } from "./pages/tickets-page";

export { expect } from "@playwright/test";

type Pages = { tickets: TicketsPage; ticket: TicketPage; customers: CustomersPage; reports: ReportsPage; settings: SettingsPage };

export const test = base.extend<Pages>({
  // The desk's log tells by this header which test a request is of.
  extraHTTPHeaders: async ({}, use, testInfo) => {
    await use({ "x-test": encodeURIComponent(`${testInfo.titlePath.join(" › ")} [${testInfo.project.name}]`) });
  },
  tickets: async ({ page }, use) => use(await new TicketsPage(page).open()),
  ticket: async ({ page }, use) => use(await new TicketPage(page).open()),
  customers: async ({ page }, use) => use(await new CustomersPage(page).open()),
  reports: async ({ page }, use) => use(await new ReportsPage(page).open()),
  settings: async ({ page }, use) => use(await new SettingsPage(page).open()),
});
