/** Most bytes that are kept of a response's headers. */
const HEADERS_BYTES_MAX = 4 * 1_024;

/** Headers as lines of `name: value`, in their order, as many as fit whole into 4 KiB. */
export function headerLines(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  let lines = '';
  let bytes = 0;
  for (const [name, value] of fields) {
    const line = `${name}: ${value}`;
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > HEADERS_BYTES_MAX) break;
    lines += lines === '' ? line : `\n${line}`;
  }
  return Buffer.from(lines);
}

/** The headers again, each name with its values. */
export function headersOf(lines: Buffer): readonly (readonly [name: string, value: string])[] {
  if (lines.length === 0) return [];
  return lines
    .toString()
    .split('\n')
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    });
}
