const MEMBERS_MAX = 20;
const NAME_MAX = 40;
const VALUE_MAX = 500;

/** Notes of the owner about a webhook, for programs: they change nothing that is sent. */
export type Metadata = Readonly<Record<string, string>>;

export interface MetadataProblem {
  /** Name of the member; absent: the problem is about all members together. */
  readonly name?: string;
  readonly code: string;
  readonly message: string;
}

/** Control characters would be invisible, or worse, wherever they are shown. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Returns the first problem; undefined: the value is `Metadata`. */
export function metadataProblem(metadata: unknown): MetadataProblem | undefined {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return { code: 'invalid_type', message: 'must be an object of texts by their names.' };
  }
  const entries: readonly (readonly [string, unknown])[] = Object.entries(metadata);
  if (entries.length > MEMBERS_MAX) {
    return { code: 'too_big', message: `may have at most ${MEMBERS_MAX} members.` };
  }
  for (const [name, value] of entries) {
    const problem = nameProblem(name) ?? valueProblem(value);
    if (problem !== undefined) return { name: name.slice(0, NAME_MAX), ...problem };
  }
  return undefined;
}

function nameProblem(name: string): MetadataProblem | undefined {
  const fits = name.length > 0 && name.length <= NAME_MAX && !UNPRINTABLE.test(name);
  // In many languages `__proto__` is no field of an object.
  if (fits && name !== '__proto__') return undefined;
  const message = `is no name: 1 to ${NAME_MAX} characters, none of them a control character, and not __proto__.`;
  return { code: 'invalid_format', message };
}

function valueProblem(value: unknown): MetadataProblem | undefined {
  if (typeof value !== 'string') return { code: 'invalid_type', message: 'must be a text.' };
  if (value.length > VALUE_MAX) {
    return { code: 'too_big', message: `may have at most ${VALUE_MAX} characters.` };
  }
  if (!UNPRINTABLE.test(value)) return undefined;
  return {
    code: 'invalid_format',
    message: 'must be text in one line, without control characters.',
  };
}
