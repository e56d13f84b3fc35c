export { connector } from './connector.js';
