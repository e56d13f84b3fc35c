export { calendarClient, type DevClient, mailboxClient } from './clients.js';
export type { Endpoint, Fault } from './control.js';
export {
  type ProviderProcess,
  type ProviderProcessOptions,
  startProviderProcess,
} from './provider-process.js';
export type { RemoteControl } from './remote-control.js';
export type { SecurityEventType } from './security-events.js';
export {
  type Revocation,
  revokeInAccountPage,
  type Walk,
  walkConsent,
} from './walk/walk-consent.js';
