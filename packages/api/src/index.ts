export { asyncApiDocument } from './async-document.js';
export { breaksOf } from './breaks.js';
export { openApiDocument } from './document.js';
export type { Described, Gate } from './operation.js';
export { configurationPage } from './reference/configuration-page.js';
export { strimziTopics, strimziUsers } from './reference/strimzi.js';
