import type { ApiKeyEvent } from './api-key/events.js';
import type { ClientEvent } from './client/events.js';
import type { SessionEvent } from './session/events.js';
import type { SigningKeyEvent } from './signing-key/events.js';
import type { UserEvent } from './user/events.js';

/** Everything this service ever records. */
export type AuthEvent = UserEvent | SessionEvent | ApiKeyEvent | ClientEvent | SigningKeyEvent;
