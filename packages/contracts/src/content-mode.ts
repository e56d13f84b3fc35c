/** JSON, or what is written in it (RFC 6839, section 3.1). */
const JSON_TYPE = /^(?:application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)$/;
const UTF8 = ['utf-8', 'utf8', '"utf-8"', '"utf8"'];
/** CloudEvents, JSON format, sections 3 and 4. */
const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';

/**
 * Returns how a record of this content type carries its event (CloudEvents, Kafka binding, section 3): in headers,
 * with data as the value, or all of it in the value. Undefined: the record cannot be read.
 */
export function contentMode(contentType = 'application/json'): 'binary' | 'structured' | undefined {
  const [type = ''] = partsOf(contentType.toLowerCase(), ';');
  if (!JSON_TYPE.test(type) || type === BATCH || !isInUtf8(contentType)) return undefined;
  return type === STRUCTURED ? 'structured' : 'binary';
}

/** Tells whether a content type names UTF-8 as its charset, or none. Other parameters don't matter. */
export function isInUtf8(contentType: string): boolean {
  const [, ...parameters] = partsOf(contentType.toLowerCase(), ';');
  return parameters.every((parameter) => {
    const [name, value = ''] = partsOf(parameter, '=');
    return name !== 'charset' || UTF8.includes(value);
  });
}

const partsOf = (text: string, separator: string): readonly string[] =>
  text.split(separator).map((part) => part.trim());
