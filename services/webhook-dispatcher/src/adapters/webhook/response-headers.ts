/** Returns the names and values of headers that are kept as lines of `name: value`. */
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
