import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseManifests, ROOT, run, workloadsOf } from './manifests.js';
import { type Registry, startRegistry } from './start-registry.js';

/** An image, unless it is built here or the stage of a Dockerfile. */
const NAMED =
  /^([ -]*(?:image|imageName|newName): +|FROM +)(?!junction[/]|base\b)([\w./-]+)(:[\w.-]+)?/gm;
/** The tag of the kustomization, for the images that it names without one. */
const RELEASE = ':0.1.0';

describe('npm run pin-images, for the files of this repository with every image at a registry of this machine', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'junction-pinned-'));
  const digests = new Map<string, string>();
  let registry: Registry;

  const files = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /Dockerfile$|docker-compose.*yml|k8s.*[.]yaml$/.test(file))
      .map((file) => path.join(folder, file));
  const pin = async () => {
    const script = path.join(ROOT, 'infra/docker/pin-images.mjs');
    const child = spawn(process.execPath, [script, ...files()]);
    const closed = once(child, 'close');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { status: (await closed)[0] as number, stdout, stderr };
  };
  const push = async (image: string, content: string) => {
    const [repository = '', tag = ''] = image.split(':');
    const digest = await registry.push(repository, tag, content);
    digests.set(image, `${registry.host}/${image}@${digest}`);
  };
  /** Everything that the pinned files would run or build upon, but for what is built here. */
  const named = () => {
    const containers = ['development', 'production', 'operators'].flatMap((overlay) => {
      const built = run('kubectl', ['kustomize', path.join(folder, 'infra/k8s/overlays', overlay)]);
      return workloadsOf(parseManifests(built)).flatMap(({ pod }) => pod.containers);
    });
    const written = files()
      .filter((file) => !/kustomization[.]yaml$/.test(file))
      .flatMap((file) => [
        ...readFileSync(file, 'utf8').matchAll(/^(?:FROM|[ -]*image(?:Name)?:) +(\S+)/gm),
      ])
      .map(([, image = '']) => image);
    const all = [...containers.map(({ image }) => image), ...written];
    return [...new Set(all)]
      .filter((image) => !/^(?:"[$][{]JUNCTION_IMAGES|junction[/]|base$)/.test(image))
      .sort();
  };

  beforeAll(async () => {
    registry = await startRegistry();
    for (const file of ['docker-compose.yml', 'docker-compose.production.yml']) {
      cpSync(path.join(ROOT, file), path.join(folder, file));
    }
    cpSync(path.join(ROOT, 'infra'), path.join(folder, 'infra'), { recursive: true });
    for (const file of files()) {
      const unpinned = readFileSync(file, 'utf8').replaceAll(/@sha256:\w+/g, '');
      const moved = unpinned.replaceAll(NAMED, (_, place: string, name: string, tag = '') => {
        digests.set(`${name}${tag || RELEASE}`, '');
        return `${place}${registry.host}/${name}${tag}`;
      });
      writeFileSync(file, moved);
    }
    expect(digests.size).toBeGreaterThanOrEqual(13);
  });
  afterAll(async () => {
    await registry.stop();
    rmSync(folder, { recursive: true });
  });

  it('names what the registry does not have, pins the rest, and fails', async () => {
    const [missing = '', ...others] = digests.keys();
    for (const image of others) await push(image, image);
    const { status, stderr } = await pin();
    expect(status).toBe(1);
    expect(stderr).toContain(`${registry.host}/${missing} is not pinned: http://`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(named().filter((image) => !image.includes('@sha256:'))).toEqual([
      `${registry.host}/${missing}`,
    ]);
  });

  it('pins every image by the digest of its index, and by the new one when the tag has moved', async () => {
    for (const version of ['the first', 'the second']) {
      for (const image of digests.keys()) await push(image, `${image}, ${version}`);
      expect(await pin()).toMatchObject({ status: 0, stderr: '' });
      expect(named()).toEqual([...digests.values()].sort());
    }
    expect(await pin()).toMatchObject({ status: 0, stdout: '' });
  });
});
