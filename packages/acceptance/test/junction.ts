import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './manifests.js';

const JUNCTION = path.join(ROOT, 'packages/cli/bin/junction.mjs');

/**
 * Runs the command with these variables beside ours, and returns its output. Rejects with its error output when
 * it fails.
 */
export async function junctionWith(
  variables: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<string> {
  const env = { ...process.env, ...variables };
  const { stdout } = await promisify(execFile)(process.execPath, [JUNCTION, ...args], { env });
  return stdout;
}
