export { readEndpoints } from './endpoints.js';
export { connect, consent, type Person, signUp } from './person.js';
export { type Product, startProduct } from './product.js';
export { outages } from './rolling/outages.js';
export { type RollingRestart, rollingRestart, rollingUpgrade } from './rolling/rolling-restart.js';
export { lendProduct, type SharedProduct, sharedProduct } from './shared-product.js';
export { tellStory } from './story.js';
export { tellTrouble } from './trouble.js';
export { serviceToken, worker } from './worker.js';
