import { expect, it } from '@jest/globals';
import { AT_ONCE } from '@junction/service/process';
import { z } from 'zod';
import { settingsTables } from './settings.js';

const common = z.string().describe('what both read');
const mail = z.object({ BOTH: common, SMTP_URL: z.string().optional().describe('the server') });
const notes = z.object({
  BOTH: common,
  SIZE: z.coerce.number<string>().default(7).describe('how many').meta(AT_ONCE),
  NAMES: z
    .string()
    .transform((text) => text.split(','))
    .prefault('a,b')
    .describe('which'),
});

it('has what all services read once, then what each reads, with defaults and secrets', () => {
  const head = '\n\n| variable | default | meaning |\n| --- | --- | --- |\n';
  expect(
    settingsTables([
      { name: 'mail', settings: mail },
      { name: 'notes', settings: notes },
    ]),
  ).toBe(
    [
      `## Every service${head}| BOTH | **needed** | what both read |`,
      `## mail${head}| SMTP_URL | none | secret: the server |`,
      `## notes${head}| SIZE | 7 | *at once*: how many |\n| NAMES | a,b | which |`,
    ].join('\n\n'),
  );
});

it('refuses a variable without a meaning', () => {
  const settings = z.object({ MUTE: z.string() });
  expect(() => settingsTables([{ name: 'mute', settings }])).toThrow('MUTE has no meaning');
});
