export interface Params {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
}

/** The request target of a path as the API's document has it (`/api/webhooks/{id}`), with its parameters. */
export function requestTarget(path: string, { path: named = {}, query = {} }: Params): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(named[name] ?? ''));
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}
