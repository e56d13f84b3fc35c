import { describe, expect, it } from '@jest/globals';
import { needsStack, withProjects } from './run-tests.js';

describe('a run of the tests', () => {
  it('is of everything that the prerequisites can run, unless projects are chosen', () => {
    const all = ['--selectProjects', 'unit', 'int', 'e2e'];
    expect(withProjects([])).toEqual(all);
    expect(withProjects(['--ci', '--', 'packages/vault'])).toEqual([
      '--ci',
      ...all,
      '--',
      'packages/vault',
    ]);
    expect(withProjects(['--selectProjects', 'int'])).toEqual(['--selectProjects', 'int']);
  });

  it('needs servers unless all its tests are pure', () => {
    expect(needsStack(['--selectProjects', 'unit', 'int'])).toBe(true);
    expect(needsStack(['--selectProjects', 'tools', '--ci'])).toBe(true);
    expect(needsStack(['--selectProjects', 'unit', '--', 'int'])).toBe(false);
    expect(needsStack(['--ci', '--selectProjects', 'unit'])).toBe(false);
  });
});
