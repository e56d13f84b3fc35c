import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildOverlay, parseManifests, ROOT } from './manifests.js';
import { type ApiServer, startApiServer } from './start-api-server.js';

const OVERLAYS = ['development', 'production', 'operators', 'restore'];
/** Compiling the server takes ten minutes the first time. */
const STARTED_WITHIN_MS = 2_400_000;

let server: ApiServer | undefined;

beforeAll(async () => {
  server = await startApiServer(OVERLAYS.flatMap((name) => parseManifests(buildOverlay(name))));
}, STARTED_WITHIN_MS);
afterAll(async () => server?.stop());

function kubectl(args: readonly string[], input = ''): string {
  if (server === undefined) throw new Error('The API server has not started.');
  return server.kubectl(args, input);
}

/** Applies manifests. Returns for each resource `kind/name created`, `configured` or `unchanged`. */
const apply = (text: string): readonly string[] =>
  kubectl(['apply', '--filename', '-'], text).trim().split('\n');

describe('the API server of Kubernetes', () => {
  it.each(OVERLAYS)('accepts %s, and makes nothing anew the second time', (overlay) => {
    const text = buildOverlay(overlay);
    expect(apply(text)).toHaveLength(parseManifests(text).length);
    expect(apply(text).filter((line) => line.endsWith(' created'))).toEqual([]);
  });

  it.each([
    ['kustomization.yaml', 'https://junction.example.com', 'https://other.example.com', []],
    ['kustomization.yaml', 'DATABASE_POOL_MAX=7', 'DATABASE_POOL_MAX=6', []],
    ['kafka.yaml', 'bootstrap.kafka.svc', 'bootstrap.elsewhere.svc', ['topics']],
    [
      'kustomization.yaml',
      'junction/auth\n    newTag: "0.1.0"',
      'junction/auth\n    newTag: "0.1.1"',
      ['auth-migrate', 'topics'],
    ],
  ])('accepts production again with one line of %s changed from %s', (file, was, is, jobs) => {
    apply(buildOverlay('production'));
    const said = apply(withOneLine(file, was, is));
    const made = said.filter((line) => line.endsWith(' created'));
    const names = made.flatMap((line) => /^job.batch\/(.+)-\w+ created$/.exec(line)?.[1] ?? []);
    expect(names.sort()).toEqual(jobs);
    expect(said.filter((line) => line.endsWith(' configured')).length).toBeGreaterThan(0);
  });

  it('knows by which field Jobs that did not succeed are removed', () => {
    const jobs = ['--namespace', 'junction', 'job', '--selector', 'junction.dev/role=job'];
    const removed = kubectl(['delete', ...jobs, '--field-selector', 'status.successful=0']);
    expect(removed).toContain('topics-');
    expect(kubectl(['get', ...jobs, '--output', 'name'])).toBe('');
  });
});

/** Builds production with this text of a file exchanged. */
function withOneLine(name: string, was: string, is: string): string {
  const overlay = mkdtempSync(path.join(ROOT, 'infra/k8s/overlays/try-'));
  try {
    cpSync(path.join(ROOT, 'infra/k8s/overlays/production'), overlay, { recursive: true });
    const file = path.join(overlay, name);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(was);
    writeFileSync(file, text.replace(was, is));
    return buildOverlay(path.basename(overlay));
  } finally {
    rmSync(overlay, { recursive: true });
  }
}
