export { type Counted, countedCodec, eventStoreContract } from './testing/event-store-contract.js';
export { type InMemoryEventStore, inMemoryEventStore } from './testing/in-memory-event-store.js';
export { specification } from './testing/specification.js';
