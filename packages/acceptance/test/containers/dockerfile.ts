/** An instruction of a Dockerfile. */
export interface Instruction {
  readonly keyword: string;
  /** `--from=build` and its like. */
  readonly flags: Readonly<Record<string, string>>;
  /** Text after keyword and flags, on one line. */
  readonly text: string;
}

/** The instructions of a Dockerfile, in order: comments gone, continued lines joined. */
export function parseDockerfile(text: string): readonly Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n');
  return lines.map((line) => {
    const [, keyword = '', options = '', rest = ''] =
      /^\s*(\w+)((?:\s+--[\w-]+=\S+)*)\s+(.*)$/.exec(line) ?? [];
    const flags = [...options.matchAll(/--([\w-]+)=(\S+)/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    return { keyword: keyword.toUpperCase(), flags: Object.fromEntries(flags), text: rest.trim() };
  });
}

/** The exec form, which starts no shell. Throws for anything else. */
export function execForm(text: string): readonly string[] {
  const words: unknown = text.startsWith('[') ? JSON.parse(text) : undefined;
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  throw new Error(`Not in exec form: ${text}`);
}

/** `$NAME` and `${NAME}`, which Docker replaces in every instruction but RUN. */
export const expanded = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, bare) => values[braced ?? bare] ?? '');

/** Whether .dockerignore keeps this path, relative and with slashes, out of a build. */
export function ignores(dockerignore: string): (path: string) => boolean {
  const patterns = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      if (line.startsWith('!')) throw new Error(`Exceptions are not read here: ${line}`);
      const source = line
        .replaceAll(/[.+^$()|{}[\]]/g, '\\$&')
        .replaceAll('**/', '\0')
        .replaceAll('*', '[^/]*')
        .replaceAll('\0', '(?:.*/)?');
      return new RegExp(`^${source}(?:/|$)`);
    });
  return (path) => patterns.some((pattern) => pattern.test(path));
}
