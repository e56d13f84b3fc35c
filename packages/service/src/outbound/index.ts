export { connector, type Opened, opener } from './connector.js';
export { outboundCalls } from './outbound-calls.js';
