import { afterAll, beforeAll } from '@jest/globals';
import { type Product, startProduct } from '@junction/demo';
import { MATRIX_SETTINGS, matrixCases } from '../../acceptance/test/matrix/cases.js';
import { commandsOf, MINUTE, type Publisher, publisher, userWithWebhook } from './operator.js';
import { consumerCases } from './operators/consumers.js';
import { keyCases } from './operators/keys.js';
import { readModelCases } from './operators/read-models.js';
import { secretCases } from './operators/secrets.js';
import { sendingCases } from './operators/sending.js';
import { endCases, startCases } from './operators/start.js';

// These cases need a product of their own: other tests would notice their effects, or would disturb their counts.
let product: Product;
let events: Publisher;
let user: Awaited<ReturnType<typeof userWithWebhook>>;

beforeAll(async () => {
  product = await startProduct(process.env, MATRIX_SETTINGS);
  [events, user] = await Promise.all([publisher(product), userWithWebhook(product)]);
}, 4 * MINUTE);

afterAll(async () => {
  await events?.close();
  await product?.stop();
}, MINUTE);

const operated = {
  product: () => product,
  events: () => events,
  user: () => user,
  ...commandsOf(() => product),
};
startCases(operated);
consumerCases(operated);
sendingCases(operated);
readModelCases(operated);
secretCases(operated);
keyCases(operated);
matrixCases(() => product);
endCases(operated);
