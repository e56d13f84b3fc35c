import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Person, type Product, signUp, startProduct } from '@junction/demo';
import { apiAt } from '@junction/testing';

const MINUTE = 60_000;
/** A bound for a fuzzer that hangs, not a measure. */
const DONE_WITHIN_MS = 40 * MINUTE;
const REQUESTS = 10_000;
const EXAMPLES_OF_OPERATION = 110;

/** Operations that end the session of all the others, that never end, or whose body the fuzzer cannot write. */
const LEFT_OUT = [
  'logout',
  'deleteAccount',
  'changeEmail',
  'changePassword',
  'endSession',
  'endSessions',
  'stepUp',
  'streamDeliveries',
  'streamEvents',
  'streamIntegrations',
  'receiveSecurityEvent',
];
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

let product: Product;
let ada: Person;
let folder: string;
/** Operations that no gateway leads to. */
let internal: readonly string[];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'junction-fuzz-'));
  product = await startProduct(process.env, {
    API_LIMIT_PER_CALLER: '1000000',
    // The fuzzer guesses at the login too, from the network from which it signs in again.
    SIGN_IN_LIMITS: 'account=1000000/900,network=1000000/900',
  });
  const api = apiAt(product.endpoints.gateway);
  ada = await signUp(api);
  internal = internalOf((await api('GET', '/openapi.json')).body as OpenApi);
}, 4 * MINUTE);

afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a fuzzer that reads openapi.json', () => {
  it(
    `finds in ${REQUESTS} requests no 5xx and no answer that is not documented`,
    async () => {
      const report = path.join(folder, 'report.json');
      const { code, output } = await schemathesis(report);
      if (code === null)
        throw new Error(`The fuzzer was not done in ${DONE_WITHIN_MS / MINUTE} minutes.`);
      const { test_cases: cases } = JSON.parse(readFileSync(report, 'utf8')) as Report;

      // The fuzzer's output tells how to send a failing request again, so a failure shows it.
      expect(code === 0 ? '' : output).toBe('');
      expect(cases.generated).toBeGreaterThanOrEqual(REQUESTS);
    },
    DONE_WITHIN_MS + MINUTE,
  );
});

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; servers?: unknown }>>>
  >;
}

const internalOf = ({ paths }: OpenApi): readonly string[] =>
  Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, servers }) => (servers === undefined ? [] : operationId));

interface Report {
  readonly test_cases: { readonly generated: number };
}

/** Lets the fuzzer sign in by itself, and again when a token is at its end. */
const signIn = ({ email, password }: Person): string => `
[auth.dynamic.openapi.bearer]
path = "/api/auth/login"
extract_selector = "/access_token"
payload = { email = ${JSON.stringify(email)}, password = ${JSON.stringify(password)} }
`;

/** `pip install schemathesis==4.32.5` brings it. */
function schemathesis(report: string): Promise<{ code: number | null; output: string }> {
  writeFileSync(path.join(folder, 'schemathesis.toml'), signIn(ada));
  const child = spawn(
    'schemathesis',
    [
      'run',
      `${product.endpoints.gateway}/openapi.json`,
      `--checks=${CHECKS.join()}`,
      '--phases=examples,coverage,fuzzing',
      `--max-examples=${EXAMPLES_OF_OPERATION}`,
      '--workers=2',
      '--continue-on-failure',
      '--no-shrink',
      '--warnings=off',
      '--report=json',
      `--report-json-path=${report}`,
      ...[...LEFT_OUT, ...internal].map((id) => `--exclude-operation-id=${id}`),
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: DONE_WITHIN_MS },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
