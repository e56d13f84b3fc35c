import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { logger } from '../logging/logger.js';
import { settingsFollower } from './follow-settings.js';
import { parseConfig } from './parse-config.js';
import { readWithFiles } from './secret-files.js';
import { AT_ONCE, port } from './variables.js';

const folder = mkdtempSync(path.join(tmpdir(), 'junction-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const schema = z.object({
  LOG_LEVEL: z.enum(['debug', 'info', 'error']).default('info').meta(AT_ONCE),
  ROOM: port.default(5).meta(AT_ONCE),
  HTTP_PORT: port.default(80),
  KEY_SECRET: z.string().default('none'),
  SETTINGS_FILE: z.string(),
});

it('counts before the environment, without comments and empty lines', () => {
  const { config } = following('# Ours\n\nROOM=7\nHTTP_PORT= 81 \r\n', { ROOM: '6' });
  expect(config).toMatchObject({ ROOM: 7, HTTP_PORT: 81 });
});

it('counts at once where a setting is marked so, says what changed, and what counts later', () => {
  const { config, write, said, levels } = following('ROOM=7', { LOG_LEVEL: 'error' });
  write('ROOM=7\n# no change');
  expect(said()).toEqual([]);
  write('ROOM=9\nHTTP_PORT=81\nKEY_SECRET=hunter2\nOF_ANOTHER_SERVICE=1\nLOG_LEVEL=debug');
  expect(config).toMatchObject({ ROOM: 9, HTTP_PORT: 80, KEY_SECRET: 'none', LOG_LEVEL: 'debug' });
  const later = 'a changed setting counts after a restart';
  expect(said()).toEqual([
    { msg: 'a setting has changed', setting: 'ROOM', before: '7', after: '9' },
    { msg: later, setting: 'HTTP_PORT' },
    { msg: later, setting: 'KEY_SECRET' },
    { msg: 'a setting has changed', setting: 'LOG_LEVEL', before: 'error', after: 'debug' },
  ]);
  write('');
  expect(config).toMatchObject({ ROOM: 5, LOG_LEVEL: 'error' });
  expect(said()).toContainEqual({
    msg: 'a setting has changed',
    setting: 'ROOM',
    before: '9',
    after: null,
  });
  expect(levels).toEqual(['debug', 'error']);
});

it.each([
  ['a value of no use', 'ROOM=9\nLOG_LEVEL=loud', /LOG_LEVEL: Invalid option: expected one of/],
  [
    'a line without a name',
    'ROOM=9\nLOG_LEVEL',
    /SETTINGS_FILE: line 2 is not NAME=value: correct/,
  ],
  [
    'a variable that is read before it',
    'ROOM=9\nOTEL_SDK_DISABLED=1',
    /OTEL_SDK_DISABLED: is read/,
  ],
])('is refused whole for %s, once, and the settings before go on', (_, text, mistake) => {
  const { config, write } = following('ROOM=7');
  expect(() => write(text)).toThrow(mistake);
  expect(() => write(text)).not.toThrow();
  expect(config).toMatchObject({ ROOM: 7 });
  write('ROOM=8');
  expect(config).toMatchObject({ ROOM: 8 });
});

it('is refused while it cannot be read', () => {
  const { take } = following('ROOM=7');
  expect(take).toThrow(/SETTINGS_FILE: names a file that cannot be read \(ENOENT\)/);
});

/** A process that follows a file which holds this. */
function following(first: string, outside: Readonly<Record<string, string>> = {}) {
  const file = path.join(folder, 'settings.env');
  writeFileSync(file, first);
  const env = { ...outside, SETTINGS_FILE: file };
  const read = (from: Readonly<Record<string, string | undefined>>) => parseConfig(schema, from);
  const config = readWithFiles(env, read);
  const lines: string[] = [];
  const levels: string[] = [];
  const log = logger('test', 'error', { destination: { write: (line) => void lines.push(line) } });
  const changed = () => void levels.push(config.LOG_LEVEL);
  const look = settingsFollower({ env, read, schema, config, changed, log });
  return {
    config,
    levels,
    write(text: string) {
      writeFileSync(file, text);
      look();
    },
    take() {
      rmSync(file);
      look();
    },
    said: () =>
      lines.map((line) => ({
        ...(JSON.parse(line) as object),
        level: undefined,
        time: undefined,
        name: undefined,
      })),
  };
}
