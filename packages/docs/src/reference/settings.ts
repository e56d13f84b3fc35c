import { isSecret } from '@junction/service/process';
import { z } from 'zod';

/** A service, and the schema of the variables that it reads. */
export interface Configured {
  readonly name: string;
  readonly settings: z.ZodObject;
}

/** A table of what all services read in the same words, and one of what else each reads. */
export function settingsTables(services: readonly Configured[]): string {
  const rows = services.map(({ name, settings }) => ({ name, rows: rowsOf(settings) }));
  const [first, ...others] = rows;
  const common = (first?.rows ?? []).filter((row) =>
    others.every((each) => each.rows.includes(row)),
  );
  return [
    ['## Every service', ...HEAD, ...common].join('\n'),
    ...rows.map(({ name, rows: own }) =>
      [`## ${name}`, ...HEAD, ...own.filter((row) => !common.includes(row))].join('\n'),
    ),
  ].join('\n\n');
}

const HEAD = ['', '| variable | default | meaning |', '| --- | --- | --- |'];

function rowsOf(settings: z.ZodObject): readonly string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(settings, {
    io: 'input',
    unrepresentable: 'any',
  });
  return Object.entries(properties).map(([variable, schema]) => {
    const {
      description,
      default: byDefault,
      countsAtOnce,
    } = typeof schema === 'boolean' ? {} : schema;
    if (description === undefined) throw new Error(`${variable} has no meaning: .describe() it.`);
    const instead = required.includes(variable) ? '**needed**' : 'none';
    const text = byDefault === undefined ? instead : textOf(byDefault);
    const secret = isSecret(variable) ? 'secret: ' : '';
    const atOnce = countsAtOnce ? '*at once*: ' : '';
    return `| ${variable} | ${text} | ${atOnce}${secret}${description} |`;
  });
}

const textOf = (value: unknown): string => {
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return text === '' ? 'none' : text;
};
