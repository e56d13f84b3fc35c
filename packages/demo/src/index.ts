export { type Endpoints, readEndpoints } from './endpoints.js';
export { newSite, ROOT, type Site } from './parts/site.js';
export { connect, consent, type Person, signUp } from './person.js';
export { type Product, startProduct } from './product.js';
export { lendProduct, type SharedProduct, sharedProduct } from './shared-product.js';
export { tellStory } from './story.js';
export { tellTrouble } from './trouble.js';
export { useProduct } from './use-product.js';
export { serviceToken, worker } from './worker.js';
