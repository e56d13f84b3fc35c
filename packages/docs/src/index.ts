export { asyncApiDocument } from './asyncapi/async-document.js';
export { breaksOf } from './openapi/breaks.js';
export type { Described, Gate } from './openapi/described.js';
export { openApiDocument } from './openapi/document.js';
export { configurationPage } from './reference/configuration-page.js';
export { strimziTopics, strimziUsers } from './reference/strimzi.js';
