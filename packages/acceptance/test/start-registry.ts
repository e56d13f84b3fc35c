import { createHash, sign, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, spawnGuarded } from '@junction/local-stack/process';
import { certificateAuthority, eventually, listening } from '@junction/testing';

const STOP_GRACE_MS = 5_000;
const TOKEN_S = 300;
const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

export interface Registry {
  /** `host:port`, the first part of the names of its images. */
  readonly host: string;
  /** Stores an index with one image under a tag, with this text inside. Returns the digest of the index. */
  push(repository: string, tag: string, text: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts Debian's docker-registry, empty, which gives nothing without a token of the token server beside it (the
 * protocol of Docker Hub). That server gives everybody tokens to pull.
 */
export async function startRegistry(): Promise<Registry> {
  const folder = mkdtempSync(path.join(tmpdir(), 'junction-registry-'));
  const authority = await certificateAuthority();
  const issued = await authority.issue();
  const host = `127.0.0.1:${await freePort()}`;
  const tokenFor = (repository: string, actions: readonly string[]) =>
    signed(issued, {
      iss: 'tokens',
      aud: 'registry',
      exp: Math.floor(Date.now() / 1_000) + TOKEN_S,
      access: [{ type: 'repository', name: repository, actions }],
    });
  const tokens = createServer(({ url = '' }, response) => {
    const [, repository = ''] =
      new URL(url, 'http://tokens').searchParams.get('scope')?.split(':') ?? [];
    response.end(JSON.stringify({ token: tokenFor(repository, ['pull']) }));
  });
  const { url, close } = await listening(tokens);
  const realm = `${url}/token`;
  const config = path.join(folder, 'config.json');
  const auth = { realm, service: 'registry', issuer: 'tokens', rootcertbundle: authority.file };
  const storage = { filesystem: { rootdirectory: path.join(folder, 'data') } };
  // JSON is YAML.
  const settings = { version: '0.1', storage, http: { addr: host }, auth: { token: auth } };
  writeFileSync(config, JSON.stringify(settings));
  const log = path.join(folder, 'log');
  const child = spawnGuarded({
    command: 'docker-registry',
    args: ['serve', config],
    log,
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
  });
  await eventually(async () => {
    const { status } = await fetch(`http://${host}/v2/`);
    if (status !== 401) throw new Error(`The registry is not ready: ${readFileSync(log, 'utf8')}`);
  });
  return {
    host,
    push: (repository, tag, text) =>
      push(`http://${host}/v2/${repository}`, tokenFor(repository, ['pull', 'push']), tag, text),
    async stop() {
      await child.stop();
      await close();
      await authority.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns a JWT with the certificate of its key (RFC 7515, section 4.1.6). */
function signed({ key, cert }: { readonly key: string; readonly cert: string }, claims: object) {
  const x5c = [new X509Certificate(cert).raw.toString('base64')];
  const encoded = [{ typ: 'JWT', alg: 'ES256', x5c }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = sign('sha256', Buffer.from(encoded.join('.')), {
    key,
    dsaEncoding: 'ieee-p1363',
  });
  return [...encoded, signature.toString('base64url')].join('.');
}

async function push(url: string, token: string, tag: string, text: string): Promise<string> {
  const authorization = `Bearer ${token}`;
  const put = async (at: string, type: string, body: string) => {
    const headers = { authorization, 'content-type': type };
    const answer = await fetch(at, { method: 'PUT', headers, body });
    if (answer.status !== 201) throw new Error(`${at} answered ${await answer.text()}`);
    return { mediaType: type, digest: digestOf(body), size: Buffer.byteLength(body) };
  };
  const begun = await fetch(`${url}/blobs/uploads/`, {
    method: 'POST',
    headers: { authorization },
  });
  const place = new URL(begun.headers.get('location') ?? '', url);
  place.searchParams.set('digest', digestOf(text));
  const blob = await put(place.href, 'application/octet-stream', text);
  const config = { ...blob, mediaType: 'application/vnd.oci.image.config.v1+json' };
  const image = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers: [] });
  const manifests = [await put(`${url}/manifests/${digestOf(image)}`, MANIFEST, image)];
  const index = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests });
  return (await put(`${url}/manifests/${tag}`, INDEX, index)).digest;
}

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
