import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Person, type Product, signUp, startProduct } from '@junction/demo';
import { apiAt } from '@junction/testing';

const MINUTE = 60_000;
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
  product = await startProduct(process.env, { API_LIMIT_PER_CALLER: '1000000' });
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
      if (code === null) throw new Error('The fuzzer was not done in nine minutes.');
      const { test_cases: cases } = JSON.parse(readFileSync(report, 'utf8')) as Report;

      // The fuzzer's output tells how to send a failing request again, so a failure shows it.
      expect(code === 0 ? '' : output).toBe('');
      expect(cases.generated).toBeGreaterThanOrEqual(REQUESTS);
    },
    10 * MINUTE,
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

/** `pip install schemathesis==4.32.5` brings it. The access token lives for ten minutes, so nine are its end. */
function schemathesis(report: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    'schemathesis',
    [
      'run',
      `${product.endpoints.gateway}/openapi.json`,
      `--header=Authorization: Bearer ${ada.token}`,
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
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: 9 * MINUTE },
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
