import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { dataSchemas, isEventKind } from '@junction/contracts';
import { type SharedProduct, sharedProduct } from '@junction/demo';
import { freePort } from '@junction/testing';
import { differences } from './fits.js';
import { type Block, blocksOf, isAnswer, stepsOf } from './guide.js';

const MINUTE = 60_000;
const ROOT = path.resolve(import.meta.dirname, '../../..');
const GUIDES = readdirSync(path.join(ROOT, 'docs/guides')).filter((file) => file.endsWith('.md'));

/** Helpers that the examples may run besides programs: one agrees on a provider's pages, one receives webhooks. */
const HELPERS = {
  'consent.mjs': `
import { walkConsent } from '@junction/dev-servers/provider';
const credentials = { email: 'ada@example.com', password: 'any', allow: true };
const back = await walkConsent(process.argv[2], credentials);
console.log(back.searchParams.get('code'));
`,
  'hooks.mjs': `
import { createServer } from 'node:http';
createServer((request, response) => request.resume().on('end', () => response.end())).listen(9000);
`,
};
const PRELUDE = `
set -euo pipefail
consent() { node consent.mjs "$1"; }
listening() { until (exec 3<>/dev/tcp/localhost/9000) 2>/dev/null; do sleep 0.1; done; }
serve_hooks() { node hooks.mjs & listening; }
`;

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

  it(
    'works as it is written',
    async () => {
      const steps = stepsOf(blocks);
      const here = await placed();
      const folder = mkdtempSync(path.join(ROOT, 'node_modules', '.guide-'));
      folders.push(folder);
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
      for (const [name, text] of Object.entries(HELPERS)) {
        writeFileSync(path.join(folder, name), here(text));
      }
      for (const { file, text } of blocks) {
        if (file !== undefined) writeFileSync(path.join(folder, file), here(text));
      }
      await run(
        folder,
        here(PRELUDE + steps.map(({ block }, index) => scriptOf(block, index)).join('\n')),
      );

      for (const [index, { block, answer }] of steps.entries()) {
        const output = readFileSync(path.join(folder, `out-${index}`), 'utf8').trim();
        if (block.isInBackground) expect(output).not.toBe('');
        if (answer?.language === 'text') expect(output).toBe(answer.text.trim());
        if (answer?.language === 'json') {
          expect(differences(JSON.parse(here(answer.text)), JSON.parse(output))).toEqual([]);
        }
      }
    },
    3 * MINUTE,
  );
});

/** Shell and what it answers are run here, TypeScript is compiled with the READMEs, http and html only show. */
function isProved(block: Block, before: Block | undefined): boolean {
  if (block.language === 'sh') return true;
  if (block.language === 'js') return block.file !== undefined;
  if (isAnswer(block)) return before?.language === 'sh' && before.notRun === undefined;
  return block.isEvent || ['ts', 'http', 'html'].includes(block.language);
}

/** A block in the shell of its guide, its output apart. */
function scriptOf({ given, text, isInBackground }: Block, index: number): string {
  const block = `{\n${text}\n} >out-${index}`;
  return `${given}\n${block}${isInBackground ? ' &\nlistening' : ''}\n`;
}

/** Puts the places of the started product where a guide has those of `npm start`. */
async function placed(): Promise<(text: string) => string> {
  const { gateway, kafka, grpc } = product.endpoints;
  const port = String(await freePort());
  const account = randomUUID().slice(0, 8);
  return (text) =>
    text
      .replaceAll('localhost:8080', new URL(gateway).host)
      .replaceAll('localhost:9092', kafka)
      .replaceAll('127.0.0.1:7103', grpc.webhooks)
      .replaceAll(/\b9000\b/g, port)
      .replaceAll(/(\w+)@example[.]com/g, `$1.${account}@example.com`);
}

async function run(folder: string, script: string): Promise<void> {
  const { dataDir, endpoints } = product;
  const env = {
    ...process.env,
    JUNCTION_DATA_DIR: dataDir,
    WORKER_SECRET: endpoints.worker.client_secret,
    PRODUCER_SECRET: endpoints.producer.client_secret,
  };
  const child = spawn('bash', ['-c', script], { cwd: folder, env, detached: true });
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
    throw new Error([`The guide ended with ${code}.`, errors, ...outputs()].join('\n'));
}

function stopGroup(pid: number): void {
  try {
    process.kill(-pid);
  } catch {
    // The whole group has ended by itself.
  }
}
