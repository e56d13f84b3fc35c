import type { JunctionClient } from '@junction/client';
import type { Webhook } from '../../api/answers.js';

/** Webhooks whose marks the API gives at once. */
const WEBHOOKS_MAX = 100;

/** Returns the marks of the last attempts of each webhook, by its id. */
export async function marksOf(
  api: JunctionClient,
  webhooks: readonly Webhook[],
): Promise<ReadonlyMap<string, string>> {
  const marks = new Map<string, string>();
  for (let n = 0; n < webhooks.length; n += WEBHOOKS_MAX) {
    const ids = webhooks.slice(n, n + WEBHOOKS_MAX).map(({ webhook_id: id }) => id);
    const query = { webhook_ids: ids.join() };
    const found = await api.get('/api/webhooks/stats', { params: { query } });
    for (const one of found.webhooks ?? []) marks.set(one.webhook_id, one.marks);
  }
  return marks;
}

/** Dots of a character of Braille from the bottom up, in its left and in its right column. */
const LEFT = [0x40, 0x04, 0x02, 0x01];
const RIGHT = [0x80, 0x20, 0x10, 0x08];
const BLANK = 0x28_00;

/**
 * Draws the strip of the dashboard with two attempts in each character, the newest at the end. A success has one to
 * three dots, the more the longer it took; any other answer has four; where none came, the dots in the middle are left
 * out.
 */
export function strip(marks: string): string {
  const even = marks.padStart(marks.length + (marks.length % 2));
  const pairs = even.match(/../g) ?? [];
  return pairs
    .map(([left = '', right = '']) =>
      String.fromCodePoint(BLANK + dots(LEFT, left) + dots(RIGHT, right)),
    )
    .join('');
}

function dots(column: readonly number[], mark: string): number {
  return heights(mark).reduce((sum, height) => sum + (column[height] ?? 0), 0);
}

/** Successes within 100 ms have one dot, those within a second two. */
function heights(mark: string): readonly number[] {
  if (mark === ' ') return [];
  if (mark === 'x') return [0, 1, 2, 3];
  if (mark === '!') return [0, 3];
  return [0, 1, 2].slice(0, Number(mark) <= 3 ? 1 : Number(mark) <= 5 ? 2 : 3);
}
