const NEVER_RIGHT = [null, true, {}, -1, 1e300, '', 'x'.repeat(10_000), '\ud800', 'a\0b'];
const WRONG = {
  text: [...NEVER_RIGHT, 7, [], ['ada'], { ada: 'ada' }],
  texts: [...NEVER_RIGHT, 7, [null], [7], ['\ud800'], [['ada']], { 0: 'ada' }],
  list: [...NEVER_RIGHT, 7, 'ada', [null], [7], ['']],
  time: [...NEVER_RIGHT, 'NaN', '4000000000', [], [4_000_000_000], { now: 1 }],
  scope: [null, true, {}, -1, '\ud800', 'a\0b', 7, [null], [7], [['openid']]],
  object: [...NEVER_RIGHT, 7, [], ['ada'], { ada: null }, { '': {} }],
} satisfies Record<string, readonly unknown[]>;

type ClaimShape = keyof typeof WRONG;

/**
 * Claims that are another type than they must be, or cannot be kept: each of `shapes` with each value that is wrong for
 * it, as rows of `it.each`. The first of a row names it.
 */
export const wrongClaims = (
  shapes: Readonly<Record<string, ClaimShape>>,
): readonly (readonly [name: string, claims: Readonly<Record<string, unknown>>])[] =>
  Object.entries(shapes).flatMap(([claim, shape]) =>
    WRONG[shape].map((value) => {
      const shown = JSON.stringify(value).slice(0, 30);
      return [`${claim} ${shown}`, { [claim]: value }] as const;
    }),
  );
