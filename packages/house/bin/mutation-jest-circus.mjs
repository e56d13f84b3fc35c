// Test runner of mutation.mjs. It loads a test file once and runs its tests again for each change, which is switched on
// within the loaded code. Changes of what runs while a module is loaded need a load of their own; for these StrykerJS
// names no tests. It stops at the first failure, and takes no runner without `jest-circus` in its name.
import { createRequire } from 'node:module';

const ofJest = createRequire(createRequire(import.meta.url).resolve('jest'));
const { default: circus } = ofJest('jest-circus/runner');
const CIRCUS_IN_FILE = ofJest
  .resolve('jest-circus/runner')
  .replace('runner.js', 'jestAdapterInit.js');
const NO_LISTENERS = { uncaughtException: [], unhandledRejection: [], rejectionHandled: [] };

/** Test files that are loaded, each with its names of tests. */
const loaded = new Map();
let last;
let detected;
/** State of jest-circus in the file whose tests run again. */
let running;

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => running?.currentlyRunningTest?.errors.push(error));
}

export default async function run(globalConfig, config, environment, runtime, testPath, ...rest) {
  const change = process.env.__STRYKER_ACTIVE_MUTANT__;
  const { testNamePattern } = globalConfig;
  const file = testNamePattern && loaded.get(testPath);
  const pattern = new RegExp(testNamePattern ?? '', 'i');
  const isUseless = file && !file.names.some((name) => pattern.test(name));
  if (isUseless || (change !== undefined && change === detected)) return skipped(last);
  if (file) {
    last = await runAgain(file, pattern, { config, globalConfig, testPath });
  } else {
    stopAtFailure(environment);
    last = await circus(globalConfig, config, environment, runtime, testPath, ...rest);
    if (change === undefined || testNamePattern) keep(testPath, environment, runtime);
  }
  if (last.numFailingTests > 0) detected = change;
  return last;
}

/** Returns a result without tests but for one that was skipped: jest fails a file without any. */
function skipped(result) {
  const [first] = result.testResults;
  const testResults = [{ ...first, status: 'pending' }];
  return { ...result, numFailingTests: 0, numPassingTests: 0, numPendingTests: 1, testResults };
}

function keep(testPath, environment, runtime) {
  const names = last.testResults.map(({ fullName }) => fullName);
  loaded.set(testPath, { environment, runtime, names });
  environment.teardown = async () => {};
  runtime.teardown = () => {};
}

async function runAgain({ environment: { global }, runtime }, pattern, settings) {
  const symbol = Object.getOwnPropertySymbols(global).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  const state = global[symbol];
  state.testNamePattern = pattern;
  forget(state.rootDescribeBlock);
  global.__stryker__.activeMutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  running = state;
  // The end of a run puts these back, which were put back before.
  state.originalGlobalErrorHandlers = NO_LISTENERS;
  const { runAndTransformResultsToJestFormat } = runtime.requireInternalModule(CIRCUS_IN_FILE);
  return runAndTransformResultsToJestFormat(settings);
}

function forget({ children }) {
  for (const child of children) {
    if (child.type === 'describeBlock') forget(child);
    else Object.assign(child, { errors: [], invocations: 0, status: undefined });
  }
}

function stopAtFailure(environment) {
  const inner = environment.handleTestEvent;
  environment.handleTestEvent = async (event, state) => {
    await inner?.call(environment, event, state);
    const isChanged = process.env.__STRYKER_ACTIVE_MUTANT__ !== undefined;
    if (event.name === 'test_fn_failure' && isChanged) state.testNamePattern = /(?!)/;
  };
}
