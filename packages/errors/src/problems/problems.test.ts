import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { problemAreas, problems } from './index.js';

describe('the catalogue of problems', () => {
  it('holds no code that is never answered', () => {
    const answered = new Set([...thrown(), ...NAMED_IN.flatMap(wordsOf)]);
    expect(Object.keys(problems).filter((code) => !answered.has(code))).toEqual([]);
  });

  it('holds the codes that are answered without an AppError', () => {
    const codes = UNTYPED.flatMap(([file, pattern]) => matches(textOf(file), pattern));
    expect(codes.length).toBeGreaterThan(15);
    expect(codes.filter((code) => !Object.hasOwn(problems, code))).toEqual([]);
  });

  it('holds each code once', () => {
    const codes = Object.values(problemAreas).flatMap((area) => Object.keys(area));
    expect(codes.sort()).toEqual(Object.keys(problems).sort());
  });

  it.each(Object.entries(problems))('explains %s and its remedy in sentences', (_, problem) => {
    expect(problem.cause).toMatch(/^[A-Z`].+\.$/);
    expect(problem.remedy).toMatch(/^[A-Z`].+\.$/);
  });
});

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].flatMap(([, code]) => code ?? []);

/** Files in which a type checks the codes, outside of `new AppError('…')`. */
const NAMED_IN = [
  'packages/contracts/src/event-problem.ts',
  'packages/local-stack/src/gateway/gateway-problems.ts',
  'services/auth/src/application/client/oauth-error.ts',
  'services/integrations/src/adapters/http/rate-limits.ts',
  'services/integrations/src/application/ending/security-event-refusal.ts',
];
const wordsOf = (file: string) => matches(textOf(file), /(\w+)/g);

/** Files whose codes are plain texts to the compiler, with a pattern that finds them. */
const UNTYPED: readonly (readonly [file: string, code: RegExp])[] = [
  ['infra/gateway/nginx.conf', /"code":"(\w+)"/g],
  ['packages/local-stack/src/gateway/gateway-problems.ts', /code: '(\w+)'/g],
  ['services/auth/src/application/client/oauth-error.ts', /\| '(\w+)'/g],
  ['services/integrations/src/application/ending/security-event-refusal.ts', /\| '(\w+)'/g],
];

/** Returns the code of every `new AppError('…')` in packages and services, without their tests. */
const thrown = (): readonly string[] =>
  ['packages', 'services'].flatMap((room) =>
    readdirSync(path.join(ROOT, room))
      .map((name) => path.join(room, name, 'src'))
      .filter((folder) => existsSync(path.join(ROOT, folder)))
      .flatMap(sources),
  );

const sources = (folder: string): readonly string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => matches(textOf(path.join(folder, file)), /new AppError\(\s*'(\w+)'/g));
