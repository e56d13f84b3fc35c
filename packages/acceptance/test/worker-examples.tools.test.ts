import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Person, signUp, useProduct } from '@junction/demo';
import { apiAt } from '@junction/testing';
import { ROOT } from './installed.js';

const MINUTE = 60_000;
const README = path.join(ROOT, 'docs/workers/README.md');
/** A copy of what the page stands among: what Go makes stays out of the checkout. */
const folder = mkdtempSync(path.join(tmpdir(), 'junction-workers-'));
const here = path.join(folder, 'docs/workers');

const product = useProduct();
let ada: Person;

/** Commands of a heading of the page, as printed, without what the machine is set up with. */
const blockOf = (heading: string): string => {
  const [, block = ''] =
    new RegExp(`^## ${heading}\\n[^]*?^\`\`\`sh\\n([^]*?)^\`\`\``, 'm').exec(
      readFileSync(README, 'utf8'),
    ) ?? [];
  return block.replace(/^pip .*\n/m, '');
};

async function outputOf(heading: string, settings: object = {}): Promise<string> {
  const { gateway, grpc, http, worker } = product().endpoints;
  const env = {
    ...process.env,
    TOKEN_URL: new URL('/oauth/token', gateway).href,
    CLIENT_SECRET: worker.client_secret,
    ADDRESS: grpc.integrations,
    INTEGRATIONS: http.integrations,
    USER_ID: ada.id,
    PROVIDER: 'mailbox',
    ...settings,
  };
  const script = ['-euo', 'pipefail', '-c', blockOf(heading)];
  return (await promisify(execFile)('bash', script, { cwd: here, env })).stdout;
}

beforeAll(async () => {
  cpSync(path.dirname(README), here, { recursive: true });
  for (const entry of ['proto', 'node_modules'])
    symlinkSync(path.join(ROOT, entry), path.join(folder, entry));
  ada = await signUp(apiAt(product().endpoints.gateway));
  expect((await connect(ada, 'mailbox')).status).toBe(200);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['Python', /^1 mailbox\.\w+ /],
  ['Go', /^1 \[mailbox\.\w+ /],
])('the worker in %s', (language, answer) => {
  it(
    'has a token of a mailbox, and reports one that was refused',
    async () => {
      const told = await outputOf(language, { REFUSED: 'true' });
      expect(told).toMatch(answer);
      expect(told).toMatch(/^active 1$/m);
    },
    5 * MINUTE,
  );

  it(
    'says why there is no token',
    async () => {
      await expect(outputOf(language, { PROVIDER: 'calendar' })).rejects.toMatchObject({
        stderr: expect.stringMatching(/never connected/),
      });
    },
    MINUTE,
  );
});

it('curl has the same token over HTTP', async () => {
  const [, printed = ''] =
    /^## HTTP[^]*?^```json\n([^]*?)^```/m.exec(readFileSync(README, 'utf8')) ?? [];
  const answer = JSON.parse(await outputOf('HTTP')) as object;
  expect(Object.keys(answer)).toEqual(Object.keys(JSON.parse(printed) as object));
  expect(answer).toMatchObject({
    credential_version: 1,
    integration_id: expect.stringMatching(/^con_/),
  });
});
