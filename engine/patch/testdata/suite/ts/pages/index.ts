export { BasePage } from './base.page';
export * from './checkout.page';
export { CartPage as Cart } from './cart.page';
