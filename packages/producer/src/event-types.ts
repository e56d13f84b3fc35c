import type { DataSchemas } from '@junction/contracts';

/** Kinds of event that an installation has: the five, and the platform's own, whose types of data are `Own`. */
export interface EventTypes<Own extends object> {
  /** Schemas by which events are checked before they are sent, as they are after it. */
  readonly schemas: DataSchemas;
  /** Never there: names the types of data. */
  readonly own?: Own;
}

/**
 * Reads the file that the installation has as EVENT_TYPES_FILE. `Own` has the types of data of the kinds in it; without
 * it the compiler takes any kind and data, and the schemas alone check them. @throws Error that names each mistake with
 * its line
 */
export async function readEventTypes<Own extends object = Record<string, object>>(
  file: string,
): Promise<EventTypes<Own>> {
  // The checks of JSON Schemas are loaded by those alone who have some.
  const { readEventTypes: read } = await import('@junction/contracts/event-types');
  return read(file);
}
