export {
  type Counted,
  counted,
  type Outcome,
  type Played,
  type Program,
  play,
  programs,
} from './testing/append-program.js';
export {
  type ContractOptions,
  countedCodec,
  eventStoreContract,
} from './testing/event-store-contract.js';
export type { StoredPlace } from './testing/event-store-properties.js';
export { goldenEvents } from './testing/golden-events.js';
export {
  type InMemoryEventStore,
  type InMemoryOptions,
  inMemoryEventStore,
} from './testing/in-memory-event-store.js';
export { specification } from './testing/specification.js';
