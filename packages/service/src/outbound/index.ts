export { connector } from './connector.js';
export { outboundCalls } from './outbound-calls.js';
