import { broken } from './event-problem.js';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The object that these bytes are the JSON of (RFC 8259, in UTF-8 without a byte order mark), or why they are none. */
export function jsonObjectIn(value: Buffer | null) {
  if (value === null || value.length === 0) return broken('data_missing');
  if (value.subarray(0, BOM.length).equals(BOM)) return broken('data_has_bom');

  let json: string;
  try {
    json = utf8.decode(value);
  } catch {
    return broken('data_not_utf8');
  }

  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch {
    return broken('data_not_json');
  }

  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return broken('data_not_object');
  }
  return { ok: true, object: data as Readonly<Record<string, unknown>> } as const;
}
