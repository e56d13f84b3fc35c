import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Version and commit that a process was built of. */
export interface Build {
  /** Semantic version, of the top package.json. */
  readonly version: string;
  /** Commit of git in 40 hexadecimal digits; `unknown` where neither the image nor the checkout knows it. */
  readonly commit: string;
}

const TOP = new URL('../../../', import.meta.url);
let known: Build | undefined;

/**
 * Returns what this process was built of, by the package.json at the top: that of an image, which assemble.mjs writes,
 * has the commit as `gitHead`; in a checkout git says it.
 */
export function build(): Build {
  return (known ??= read());
}

/** Returns version and commit as one text, for people. */
export const buildText = (): string => `${build().version} (${build().commit})`;

function read(): Build {
  const text = readFileSync(new URL('package.json', TOP), 'utf8');
  const { version, gitHead } = JSON.parse(text) as { version: string; gitHead?: string };
  return { version, commit: gitHead ?? checkedOut() ?? 'unknown' };
}

function checkedOut(): string | undefined {
  if (!existsSync(new URL('.git', TOP))) return undefined;
  try {
    const said = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: TOP,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.toString().trim();
  } catch {
    return undefined; // git is not installed, or trusts another user's folder with nothing
  }
}
