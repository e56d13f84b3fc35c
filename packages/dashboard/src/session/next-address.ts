const HOME = '/';

/**
 * Returns the address to open after sign-in: one of this origin, or its first page. The host is part of it, because a
 * path that was normalized can begin with `//`, and would name another host when it is read again: `/.//evil.example`.
 */
export function nextAddress(wished: unknown, origin: string): string {
  const home = origin + HOME;
  if (typeof wished !== 'string' || !wished.startsWith('/') || !URL.canParse(wished, origin))
    return home;
  const next = new URL(wished, origin);
  if (next.origin !== origin || /^\/(sign-in|sign-up)?$/.test(next.pathname)) return home;
  return origin + next.pathname + next.search;
}
