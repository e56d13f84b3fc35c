#!/usr/bin/env node
// Changes one expression at a time in the files that hold rules, and runs the unit tests of these files:
// mutation.mjs [group [file]]. Exits 1 when the tests of a group miss more than one change in ten, and 2
// where there is no such group. The changes that they miss are printed, and shown in .junction/mutation/<group>.html.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import jest from '../../../jest.config.mjs';

const DISPATCHER = 'services/webhook-dispatcher/src';
const EVERY_FILE = ['**/*.ts'];

/** Groups of files: those that are changed in each folder, and tests of them that do not lie beside them. */
const GROUPS = {
  // Reading events from the store proves what they hold.
  auth: {
    folder: 'services/auth/src/domain',
    files: EVERY_FILE,
    tests: ['services/auth/src/adapters/postgres/event-codec.test.ts'],
  },
  integrations: { folder: 'services/integrations/src/domain', files: EVERY_FILE },
  refresh: {
    folder: 'services/integrations/src/application',
    files: ['**/refresh-under-lease.ts', '**/what-failure-means.ts'],
  },
  webhooks: { folder: `${DISPATCHER}/domain`, files: EVERY_FILE },
  egress: {
    folder: `${DISPATCHER}/adapters/webhook`,
    files: ['guarded-lookup.ts', 'forbidden-address.ts', 'target-rules.ts'],
  },
  intake: {
    folder: `${DISPATCHER}/application`,
    files: ['intake/{intake,file-events,judge-event}.ts', 'sending/judge.ts'],
  },
  scheduler: { folder: `${DISPATCHER}/application/sending/scheduler`, files: EVERY_FILE },
  outbound: { folder: 'packages/service/src/outbound', files: ['retry-after.ts'] },
  tokens: { folder: 'packages/service/src/callers', files: ['token-verifier.ts'] },
  signing: {
    folder: 'packages/webhook-signing/src',
    files: ['sign.ts', 'verify.ts', 'secret.ts', 'key-pair.ts', 'trusted-keys.ts'],
  },
};

const [unit] = jest.projects;
const [only, file] = process.argv.slice(2);
if (only !== undefined && !(only in GROUPS)) {
  console.error(`mutation: no group ${only}. There are ${Object.keys(GROUPS).join(', ')}.`);
  process.exit(2);
}
process.chdir(path.resolve(import.meta.dirname, '../../..'));
// A moment that is read in local time by mistake shows only where that is not UTC.
process.env.TZ = 'Asia/Kathmandu';

for (const [group, { folder, files, tests: others = [] }] of Object.entries(GROUPS)) {
  if (only !== undefined && only !== group) continue;
  const changed = file === undefined ? files : [`**/${file}.ts`];
  // Tests also reach files through helpers in the folder test/: the search for related tests has to look there.
  const [workspace] = folder.split('/src');
  const beside = files.map((name) => `${folder}/${name.replace('.ts', '.test.ts')}`);
  const tests = [...beside, ...others].map((name) => `<rootDir>/${name}`);
  await new Stryker({
    mutate: [...changed.map((name) => `${folder}/${name}`), '!**/*.test.ts'],
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner', import.meta.resolve('./mutation-sentences.mjs')],
    ignorers: ['sentences'],
    // Stryker brings an environment of its own, around that of Node.
    jest: {
      config: {
        ...unit,
        testEnvironment: 'node',
        roots: [`<rootDir>/${workspace}`],
        testRegex: [],
        testMatch: tests,
        testRunner: fileURLToPath(import.meta.resolve('./mutation-jest-circus.mjs')),
        testSequencer: fileURLToPath(import.meta.resolve('./mutation-sequencer.mjs')),
      },
    },
    testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    // Modules of a run stay in the memory of the process that loaded them.
    maxTestRunnerReuse: 100,
    concurrency: 1,
    coverageAnalysis: 'perTest',
    // Endless loops are found by the number of their rounds: a test that takes long on a busy machine fails nothing.
    timeoutMS: 15_000,
    // Types vanish in the transform of jest.
    disableTypeChecks: false,
    ignorePatterns: ['/*', '!/services', '!/packages', '!/package.json', 'dist'],
    tempDirName: '.junction/mutation/sandbox',
    cleanTempDir: 'always',
    reporters: ['progress', 'clear-text', 'html'],
    clearTextReporter: { logTests: false },
    htmlReporter: { fileName: `.junction/mutation/${group}.html` },
    thresholds: { high: 95, low: 90, break: 90 },
    warnings: { slow: false },
  }).runMutationTest();
}
