import { describe } from '@jest/globals';
import { memoryOutbox } from '../testing/memory-outbox.js';
import { outboxTck } from '../testing/outbox-tck.js';

describe('an outbox', () => {
  outboxTck('in memory', memoryOutbox, memoryOutbox, 500);
});
