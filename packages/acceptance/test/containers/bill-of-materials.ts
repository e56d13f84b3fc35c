import { readdirSync, readFileSync } from 'node:fs';
import { expect } from '@jest/globals';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
}

/** Names of what a CycloneDX file lists besides our own packages; each must have a version and a package URL. */
export function listedIn(file: string): readonly string[] {
  const { bomFormat, components } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly bomFormat: string;
    readonly components: readonly Component[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const others = components.filter(({ name }) => !name.startsWith('@junction/'));
  for (const one of others) {
    expect(one).toMatchObject({
      version: expect.any(String),
      purl: expect.stringMatching(/^pkg:/),
    });
  }
  return others.map(({ name }) => name);
}

/** Names of the packages in a node_modules, without those of a scope. */
export const installedIn = (nodeModules: string): readonly string[] =>
  readdirSync(nodeModules).filter((each) => !/^[.@]/.test(each));
