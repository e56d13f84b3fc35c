import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const run = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(command, args, { cwd: ROOT, env: { ...process.env, ...env } });

interface Step {
  readonly run?: string;
  readonly uses?: string;
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly strategy?: {
    readonly matrix: { readonly include: readonly { image: string; workspace: string }[] };
  };
}
const workflow = (name: string) =>
  parse(read(`.github/workflows/${name}.yml`)) as {
    readonly permissions: object;
    readonly jobs: Readonly<Record<string, Job>>;
  };

const { version } = JSON.parse(read('package.json')) as { version: string };
const release = workflow('release');
const images = release.jobs['images']?.strategy?.matrix.include ?? [];
const temp = mkdtempSync(path.join(tmpdir(), 'junction-release-'));
afterAll(() => rmSync(temp, { recursive: true }));

/** Commands of the release that need a registry or GitHub. Each other one is run below, as it stands there. */
const NEED_OTHERS =
  /^(printf .*docker login|docker buildx|for tarball in .*npm publish|gh release)/m;
/** Commands that install and judge a checkout: this run has come from them. */
const GATE = ['.ci/run', 'npm ci --ignore-scripts'];
const commands = Object.values(release.jobs).flatMap(({ steps }) =>
  steps.flatMap(({ run }) => run?.trim() ?? []),
);
const runnable = commands.filter((one) => !NEED_OTHERS.test(one) && !GATE.includes(one));
const env = {
  GITHUB_REF_NAME: `v${version}`,
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'example/junction',
  RUNNER_TEMP: temp,
};

describe('a release', () => {
  it('leaves to a machine with a registry the images, the packages and the page of the release alone', () => {
    expect(commands.filter((one) => NEED_OTHERS.test(one))).toEqual([
      expect.stringContaining('docker login ghcr.io'),
      expect.stringContaining('docker buildx build'),
      expect.stringContaining('npm publish "$tarball" --provenance --access public'),
      expect.stringContaining('gh release create'),
    ]);
  });

  it('begins with the gate, and has actions that are pinned by commit', () => {
    const { gate, ...others } = release.jobs;
    expect(gate?.steps.at(-1)?.run).toBe('.ci/run');
    expect(Object.values(others).map(({ needs }) => needs)).not.toContain(undefined);
    for (const { jobs, permissions } of [release, workflow('ci')]) {
      expect(permissions).toEqual({});
      for (const { steps } of Object.values(jobs)) {
        for (const { uses = 'a@'.padEnd(42, '0') } of steps) expect(uses).toMatch(/@[0-9a-f]{40}$/);
      }
    }
  });

  it('has five images, those of docs/operate/images.md, each with what it is built from', () => {
    const documented = read('docs/operate/images.md').matchAll(/`junction\/([\w-]+)`/g);
    expect(images.map(({ image }) => image)).toEqual([
      ...new Set([...documented].map(([, one]) => one)),
    ]);
    expect(images).toHaveLength(5);
    for (const { workspace } of images) {
      expect(existsSync(path.join(ROOT, workspace, 'package.json'))).toBe(true);
    }
    const build = commands.find((one) => one.includes('buildx build')) ?? '';
    for (const [, name] of build.matchAll(/--build-arg "(\w+)=/g)) {
      expect(read('infra/docker/service.Dockerfile')).toMatch(new RegExp(`^ARG ${name}$`, 'm'));
    }
  });

  it('is refused for a tag that is not the version', async () => {
    await expect(
      run(process.execPath, ['infra/release-notes.mjs', 'v9.9.9']),
    ).rejects.toMatchObject({
      code: 1,
      stderr: `The tag is v9.9.9, and the version of package.json ${version}.\n`,
    });
  });
});

describe('the commands of a release, as its workflow has them', () => {
  const manifests = () => run('git', ['diff', '--name-only', '--', '*package.json']);
  let before: string;
  beforeAll(async () => {
    before = (await manifests()).stdout;
  });

  it.each(runnable.filter((one) => !one.startsWith('npm pkg set')))('%s', async (command) => {
    await run('bash', ['-euo', 'pipefail', '-c', command], env);
    expect((await manifests()).stdout).toBe(before);
  });

  it('have written the notes of the version', () => {
    expect(readFileSync(path.join(temp, 'notes.md'), 'utf8')).toMatch(/^### /m);
  });

  it('have packed what npm would publish, with version and commit', async () => {
    const { stdout: head } = await run('git', ['rev-parse', 'HEAD']);
    const folder = path.join(temp, 'packages');
    const packed = readdirSync(folder);
    expect(packed).toHaveLength(5);
    for (const file of packed) {
      const tarball = path.join(folder, file);
      const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
      expect(JSON.parse(stdout)).toMatchObject({ version, gitHead: head.trim() });
      await run('npm', ['publish', tarball, '--dry-run', '--access', 'public', '--offline']);
    }
  });
});

it('a pull request runs what a contributor runs', () => {
  const steps = Object.values(workflow('ci').jobs).flatMap((job) => job.steps);
  expect(steps.map((step) => step.run).filter(Boolean)).toEqual(['.ci/run']);
  expect(read('.github/workflows/ci.yml')).toMatch(/^ {2}pull_request:$/m);
});
