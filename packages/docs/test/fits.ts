const LOOK_ALIKES = [
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.]\d{3}Z$/,
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
];

/**
 * Lists how an answer differs from the one that a guide shows; empty when it does not. Moments, ids and numbers may
 * differ. `…` stands for any text, any further fields, any elements.
 */
export function differences(shown: unknown, actual: unknown, place = 'answer'): readonly string[] {
  const differs = [`${place}: ${JSON.stringify(shown)} is ${JSON.stringify(actual)}`];
  if (typeof shown === 'string') return isLike(shown, actual) ? [] : differs;
  if (
    typeof shown !== 'object' ||
    shown === null ||
    typeof actual !== 'object' ||
    actual === null
  ) {
    const isSame = typeof shown === 'number' ? typeof actual === 'number' : shown === actual;
    return isSame ? [] : differs;
  }
  if (Array.isArray(shown) !== Array.isArray(actual)) return differs;
  const names = Object.keys(shown);
  const isOpen = names.includes('…') || (Array.isArray(shown) && shown.includes('…'));
  if (isOpen) return [];
  if (names.toSorted().join() !== Object.keys(actual).toSorted().join()) return differs;
  return names.flatMap((name) =>
    differences(
      (shown as Record<string, unknown>)[name],
      (actual as Record<string, unknown>)[name],
      `${place}.${name}`,
    ),
  );
}

function isLike(shown: string, actual: unknown): boolean {
  if (typeof actual !== 'string') return false;
  if (LOOK_ALIKES.some((form) => form.test(shown) && form.test(actual))) return true;
  const [start = '', ...ends] = shown.split('…');
  if (ends.length === 0) return shown === actual;
  return actual.startsWith(start) && actual.endsWith(ends.at(-1) ?? '');
}
