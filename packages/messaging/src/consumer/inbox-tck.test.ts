import { describe } from '@jest/globals';
import { inboxTck } from '../testing/inbox-tck.js';
import { memoryInbox } from '../testing/memory-inbox.js';

describe('an inbox', () => {
  inboxTck('in memory', memoryInbox, memoryInbox, 500);
});
