// Prints what a release changes, from docs/changelog.md, and refuses a tag that is not that of this checkout:
//
//   release-notes.mjs v1.2.3
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const [tag = ''] = process.argv.slice(2);
const read = (file) => readFileSync(path.join(ROOT, file), 'utf8');
const versionOf = (folder) => JSON.parse(read(path.join(folder, 'package.json'))).version;

const version = versionOf('.');
const workspaces = ['packages', 'services'].flatMap((room) =>
  readdirSync(path.join(ROOT, room)).map((name) => path.join(room, name)),
);
const others = workspaces.filter((folder) => versionOf(folder) !== version);
const [, section = ''] = read('docs/changelog.md').split(/^## (?=\d)/m);
const [title = '', ...lines] = section.split('\n');

const mistakes = [
  ...(tag === `v${version}`
    ? []
    : [`The tag is ${tag}, and the version of package.json ${version}.`]),
  ...others.map((folder) => `The version of ${folder} is not ${version}.`),
  ...(title.split(',')[0] === version
    ? []
    : [`The changelog begins with ${title}, not ${version}.`]),
];
for (const mistake of mistakes) console.error(mistake);
process.exitCode = mistakes.length > 0 ? 1 : 0;
if (mistakes.length === 0) console.log(lines.join('\n').trim());
