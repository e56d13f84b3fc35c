import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SharedProduct } from '@junction/demo';
import { freePort } from '@junction/testing';
import { PAGES } from '../src/pages/pages.js';
import { differences } from './fits.js';
import { blocksOf, type Step, stepsOf } from './guide.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Outputs of the blocks, and the settings and data of the command and the product. */
const OURS = /^(?:out-\d+|junction|\.junction)$/;

/** The guides in the order of the navigation. */
export const GUIDES = PAGES.map(({ source }) => source)
  .filter((source) => typeof source === 'string')
  .filter((source) => source.startsWith('docs/guides/'));

/**
 * Runs every block of the guides in one shell, in a checkout after the start of `product`. Resolves to how the answers
 * differ from those that the guides show.
 * @throws when a command fails.
 */
export async function runGuides(
  product: SharedProduct,
  shell: 'bash' | 'zsh',
  guides: readonly string[],
): Promise<readonly string[]> {
  const steps = guides.flatMap((guide) => stepsOf(blocksOf(guide)));
  const here = await placed(product);
  const { folder, entries } = checkout(product);
  try {
    const script = steps.map(({ block }, index) => `exec >out-${index}\n${block.text}`);
    await run(shell, folder, here(script.join('\n')));
    const left = readdirSync(folder).filter((name) => !entries.includes(name) && !OURS.test(name));
    if (left.length > 0) return [`The guides left ${left.join(', ')} in the checkout.`];
    return steps.flatMap((step, index) => {
      const output = readFileSync(path.join(folder, `out-${index}`), 'utf8').trim();
      return faultsOf(step, output, here);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function faultsOf({ block, answer }: Step, output: string, here: (text: string) => string) {
  // The output of a receiver goes where that of its block went.
  const isReceiver = / &$/m.test(block.text);
  if (isReceiver && !/[a-z]+[.][a-z]+/.test(output)) return ['A receiver got no event.'];
  if (answer === undefined) return [];
  if (answer.language === 'text') return differences(answer.text, output, block.text);
  return differences(JSON.parse(here(answer.text)), parsed(output), block.text);
}

/** Puts the address of the started product where a page shows that of its gateway, and ports and users of its own. */
async function placed(product: SharedProduct): Promise<(text: string) => string> {
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
function checkout({ dataDir }: SharedProduct) {
  const folder = mkdtempSync(path.join(tmpdir(), 'junction-guides-'));
  const entries = readdirSync(ROOT).filter((entry) => !['.git', '.junction'].includes(entry));
  for (const entry of entries) symlinkSync(path.join(ROOT, entry), path.join(folder, entry));
  symlinkSync(dataDir, path.join(folder, '.junction'));
  return { folder, entries };
}

async function run(shell: string, folder: string, script: string): Promise<void> {
  const { PATH, HOME } = process.env;
  const child = spawn(shell, ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH, HOME, XDG_CONFIG_HOME: folder },
    detached: true,
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  // The whole group: a receiver that a guide left behind is its shell's child.
  if (child.pid !== undefined) stopGroup(child.pid);
  if (code === 0) return;
  const outputs = readdirSync(folder)
    .filter((file) => file.startsWith('out-'))
    .map((file) => `${file}: ${readFileSync(path.join(folder, file), 'utf8')}`);
  throw new Error([`The guides ended with ${code}.`, errors, ...outputs].join('\n'));
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
