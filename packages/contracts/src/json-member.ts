const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** The white space of JSON (RFC 8259, section 2). */
const BLANKS = new Set<number | undefined>([0x20, 0x09, 0x0a, 0x0d]);

/**
 * The bytes of a member's value as they stand in a JSON object; undefined when it has no such member. Of a name that
 * is there twice the last counts, as for JSON.parse.
 *
 * @param object a valid JSON object in UTF-8
 */
export function memberBytes(object: Buffer, name: string): Buffer | undefined {
  let found: Buffer | undefined;
  let at = afterBlanks(object, object.indexOf(OPEN) + 1);
  while (object[at] === QUOTE) {
    const nameEnd = endOfString(object, at);
    const isNamed = JSON.parse(object.toString('utf8', at, nameEnd)) === name;
    const valueAt = afterBlanks(object, object.indexOf(COLON, nameEnd) + 1);
    const valueEnd = endOfValue(object, valueAt);
    if (isNamed) found = object.subarray(valueAt, valueEnd);
    const comma = afterBlanks(object, valueEnd);
    at = afterBlanks(object, comma + 1);
  }
  return found;
}

function afterBlanks(json: Buffer, start: number): number {
  let at = start;
  while (BLANKS.has(json[at])) at++;
  return at;
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < json.length) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === OPEN || byte === OPEN_LIST) {
      depth++;
      at++;
    } else if (depth > 0) {
      if (byte === CLOSE || byte === CLOSE_LIST) depth--;
      at++;
    } else if (byte === COMMA || byte === CLOSE || BLANKS.has(byte)) return at;
    else at++;
  }
  return at;
}
