import type { Platform } from '@junction/service';
import type { Config } from '../config.js';
import type { ConnectionEvent } from '../domain/connection/events.js';

/** The platform as this service's parts see it. */
export type IntegrationsPlatform = Platform<Config, ConnectionEvent>;

export const now = (): Date => new Date();

/** Milliseconds on a clock that only goes forward. */
export const monotonicMs = (): number => performance.now();
