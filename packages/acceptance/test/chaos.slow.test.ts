import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drawSchedule, faultInWords } from '../src/chaos/schedule.js';

const MINUTE = 60_000;
const PROGRAM = path.resolve(import.meta.dirname, '../dist/chaos/main.js');

/** Kafka, Postgres, a writer, a consumer and a relay are killed, and the other relay sleeps past its lease. */
const SEED = 14_217;
const KILLS = 5;

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'chaos-'));
  chmodSync(dataDir, 0o755); // as root, Postgres runs as somebody else
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe('npm run chaos', () => {
  it(
    'finds that every promise was kept, says what happened, and leaves nothing behind',
    async () => {
      const { code, output } = await chaos('--seed', `${SEED}`, '--kills', `${KILLS}`);
      expect(output).toMatch(new RegExp(`^Seed ${SEED}: every promise was kept\\.$`, 'm'));
      expect(code).toBe(0);

      for (const fault of drawSchedule(SEED, KILLS)) expect(output).toContain(faultInWords(fault));
      expect(output).toMatch(/^effects {7}[1-9]\d*$/m);
      expect(output).toMatch(/^kills {9}5, of them postgres 1, kafka 1$/m);
      expect(readdirSync(path.join(dataDir, 'chaos'))).toEqual([]);
      expect(processesOn(dataDir)).toEqual([]);
    },
    6 * MINUTE,
  );

  it('starts nothing when it is told what it cannot do', async () => {
    const { code, output } = await chaos('--seed', 'x', '--kills', '-1');
    expect(code).toBe(2);
    expect(output).toMatch(/--kills/);
    expect(output).not.toMatch(/Starting| {4}at /);
  });
});

async function chaos(...args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, JUNCTION_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Returns the running processes that have this folder in their arguments or environment. */
function processesOn(dir: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`)
    .filter((pid) => ['cmdline', 'environ'].some((file) => textOf(pid, file).includes(dir)));
}

function textOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // the process has just ended, or belongs to another user
  }
}
