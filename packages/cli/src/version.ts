import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const TOP = new URL('../../../', import.meta.url);
const file = new URL('../package.json', import.meta.url);
const { version, gitHead } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly version: string;
  readonly gitHead?: string;
};

/** Version of this command. */
export const VERSION = version;

/** Returns version and commit, as far as the package or the checkout says it. */
export function versionText(): string {
  const commit = gitHead ?? checkedOut();
  return commit === undefined ? version : `${version} (${commit})`;
}

/** Returns the commit of a checkout; a package that is installed stands in no folder of git. */
function checkedOut(): string | undefined {
  if (!existsSync(new URL('.git', TOP))) return undefined;
  try {
    const said = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: TOP,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.toString().trim();
  } catch {
    return undefined;
  }
}
