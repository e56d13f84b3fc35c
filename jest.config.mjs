// The price stands in the file's name: x.test.ts is pure, x.int.test.ts needs Postgres or Kafka,
// x.e2e.test.ts drives started processes, x.tools.test.ts needs programs the README does not ask for.
// x.slow.test.ts is slow by nature: it kills, restarts, fills disks, or waits for what takes its time.
const room = {
  roots: ['<rootDir>/packages', '<rootDir>/services'],
  modulePathIgnorePatterns: ['/dist/'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  testEnvironment: '<rootDir>/jest.environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  // With 'import' among the conditions jest resolves CommonJS packages to their ESM halves and breaks.
  testEnvironmentOptions: { customExportConditions: ['@junction/source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
};

export default {
  // More than two cores: most files wait for something to happen, not for a processor.
  maxWorkers: 4,
  // Tests of one file that may run side by side: walks through pages, which compute as much as they wait.
  maxConcurrency: 3,
  // A worker goes on holding what each of its files loaded. With more than this, ending one takes longer than the half
  // second that jest waits before it calls that a leak.
  workerIdleMemoryLimit: '384MB',
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  projects: [
    {
      ...room,
      displayName: 'unit',
      testRegex: '/[^/.]+\\.test\\.ts$',
    },
    { ...room, displayName: 'int', testRegex: '\\.int\\.test\\.ts$' },
    {
      ...room,
      displayName: 'e2e',
      testRegex: '\\.e2e\\.test\\.ts$',
      setupFiles: ['<rootDir>/packages/docs/test/openapi/answers-are-documented.ts'],
    },
    { ...room, displayName: 'tools', testRegex: '\\.tools\\.test\\.ts$' },
    { ...room, displayName: 'slow', testRegex: '\\.slow\\.test\\.ts$' },
  ],
  // A bound for what hangs, not a measure: a machine may stand still for half a minute.
  testTimeout: 180_000,
};
