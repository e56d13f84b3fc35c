import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse, parseDocument } from 'yaml';
import { type IdentityProviderSettings, providersSchema } from './provider-settings.js';

export interface ProvidersFile {
  readonly path: string;
  /** The environment, where `env:NAME` is looked up. */
  readonly variable: (name: string) => string | undefined;
  readonly allowHttp: boolean;
}

/** Reads PROVIDERS_FILE. Throws one error that names the file and every mistake in it, and shows no value. */
export async function readProviders(
  file: ProvidersFile,
): Promise<readonly IdentityProviderSettings[]> {
  const text = await readFile(file.path, 'utf8').catch((cause: unknown) => {
    throw new Error(`PROVIDERS_FILE: ${file.path} cannot be read.`, { cause });
  });
  return parseProviders(text, file);
}

/** Reads the providers from the file's text. */
export function parseProviders(
  text: string,
  { path, variable, allowHttp }: ProvidersFile,
): readonly IdentityProviderSettings[] {
  const mistakes: string[] = [];
  const filled = withVariables(yamlIn(text, path), [], variable, mistakes);
  const result = providersSchema({ allowHttp, folder: dirname(path) }).safeParse(filled, {
    reportInput: false,
  });
  for (const issue of result.error?.issues ?? []) {
    const place = issue.path.map(String).join('.') || 'the file';
    // A missing variable is named already.
    if (!mistakes.some((mistake) => mistake.startsWith(`${place}:`))) {
      mistakes.push(`${place}: ${issue.message}`);
    }
  }
  if (result.success && mistakes.length === 0) return result.data;
  throw new Error(`PROVIDERS_FILE: ${path} is not usable:\n  ${mistakes.join('\n  ')}`);
}

function yamlIn(text: string, path: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch {
    throw new Error(`PROVIDERS_FILE: ${path} is not YAML${whereIn(text)}.`);
  }
}

/** Names nothing more: the parser's own message would quote the file. */
function whereIn(text: string): string {
  const line = parseDocument(text).errors[0]?.linePos?.[0].line;
  return line === undefined ? '' : ` (line ${line})`;
}

const ENV = 'env:';

function withVariables(
  value: unknown,
  path: readonly string[],
  variable: ProvidersFile['variable'],
  mistakes: string[],
): unknown {
  const at = (key: string, inner: unknown) =>
    withVariables(inner, [...path, key], variable, mistakes);

  if (Array.isArray(value)) return value.map((item, index) => at(String(index), item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, at(key, inner)]));
  }
  if (path.at(-1) === 'client_secret' && typeof value === 'string' && !value.startsWith(ENV)) {
    mistakes.push(`${path.join('.')}: must be env:NAME; a secret does not belong into the file`);
    return value;
  }
  if (typeof value !== 'string' || !value.startsWith(ENV)) return value;

  const name = value.slice(ENV.length);
  const found = variable(name);
  if (found === undefined || found === '') {
    mistakes.push(`${path.join('.')}: the variable ${name} is not set`);
    return undefined;
  }
  return found;
}
