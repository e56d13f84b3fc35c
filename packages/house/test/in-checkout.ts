import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Runs an action on a folder that holds these files, and removes the folder. */
export function inCheckout<Result>(
  files: Readonly<Record<string, string>>,
  action: (root: string) => Result,
): Result {
  const root = mkdtempSync(path.join(tmpdir(), 'checkout-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    }
    return action(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
