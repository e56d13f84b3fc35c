import { catalogueOf, type EventCatalogue } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { kindHistory } from '../adapters/postgres/event-types/kind-history.js';
import { acceptKinds } from '../application/event-types/accept-kinds.js';
import type { DispatcherPlatform } from './platform.js';

/** Reads the kinds of events of this installation, and takes over what is new. @throws Error that says what is wrong */
export async function openEventTypes({
  config,
  pool,
}: DispatcherPlatform): Promise<EventCatalogue> {
  const catalogue = await catalogueIn(config.eventTypesFile);
  await inTransaction(pool, async (tx) => acceptKinds(kindHistory(tx), catalogue));
  return catalogue;
}

/** Throws one error that names every mistake in EVENT_TYPES_FILE, whatever else is wrong with the environment. */
export const checkEventTypes = async ({ EVENT_TYPES_FILE: file }: NodeJS.ProcessEnv) =>
  catalogueIn(file);

/** Loads the checks of JSON Schemas only where there are any: they take some megabytes. */
async function catalogueIn(file: string | undefined): Promise<EventCatalogue> {
  if (!file) return catalogueOf();
  const { readEventTypes } = await import('@junction/contracts/event-types');
  return readEventTypes(file);
}
