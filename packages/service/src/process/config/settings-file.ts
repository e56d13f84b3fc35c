import { readFileSync } from 'node:fs';
import type { Mistake } from './unsafe.js';

type Environment = Readonly<Record<string, string | undefined>>;

const LINE = /^\s*([A-Za-z_]\w*)=(.*)$/;
const SAYS_NOTHING = /^\s*(#|$)/;
/** Variables that count before any file is read. */
const BEFORE = /^(SETTINGS_FILE$|OTEL_|NODE_)/;

/**
 * Returns the settings in the file that SETTINGS_FILE names, `NAME=value` on each line. Empty lines and those that
 * begin with # say nothing.
 */
export function settingsIn({ SETTINGS_FILE: file }: Environment): {
  readonly settings: Readonly<Record<string, string>>;
  readonly mistakes: readonly Mistake[];
} {
  const settings: Record<string, string> = {};
  const mistakes: Mistake[] = [];
  const wrong = (message: string, variable = 'SETTINGS_FILE') =>
    void mistakes.push({ variable, message });
  if (!file) return { settings, mistakes };
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    wrong(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (SAYS_NOTHING.test(line)) continue;
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    if (name === '') wrong(`line ${index + 1} is not NAME=value: correct or remove it`);
    else if (BEFORE.test(name)) wrong('is read before SETTINGS_FILE: set it outside', name);
    else settings[name] = value.trim();
  }
  return { settings, mistakes };
}
