export const CHECKOUT_ROOT = 'form#checkout';

export enum Checkout {
  apply = 'button.apply-promo',
  unused = '.never-used',
}

export const steps = {
  shipping: {
    express: 'input[value="express"]',
    'standard-rate': 'input[value="standard"]',
  },
  payment: Object.freeze({
    card: '#card-number',
  }),
} as const;

export const texts = ['.first-text', '.second-text'];
