import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signUp } from '@junction/demo';
import { apiAt } from '@junction/testing';
import { verify } from '@node-rs/argon2';
import { withClosing } from '../closing.js';
import type { Stack } from '../own-stack.js';
import type { Used } from '../service-process.js';
import { serviceWorld } from '../service-world.js';
import { median } from '../statistics.js';
import type { BenchRun, Figures } from '../suite.js';

export interface LoginRuns {
  /** Turns of logins, each followed by as many checks of the same password by argon2 alone. */
  readonly turns: number;
  /** Logins of a turn, one after another, of a user of its own: a user has a hundred sessions at most. */
  readonly logins: number;
}

/** Measures the processor time of auth for a login, over that of argon2 alone for the same password. */
export const measureLogin = (run: BenchRun, stack: Stack, runs: LoginRuns): Promise<Figures> =>
  withClosing(async (open) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'junction-bench-'));
    open(() => rmSync(folder, { recursive: true }));
    const accountsFile = path.join(folder, 'service-accounts.json');
    writeFileSync(accountsFile, '[]');
    const measured = {
      name: 'auth',
      databaseVariable: 'AUTH_DATABASE_URL',
      nodeOptionsVariable: 'AUTH_NODE_OPTIONS',
      env: { SERVICE_ACCOUNTS_FILE: accountsFile },
    };
    const { pool, start } = await serviceWorld(run, stack, measured, open);
    const auth = await start();
    const api = apiAt(auth.url);
    const turns: Turn[] = [];
    while (turns.length < runs.turns) {
      const { id, email, password } = await signUp(api);
      const { rows } = await pool.query<{ hash: string }>(
        'select hash from passwords where user_id = $1',
        [id],
      );
      const hash = rows[0]?.hash ?? '';
      const login = async () =>
        (await api('POST', '/api/auth/login', { json: { email, password } })).status === 200;
      const ours = await spent(runs.logins, login, () => auth.used());
      const alone = await spent(runs.logins, () => verify(hash, password), used);
      turns.push({ ...ours, argon2S: alone.cpuS });
    }
    await auth.end('SIGTERM');
    return {
      login_cpu_ms: (median(turns.map(({ cpuS }) => cpuS)) / runs.logins) * 1_000,
      login_cpu_ratio: median(turns.map(({ cpuS, argon2S }) => cpuS / argon2S)),
      login_statements: median(turns.map(({ statements }) => statements)) / runs.logins,
    };
  });

type Spent = Pick<Used, 'cpuS' | 'statements'>;

interface Turn extends Spent {
  readonly argon2S: number;
}

async function used(): Promise<Spent> {
  const { user, system } = process.cpuUsage();
  return { cpuS: (user + system) / 1e6, statements: 0 };
}

/** Returns what these calls used, one after another. Rejects when one has failed. */
async function spent(
  times: number,
  call: () => Promise<boolean>,
  usedSoFar: () => Promise<Spent>,
): Promise<Spent> {
  const before = await usedSoFar();
  for (let n = 0; n < times; n++) {
    if (!(await call())) throw new Error('A password was refused.');
  }
  const after = await usedSoFar();
  return { cpuS: after.cpuS - before.cpuS, statements: after.statements - before.statements };
}
