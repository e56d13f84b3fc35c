import type { Platform } from '@junction/platform';
import type { Config } from '../config.js';
import type { ConnectionEvent } from '../domain/connection/events.js';

/** The platform as this service's parts see it. */
export type IntegrationsPlatform = Platform<Config, ConnectionEvent>;
