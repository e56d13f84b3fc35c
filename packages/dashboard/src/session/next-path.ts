const HOME = '/integrations';

/** Returns the path to open after sign-in: one of this origin, or the first page. Never another origin. */
export function nextPath(wished: unknown): string {
  if (typeof wished !== 'string' || !wished.startsWith('/')) return HOME;
  const base = 'https://here.invalid';
  if (!URL.canParse(wished, base)) return HOME;
  const { origin, pathname, search } = new URL(wished, base);
  if (origin !== base || /^\/(sign-in|sign-up)?$/.test(pathname)) return HOME;
  return pathname + search;
}
