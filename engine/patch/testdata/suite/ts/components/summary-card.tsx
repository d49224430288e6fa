import { type Locator } from '@playwright/test';

export class SummaryCard {
  constructor(private readonly root: Locator) {}

  total() {
    return this.root.getByText('Order total');
  }
}

export const Preview = () => <p title="Order preview">{'it\'s "here"'}</p>;
