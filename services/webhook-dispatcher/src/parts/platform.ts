import type { Platform } from '@junction/service';
import type { Config } from '../config.js';
import type { WebhookEvent } from '../domain/webhook/events.js';

/** The platform as this service's parts see it. */
export type DispatcherPlatform = Platform<Config, WebhookEvent>;

export const now = (): Date => new Date();
