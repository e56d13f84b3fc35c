export { apiAt, type Call } from './api.js';
export { readEndpoints } from './endpoints.js';
export { type Product, startProduct } from './product.js';
export { outages } from './rolling/outages.js';
export { type RollingRestart, rollingRestart } from './rolling/rolling-restart.js';
export { lendProduct, type SharedProduct, sharedProduct } from './shared-product.js';
export { tellStory } from './story.js';
export { serviceToken, worker } from './worker.js';
