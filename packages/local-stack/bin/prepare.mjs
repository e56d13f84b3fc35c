// Makes a checkout ready to run: installs, builds, and fetches Kafka meanwhile.
import { fetchMissingKafka } from '../src/preflight/kafka-jars.mjs';
import { endWith, ensureInstalled } from './bootstrap.mjs';
import { ensureBuilt } from './build.mjs';
import { say } from './progress.mjs';

/** Does what is missing, with `checks` also for checks and tests. Ends the process on failure. */
export async function prepare({ checks = false } = {}) {
  const fetching = fetchMissingKafka({ env: process.env, say }).catch(({ message }) => message);
  await ensureInstalled({ checks });
  await ensureBuilt();
  const failure = await fetching;
  if (failure !== undefined) endWith(failure);
}
