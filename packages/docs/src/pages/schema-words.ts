/** Members of a JSON Schema that the pages use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly example?: unknown;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** A schema in words that fit into the cell of a table; one with a name leads to it. */
export function wordsOf(schema: Schema): string {
  if (schema.$ref !== undefined)
    return `[${nameOf(schema.$ref)}](/docs/api/objects#${nameOf(schema.$ref)})`;
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice !== undefined) return unique(choice.map(wordsOf)).join(' or ');
  if (schema.allOf !== undefined) return unique(schema.allOf.map(wordsOf)).join(' and ');
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ');
  const types = [schema.type ?? 'any'].flat();
  return types.map((type) => typed(type, schema)).join(' or ');
}

function typed(type: string, { items, properties, required = [] }: Schema): string {
  if (type === 'array') return `list of ${items === undefined ? 'any' : wordsOf(items)}`;
  if (type !== 'object' || properties === undefined) return type;
  const members = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${wordsOf(schema)}`,
  );
  return `{${members.join(', ')}}`;
}

const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];

/** A table of Markdown. What holds its own sign for a column keeps it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
