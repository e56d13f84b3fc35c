import { randomBytes, randomUUID } from 'node:crypto';
import { newId } from '@junction/contracts';
import type { Platform } from '@junction/service';
import type { Config } from '../config.js';
import type { AuthEvent } from '../domain/auth-event.js';

/** The platform as this service's parts see it. */
export type AuthPlatform = Platform<Config, AuthEvent>;

export const now = (): Date => new Date();

/** Ports that make ids and secrets. */
export const randomness = {
  newUserId: randomUUID,
  newSessionId: () => newId('ses'),
  newKeyId: () => newId('key'),
  newClientId: () => newId('cli'),
  newPasskeyId: () => newId('pky'),
  newPortalId: () => newId('ptl'),
  random: randomBytes,
};
