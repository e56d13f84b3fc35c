const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Returns the first number in JSON text that a browser would send as a different one, such as 9007199254740993;
 * undefined when there is none.
 */
export const lostNumber = (json: string): string | undefined =>
  json.match(STRING_OR_NUMBER)?.find((token) => !token.startsWith('"') && isLost(token));

const isLost = (literal: string): boolean =>
  significant(literal) !== significant(String(Number(literal)));

/** The digits of a number, without zeros at either end. */
const significant = (literal: string): string =>
  literal
    .replace(/[eE].*/, '')
    .replaceAll(/[-.]/g, '')
    .replaceAll(/^0+|0+$/g, '');
