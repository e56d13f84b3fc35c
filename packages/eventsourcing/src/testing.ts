export { type Counted, counted, countedCodec } from './testing/counted.js';
export { goldenEvents } from './testing/golden-events.js';
export { specification } from './testing/specification.js';
