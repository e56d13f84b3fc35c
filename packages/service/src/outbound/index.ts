export {
  connected,
  connector,
  type Opened,
  opener,
  type Resolve,
  systemLookup,
} from './connector.js';
export { outboundCalls } from './outbound-calls.js';
export {
  type KeySet,
  KeysUnavailable,
  keyOf,
  type PublishedKeys,
  publishedKeys,
  withoutNulls,
} from './published-keys.js';
export { retryAfterMs } from './retry-after.js';
