// Writes what an assembled folder holds as CycloneDX 1.6, into the folder itself:
//
//   sbom.mjs services/auth /out [more packages, as folders of the checkout]
//
// The list names the files that go into the image, not the packages that a lock file expects there. The list has no
// time and no serial number, so that the same files make the same text.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const [workspace, target, ...more] = process.argv.slice(2);
if (!workspace || !target) throw new Error('Say of what and where: sbom.mjs services/auth /out');

const { packages: locked } = read(path.join(ROOT, 'package-lock.json'));
const main = read(path.join(ROOT, workspace, 'package.json'));
const folders = [
  ...packageFolders(target).map((folder) => [folder, path.relative(target, folder)]),
  ...more.map((folder) => [path.join(ROOT, folder), folder]),
];
const components = folders
  .map(([folder, place]) => component(read(path.join(folder, 'package.json')), locked[place]))
  .filter(({ name, version }) => name !== main.name || version !== main.version)
  .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));

writeFileSync(
  path.join(target, 'sbom.cdx.json'),
  `${JSON.stringify(
    {
      $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: { component: { ...component(main), type: 'application' } },
      components: [runtime(), ...new Map(components.map((one) => [one['bom-ref'], one])).values()],
    },
    null,
    2,
  )}\n`,
);

/** Every folder of a package below, each once; what is linked is found where it lies. */
function packageFolders(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const inner = path.join(folder, entry.name);
    if (!entry.isDirectory()) return [];
    return [...(isPackage(inner) ? [inner] : []), ...packageFolders(inner)];
  });
}

/** A package.json inside of a package often says no more than how its files are written. */
function isPackage(folder) {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return false;
  const { name, version } = read(file);
  return name !== undefined && version !== undefined && folder.endsWith(placeOf(folder, name));
}

function placeOf(folder, name) {
  return folder.includes('node_modules') ? path.join('node_modules', name) : path.basename(folder);
}

function component({ name, version, license }, { integrity } = {}) {
  const isOurs = name.startsWith('@junction/');
  const purl = `pkg:npm/${encodeURIComponent(name).replace('%2F', '/')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    ...(typeof license === 'string' && { licenses: [licenceOf(license)] }),
    // Ours are in no registry under these names.
    ...(!isOurs && { purl }),
    ...(integrity && { hashes: [hashOf(integrity)] }),
  };
}

function licenceOf(license) {
  return /[ ()]/.test(license) ? { expression: license } : { license: { id: license } };
}

/** Returns the hash of a package's archive in the registry (https://www.w3.org/TR/SRI/). */
function hashOf(integrity) {
  const [algorithm, base64] = integrity.split('-');
  const content = Buffer.from(base64, 'base64').toString('hex');
  return { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content };
}

/** Describes the Node of the base image, which build and running image have in common. */
function runtime() {
  const version = process.versions.node;
  return {
    type: 'platform',
    'bom-ref': `node@${version}`,
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
  };
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
