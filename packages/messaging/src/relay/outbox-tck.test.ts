import { describe } from '@jest/globals';
import { memoryOutbox } from '../../test/tck/memory-outbox.js';
import { outboxTck } from '../../test/tck/outbox-tck.js';

describe('an outbox', () => {
  outboxTck('in memory', memoryOutbox, 500);
});
