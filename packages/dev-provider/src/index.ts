export { calendarClient, type DevClient, mailboxClient } from './clients.js';
export type { Control, Endpoint, Fault } from './control.js';
export type { SecurityEventType } from './security-events.js';
export type { DevProvider, DevProviderOptions } from './start.js';
export { startDevProvider } from './start-dev-provider.js';
export { type Revocation, revokeInAccountPage } from './walk/revoke-in-account-page.js';
export { type Walk, walkConsent } from './walk/walk-consent.js';
