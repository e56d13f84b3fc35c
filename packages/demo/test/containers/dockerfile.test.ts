import { describe, expect, it } from '@jest/globals';
import { execForm, expanded, ignores, parseDockerfile } from './dockerfile.js';

describe('a Dockerfile', () => {
  it('is read as its instructions', () => {
    const text = `# a comment
FROM node:24 AS base

RUN --mount=type=cache,target=/root/.npm npm ci \\
  --ignore-scripts
COPY --from=base /out ./
HEALTHCHECK --interval=5s --retries=3 CMD ["a", "--b"]
`;
    expect(parseDockerfile(text)).toEqual([
      { keyword: 'FROM', flags: {}, text: 'node:24 AS base' },
      {
        keyword: 'RUN',
        flags: { mount: 'type=cache,target=/root/.npm' },
        text: 'npm ci --ignore-scripts',
      },
      { keyword: 'COPY', flags: { from: 'base' }, text: '/out ./' },
      { keyword: 'HEALTHCHECK', flags: { interval: '5s', retries: '3' }, text: 'CMD ["a", "--b"]' },
    ]);
  });

  it('starts no shell', () => {
    expect(execForm('["node", "main.mjs"]')).toEqual(['node', 'main.mjs']);
    expect(() => execForm('node main.mjs')).toThrow('Not in exec form');
  });

  it('may use its arguments', () => {
    expect(expanded('/app/$A/${B}/$C', { A: 'a', B: 'b' })).toBe('/app/a/b/');
  });
});

describe('.dockerignore', () => {
  const isIgnored = ignores('# why\n.git\n**/dist\n**/*.md\ndocs\ndocker-compose*.yml\n');

  it.each([
    '.git/config',
    'dist',
    'a/b/dist/c.js',
    'README.md',
    'a/b.md',
    'docs/x',
    'docker-compose.yml',
  ])('keeps %s out', (path) => expect(isIgnored(path)).toBe(true));

  it.each(['.gitignore', 'distance', 'a/docs/x', 'a/docker-compose.yml', 'b.mdx'])(
    'lets %s in',
    (path) => expect(isIgnored(path)).toBe(false),
  );
});
