const LINE_ENDS_AND_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
/** Invisible characters, with those that turn the direction of text. Scripts and emoji need the two that join. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;

/**
 * Returns a name that somebody else chose as it may be shown: on one line, without characters that control, hide or
 * turn what stands around them, and without halves of surrogate pairs. Empty when nothing is left.
 */
export const oneLine = (name: string, charsMax: number): string =>
  name
    .replaceAll(LINE_ENDS_AND_CONTROLS, ' ')
    .replaceAll(INVISIBLE, '')
    .trim()
    .slice(0, charsMax)
    .replaceAll(/\p{Surrogate}/gu, '')
    .trim();
