import { jestHooks } from '@junction/testing';
import { type SharedProduct, sharedProduct } from './shared-product.js';

const MINUTE = 60_000;

/** Has the shared product before the first test of a file, and gives it back after the last. */
export function useProduct(): () => SharedProduct {
  const { beforeAll, afterAll } = jestHooks();
  let product: SharedProduct | undefined;
  beforeAll(async () => {
    product = await sharedProduct(process.env);
  }, 4 * MINUTE);
  afterAll(async () => {
    const code = await product?.stop();
    if (code !== 0) throw new Error(`The product ended with ${code}.`);
  });
  return () => {
    if (product === undefined) throw new Error('The product is there from beforeAll on.');
    return product;
  };
}
