export type { ReceivedMail } from './mailbox.js';
export { type DevMail, type DevMailOptions, startDevMail } from './start.js';
