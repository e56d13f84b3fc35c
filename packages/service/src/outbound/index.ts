export {
  connected,
  connector,
  type Opened,
  opener,
  type Resolve,
  systemLookup,
} from './connector.js';
export { outboundCalls } from './outbound-calls.js';
