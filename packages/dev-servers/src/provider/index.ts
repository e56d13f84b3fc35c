export {
  calendarClient,
  globexCalendarClient,
  globexMailboxClient,
  mailboxClient,
  signInClient,
} from './clients.js';
export { type ProviderProcess, startProviderProcess } from './provider-process.js';
export type { SecurityEventType } from './security-events.js';
export { revokeInAccountPage, walkConsent } from './walk/walk-consent.js';
