import type { Owner } from '@junction/eventsourcing/postgres';
import { build } from '@junction/telemetry';

/** Returns the owner that the database of a service has, as the version that runs. */
export const ownerOf = (service: string): Owner => ({ service, version: build().version });
