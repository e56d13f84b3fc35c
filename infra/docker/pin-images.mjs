// Pins images by digest, so that what is built or run tomorrow is what was tried today:
//
//   npm run pin-images                every image that the Dockerfiles, docker-compose*.yml and infra/k8s name
//   npm run pin-images -- <file> …    those of these files alone
//
// Asks the registry of each image which digest its tag has (OCI distribution specification 1.1), and writes the digest
// behind the tag. A digest that is there is written anew, so after a tag was changed it is enough to run this again. A
// tag for several platforms has the digest of its index, which serves each of them. Images of a registry that does not
// answer stay as they are, are named, and make the exit code 1. Images that are built here, and those of
// example.com, are left out.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DOCKER_HUB = 'registry-1.docker.io';
const ANSWER_MS = 20_000;
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Places of images: `FROM image`, `image: image`, and the two lines of kustomize's `images`. */
const NAMED = /^(FROM +|[\s-]*image(?:Name)?: +)([^\s@"]+)(?:@sha256:\w+)?/gm;
const KUSTOMIZED =
  /^( *)(newName: (\S+)\n *newTag: "?([^\s"]+)"?)(?:\n *digest: "?sha256:\w+"?)?/gm;

const files = process.argv.slice(2).map((file) => path.resolve(file));
const pinned = new Map();
const failures = new Map();
for (const file of files.length > 0 ? files : filesOfRepository()) await pin(file);
for (const [image, { message, cause }] of failures) {
  console.error(`${image} is not pinned: ${cause?.message ?? message}`);
}
process.exitCode = failures.size > 0 ? 1 : 0;

function filesOfRepository() {
  const below = readdirSync(path.join(ROOT, 'infra'), { recursive: true });
  const named = below.filter((file) => /Dockerfile$|^k8s.*[.]yaml$/.test(file));
  return [
    'docker-compose.yml',
    'docker-compose.production.yml',
    ...named.map((file) => path.join('infra', file)).sort(),
  ].map((file) => path.join(ROOT, file));
}

async function pin(file) {
  const text = readFileSync(file, 'utf8');
  const images = [
    ...[...text.matchAll(NAMED)].map(([, , image]) => image),
    ...[...text.matchAll(KUSTOMIZED)].map(([, , , name, tag]) => `${name}:${tag}`),
  ];
  for (const image of new Set(images)) if (isElsewhere(image, text)) await look(image);
  const withDigests = text
    .replace(NAMED, (whole, place, image) =>
      pinned.has(image) ? `${place}${image}@${pinned.get(image)}` : whole,
    )
    .replace(KUSTOMIZED, (whole, indent, lines, name, tag) => {
      const digest = pinned.get(`${name}:${tag}`);
      return digest ? `${indent}${lines}\n${indent}digest: ${digest}` : whole;
    });
  if (withDigests === text) return;
  writeFileSync(file, withDigests);
  console.log(`${path.relative(ROOT, file)} is pinned.`);
}

/** Returns whether a registry has the image: it is no stage of the Dockerfile, and neither ours nor an example. */
function isElsewhere(image, text) {
  if (new RegExp(`^FROM .* AS ${image}$`, 'm').test(text)) return false;
  return !/^junction[/]|^[^/]*example[.]com[/]/.test(image);
}

async function look(image) {
  if (pinned.has(image) || failures.has(image)) return;
  await digestOf(image).then(
    (digest) => pinned.set(image, digest),
    (error) => failures.set(image, error),
  );
}

/** Returns the digest that a tag has now. Throws when its registry does not answer, or does not know it. */
async function digestOf(image) {
  const { host, repository, tag } = parts(image);
  // As Docker does: a registry on this machine has no TLS.
  const scheme = /^(localhost|127[.]|\[::1\])/.test(host) ? 'http' : 'https';
  const url = `${scheme}://${host}/v2/${repository}/manifests/${tag}`;
  const ask = (headers) =>
    fetch(url, { method: 'HEAD', headers, signal: AbortSignal.timeout(ANSWER_MS) });
  let answer = await ask({ accept: MANIFESTS });
  if (answer.status === 401) {
    const authorization = await answerTo(answer.headers.get('www-authenticate') ?? '', host);
    answer = await ask({ accept: MANIFESTS, authorization });
  }
  const digest = answer.headers.get('docker-content-digest');
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest ?? '')) {
    throw new Error(`${url} answered ${answer.status} with the digest ${digest ?? '(none)'}.`);
  }
  return digest;
}

/** Returns where an image lies. A first part without a dot or a port is no host, and then the host is Docker Hub. */
function parts(image) {
  const [, named, rest] = /^(?:([^/]*[.:][^/]*|localhost)[/])?(.+)$/.exec(image);
  const host = named === undefined || named === 'docker.io' ? DOCKER_HUB : named;
  const [name, tag = 'latest'] = rest.split(':');
  const repository = host === DOCKER_HUB && !name.includes('/') ? `library/${name}` : name;
  return { host, repository, tag };
}

/**
 * Returns the value of Authorization that a challenge asks for: a token of the registry's token server, which gives
 * public images to everybody, or the login itself.
 */
async function answerTo(challenge, host) {
  const login = loginAt(host);
  if (!/^bearer /i.test(challenge)) {
    if (login) return login;
    throw new Error(`${host} wants a login: docker login ${host}.`);
  }
  const said = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, k, v]) => [k, v]),
  );
  const url = new URL(said.realm);
  for (const name of ['service', 'scope']) if (said[name]) url.searchParams.set(name, said[name]);
  const headers = login ? { authorization: login } : {};
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
  if (!answer.ok) throw new Error(`${url.origin} gave no token: it answered ${answer.status}.`);
  const { token, access_token } = await answer.json();
  return `Bearer ${token ?? access_token}`;
}

/** Returns what `docker login` wrote down for a registry, where no helper keeps it. */
function loginAt(host) {
  const file = path.join(
    process.env.DOCKER_CONFIG ?? path.join(homedir(), '.docker'),
    'config.json',
  );
  if (!existsSync(file)) return undefined;
  const { auths = {} } = JSON.parse(readFileSync(file, 'utf8'));
  const name = host === DOCKER_HUB ? 'https://index.docker.io/v1/' : host;
  return auths[name]?.auth && `Basic ${auths[name].auth}`;
}
