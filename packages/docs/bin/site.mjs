// Tells whether the built documentation matches the sources. Imports nothing that npm installs.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf } from '../../dashboard/bin/site.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
/** Holds the pages. */
export const SITE = path.join(ROOT, 'packages/docs/dist/site');
/** Holds the fingerprint of what the pages were last built from. */
export const STAMP = path.join(ROOT, 'packages/docs/dist/.site-stamp');

const START = path.join(SITE, 'docs.html');
const SOURCES = [
  'docs',
  'package-lock.json',
  'packages/docs/answers.json',
  'packages/docs/asyncapi.json',
  'packages/docs/openapi.json',
  'packages/cli/README.md',
  'packages/client/README.md',
  'packages/contracts/src',
  'packages/dashboard/bin/precompress.mjs',
  'packages/dashboard/src/app/theme.css',
  'packages/docs/public',
  'packages/docs/bin',
  'packages/docs/src/pages',
  'packages/errors/src',
  'packages/producer/README.md',
  'packages/service/src/errors/error-transports.ts',
  'packages/webhook-signing/README.md',
  'packages/worker/README.md',
];

/** Returns whether the built pages are current, so that nothing has to be built. */
export const areDocsCurrent = () =>
  existsSync(START) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();

/** Hash of everything that the pages are built from, the kinds of event of this installation among it. */
export const fingerprint = () => {
  return fingerprintOf(ROOT, [...SOURCES, path.relative(ROOT, eventTypesFile())]);
};

/** The kinds of event of this installation. */
export const eventTypesFile = () =>
  process.env.EVENT_TYPES_FILE || path.join(ROOT, 'infra/event-types/event-types.yaml');
