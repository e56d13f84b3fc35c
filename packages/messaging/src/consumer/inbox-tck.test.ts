import { describe } from '@jest/globals';
import { inboxTck } from '../../test/tck/inbox-tck.js';
import { memoryInbox } from '../../test/tck/memory-inbox.js';

describe('an inbox', () => {
  inboxTck('in memory', memoryInbox, memoryInbox, 500);
});
