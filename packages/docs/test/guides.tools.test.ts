import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { dataSchemas, isEventKind } from '@junction/contracts';
import { type SharedProduct, sharedProduct } from '@junction/demo';
import { freePort } from '@junction/testing';
import { PAGES } from '../src/pages/pages.js';
import { differences } from './fits.js';
import { type Block, blocksOf, isAnswer, stepsOf } from './guide.js';

const MINUTE = 60_000;
const ROOT = path.resolve(import.meta.dirname, '../../..');
/** The guides in the order of the navigation. */
const GUIDES = PAGES.map(({ source }) => source)
  .filter((source) => typeof source === 'string')
  .filter((source) => source.startsWith('docs/guides/'));

let product: SharedProduct;
const folders: string[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  product = await sharedProduct(process.env);
}, 4 * MINUTE);
afterAll(async () => {
  expect(await product?.stop()).toBe(0);
}, MINUTE);
afterEach(() => {
  // The whole group: what a guide starts in the background is its shell's child.
  for (const { pid } of children.splice(0)) if (pid !== undefined) stopGroup(pid);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe.each(GUIDES)('%s', (guide) => {
  const blocks = blocksOf(guide);

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

// A page that needs another one before it, or spoils another one after it, fails in one of the two orders.
it.each([
  ['first to last, in bash', 'bash', GUIDES],
  ['last to first, in zsh', 'zsh', GUIDES.toReversed()],
])(
  'the guides work as printed, all in one shell: %s',
  async (_, shell, guides) => {
    const steps = guides.flatMap((guide) => stepsOf(blocksOf(guide)));
    const here = await placed();
    const folder = checkout();
    const script = steps.map(({ block }, index) => `exec >out-${index}\n${block.text}`).join('\n');
    await run(shell, folder, here(script));

    for (const [index, { block, answer }] of steps.entries()) {
      const output = readFileSync(path.join(folder, `out-${index}`), 'utf8').trim();
      // The output of a receiver goes where its block went.
      if (/ &$/m.test(block.text)) expect(output).toMatch(/[a-z]+[.][a-z]+/);
      if (answer === undefined) continue;
      const shown = answer.language === 'json' ? JSON.parse(here(answer.text)) : answer.text;
      expect(differences(shown, answer.language === 'json' ? parsed(output) : output)).toEqual([]);
    }
  },
  5 * MINUTE,
);

/** Shell and what it answers are run here, TypeScript is compiled with the READMEs, http and html only show. */
function isProved(block: Block, before: Block | undefined): boolean {
  if (block.language === 'sh') return true;
  if (isAnswer(block)) return before?.language === 'sh' && before.notRun === undefined;
  return block.isEvent || ['ts', 'http', 'html'].includes(block.language);
}

/** Puts the address of the started product where a page shows that of its gateway, and ports and users of its own. */
async function placed(): Promise<(text: string) => string> {
  const gateway = product.endpoints.gateway.replace(/\/$/, '');
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const account = randomUUID().slice(0, 8);
  return (text) =>
    text
      .replaceAll(/\b900([012])\b/g, (_, place: string) => String(ports[Number(place)]))
      .replaceAll('http://localhost:8080', gateway)
      .replaceAll(/(\w+)@example[.]com/g, `$1.${account}@example.com`);
}

/** A checkout after `npm start`: everything of this one, with the data of the started product. */
function checkout(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'junction-guides-'));
  folders.push(folder);
  const entries = readdirSync(ROOT).filter((entry) => !['.git', '.junction'].includes(entry));
  for (const entry of entries) symlinkSync(path.join(ROOT, entry), path.join(folder, entry));
  symlinkSync(product.dataDir, path.join(folder, '.junction'));
  return folder;
}

async function run(shell: string, folder: string, script: string): Promise<void> {
  const { PATH, HOME } = process.env;
  const child = spawn(shell, ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH, HOME, XDG_CONFIG_HOME: folder },
    detached: true,
  });
  children.push(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  const outputs = () =>
    readdirSync(folder)
      .filter((file) => file.startsWith('out-'))
      .map((file) => `${file}: ${readFileSync(path.join(folder, file), 'utf8')}`);
  if (code !== 0)
    throw new Error([`The guides ended with ${code}.`, errors, ...outputs()].join('\n'));
}

/** The value of a JSON text. A text that is none stays what it is, so that a difference shows it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function stopGroup(pid: number): void {
  try {
    process.kill(-pid);
  } catch {
    // The whole group has ended by itself.
  }
}
