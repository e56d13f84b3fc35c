const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;
const INDENT = '  ';

/**
 * Returns the same JSON with line breaks and indentation. Strings and numbers stay as they are written: parsing would
 * round large numbers, drop doubled keys and rewrite escapes. Text that is no JSON comes back unchanged.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  const out: string[] = [];
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const opened = last === '{' || last === '[';
    if (closes ? !opened : opened || last === ',') out.push('\n', INDENT.repeat(depth));
    out.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    last = token;
  }
  return out.join('');
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the line on which each object and array of indented JSON ends, by the line on which it begins. */
export function foldsOf(lines: readonly string[]): ReadonlyMap<number, number> {
  const open: number[] = [];
  const folds = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const begin = /^\s*[}\]]/.test(line) ? open.pop() : undefined;
    if (begin !== undefined) folds.set(begin, index);
    if (/[{[]$/.test(line)) open.push(index);
  }
  return folds;
}

const PART = /("(?:[^"\\]|\\.)*")(?=:)|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null)/g;
const KINDS = ['name', 'string', 'number', 'literal'] as const;

/** A piece of a line: a value or a name, or with no kind what stands between them. */
export interface JsonPart {
  readonly text: string;
  readonly kind?: (typeof KINDS)[number] | undefined;
}

/** Splits a line of indented JSON; joined again the parts are the line. */
export function partsOf(line: string): readonly JsonPart[] {
  const parts: JsonPart[] = [];
  let end = 0;
  for (const { 0: text, index, ...groups } of line.matchAll(PART)) {
    if (index > end) parts.push({ text: line.slice(end, index) });
    parts.push({ text, kind: KINDS.find((_, n) => groups[n + 1] !== undefined) });
    end = index + text.length;
  }
  return end < line.length ? [...parts, { text: line.slice(end) }] : parts;
}
