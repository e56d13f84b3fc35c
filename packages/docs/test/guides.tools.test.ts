import { describe, expect, it } from '@jest/globals';
import { dataSchemas, isEventKind } from '@junction/contracts';
import { useProduct } from '@junction/demo';
import { type Block, blocksOf, isAnswer, stepsOf } from './guide.js';
import { GUIDES, runGuides } from './run-guides.js';

const MINUTE = 60_000;
const product = useProduct();

describe.each(GUIDES)('%s', (guide) => {
  const blocks = blocksOf(guide);

  it('takes every value from a command of its own', () => {
    const script = stepsOf(blocks)
      .map(({ block }) => block.text)
      .join('\n');
    // The shell itself sets PWD.
    const isSet = (name: string, place: number) =>
      name === 'PWD' ||
      new RegExp(`^ *(?:export [\\w ]*)?${name}=`, 'm').test(script.slice(0, place));
    const lent = [...script.matchAll(/\$([A-Z]\w*)/g)]
      .filter(({ 1: name = '', index }) => !isSet(name, index))
      .map(([use]) => use);
    expect(lent).toEqual([]);
  });

  it('has no example that nothing proves', () => {
    expect(blocks.filter((block, place) => !isProved(block, blocks[place - 1]))).toEqual([]);
  });

  it('shows events that keep their schema', () => {
    for (const { text } of blocks.filter(({ isEvent }) => isEvent)) {
      const event = JSON.parse(text) as { event_type: string; data: object };
      expect(Object.keys(event)).toEqual([
        'event_type',
        'user_id',
        'data',
        'timestamp',
        'webhook_id',
      ]);
      const kind = isEventKind(event.event_type) ? event.event_type : undefined;
      expect(dataSchemas[kind ?? 'inbox.organized'].safeParse(event.data)).toMatchObject({
        success: kind !== undefined,
      });
    }
  });
});

it(
  'the guides work as they are printed, all in one shell, in the order of the navigation',
  async () => {
    expect(await runGuides(product(), 'bash', GUIDES)).toEqual([]);
  },
  3 * MINUTE,
);

/** Shell and what it answers are run here, TypeScript is compiled with the READMEs, http and html only show. */
function isProved(block: Block, before: Block | undefined): boolean {
  if (block.language === 'sh') return true;
  if (isAnswer(block)) return before?.language === 'sh' && before.notRun === undefined;
  return block.isEvent || ['ts', 'http', 'html'].includes(block.language);
}
