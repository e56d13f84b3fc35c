/** JSON, or what is written in it (RFC 6839, section 3.1), with parameters or without. */
const JSON_TYPE = /^(?:application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const UTF8 = /^utf-?8$/i;
/** CloudEvents, JSON format, sections 3 and 4. */
const STRUCTURED = /^application\/cloudevents\+json\b/i;
const BATCH = /^application\/cloudevents-batch\b/i;

/**
 * How a record of this content-type carries its event (CloudEvents, Kafka binding, section 3): in headers, with data as
 * the value, or all of it as the value. Undefined: it cannot be read.
 */
export function contentMode(contentType = 'application/json'): 'binary' | 'structured' | undefined {
  const charset = CHARSET.exec(contentType)?.[1] ?? 'utf-8';
  if (!JSON_TYPE.test(contentType) || !UTF8.test(charset) || BATCH.test(contentType))
    return undefined;
  return STRUCTURED.test(contentType) ? 'structured' : 'binary';
}
