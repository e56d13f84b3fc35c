const MINUTE_MS = 60_000;

/** Formats a moment in the reader's time zone for a field of the type datetime-local; empty without a moment. */
export function localTime(moment: string | undefined): string {
  if (moment === undefined) return '';
  const at = new Date(moment);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** The moment (ISO 8601) that such a field says; undefined: it is empty. */
export const momentOf = (local: string): string | undefined =>
  local === '' ? undefined : new Date(local).toISOString();
