export { type Behaviour, type Inbox, inboxTck, type OpenInbox } from './testing/inbox-tck.js';
export { memoryInbox } from './testing/memory-inbox.js';
export { memoryOutbox } from './testing/memory-outbox.js';
export {
  type OpenOutbox,
  type Outbox,
  outboxTck,
  type Published,
  type Trouble,
} from './testing/outbox-tck.js';
