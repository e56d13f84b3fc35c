import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inCheckout } from './in-checkout.js';

const ARROWS = path.resolve(import.meta.dirname, '../bin/arrows.mjs');

/** A service whose folders are subjects. */
const SRC = 'services/integrations/src';

/** Modules that break a rule, one for each way to break it: the rule, the importing file, and the import. */
const BROKEN: [rule: string, file: string, target: string][] = [
  ['domain-is-pure', 'services/auth/src/domain/user/decider.ts', 'node:fs'],
  ['domain-is-pure', 'services/auth/src/projections/users.ts', '../adapters/rows.js'],
  ['application-knows-no-adapter', 'services/auth/src/application/app.ts', '../adapters/rows.js'],
  ['adapters-decide-nothing', 'services/auth/src/adapters/use.ts', '../domain/user/decider.js'],
  ['only-service-constructs', 'services/auth/src/config.ts', './adapters/rows.js'],
  ['service-is-the-outermost-ring', 'services/auth/src/projections/wire.ts', '../parts/jobs.js'],
  ['service-is-the-outermost-ring', 'services/auth/src/adapters/door.ts', '../service.js'],
  ['subjects-meet-in-ports', `${SRC}/application/a/use.ts`, '../b/use.js'],
  ['subjects-meet-in-ports', `${SRC}/adapters/http/a/routes.ts`, '../b/views.js'],
  ['subjects-meet-in-ports', `${SRC}/adapters/postgres/a/d.ts`, '../../../application/b/use.js'],
  ['http-reads-by-queries', `${SRC}/adapters/http/a/list.ts`, '../../postgres/a/rows.js'],
  ['services-are-apart', 'services/auth/src/adapters/spy.ts', '../../../other/src/thing.js'],
  ['packages-know-no-service', 'packages/vault/src/a.ts', '../../../services/other/src/thing.js'],
  ['packages-are-entered-by-an-index', 'packages/vault/src/b.ts', '../../errors/src/deep.js'],
  ['errors-stand-alone', 'packages/errors/src/leaky.ts', 'node:os'],
  ['async-stands-alone', 'packages/async/src/leaky.ts', 'node:fs'],
  ['eventsourcing-is-pure', 'packages/eventsourcing/src/clock.ts', 'node:timers'],
  ['kafkajs-behind-its-port', 'services/auth/src/adapters/kafka.ts', 'kafkajs'],
  ['folders-of-service-have-an-order', 'packages/service/src/grpc/a.ts', '../callers/own.js'],
  ['the-workbench-is-not-shipped', 'services/auth/src/adapters/test.ts', '@junction/testing'],
  ['preflight-needs-nothing', 'packages/local-stack/src/preflight/a.mjs', 'kafkajs'],
  ['preflight-needs-nothing', 'packages/local-stack/src/preflight/b.mjs', '../built.js'],
  ['folders-of-the-page-are-whole', 'packages/dashboard/src/c/a.ts', '../a/inner/a.js'],
  ['no-cycles', 'packages/vault/src/c.ts', './d.js'],
  ['no-cycles', 'packages/vault/src/f.ts', './page.js'],
  ['no-unresolved', 'packages/vault/src/e.ts', './nowhere.js'],
];

/** A small checkout in which every arrow is allowed. */
const HOUSE: Readonly<Record<string, string>> = {
  'packages/errors/src/index.ts': 'export {};\n',
  'packages/errors/src/deep.ts': 'export {};\n',
  'packages/testing/src/index.ts': 'export {};\n',
  'packages/service/src/callers/own.ts': 'export {};\n',
  'packages/dashboard/src/a/a.ts': "import '../b/a.js';\nimport './inner/a.js';\n",
  'packages/dashboard/src/a/inner/a.ts': 'export {};\n',
  'packages/dashboard/src/b/a.ts': 'export {};\n',
  'packages/vault/src/d.ts': "import './c.js';\n",
  'packages/vault/src/c.ts': 'export {};\n',
  'packages/vault/src/f.ts': 'export {};\n',
  'packages/vault/src/page.tsx': "import './f.js';\nexport const Page = () => <p />;\n",
  'services/auth/src/adapters/rows.ts': "import '../application/verbs.js';\n",
  'services/auth/src/adapters/rows.int.test.ts': "import '@junction/testing';\n",
  'services/auth/src/application/verbs.ts': "import '../domain/user/rules.js';\n",
  'services/auth/src/parts/jobs.ts': "import '../adapters/rows.js';\n",
  'services/auth/src/domain/user/rules.ts': "import '@junction/errors';\n",
  'services/auth/src/service.ts': "import './adapters/rows.js';\n",
  [`${SRC}/application/shared.ts`]: 'export {};\n',
  [`${SRC}/application/a/fine.ts`]: "import './own.js';\nimport '../b/ports.js';\n",
  [`${SRC}/application/a/own.ts`]: "import '../shared.js';\n",
  [`${SRC}/application/b/ports.ts`]: 'export {};\n',
  [`${SRC}/application/b/use.ts`]: 'export {};\n',
  [`${SRC}/adapters/postgres/a/rows.ts`]: 'export {};\n',
  [`${SRC}/adapters/postgres/b/b-reads.ts`]: 'export {};\n',
  [`${SRC}/adapters/http/a/fine.ts`]: "import '../../postgres/b/b-reads.js';\n",
  [`${SRC}/adapters/http/b/views.ts`]: "import '../../../application/b/use.js';\n",
  'services/other/src/thing.ts': 'export {};\n',
  'node_modules/kafkajs/package.json': '{ "name": "kafkajs", "main": "index.js" }',
  'node_modules/kafkajs/index.js': '',
};

describe('the import arrows', () => {
  it('let a clean house pass, and count its modules', () => {
    const { status, stdout } = check(HOUSE);
    expect(stdout).toBe('arrows: 27 modules, none broken\n');
    expect(status).toBe(0);
  });

  const AMBIENT: [file: string, text: string][] = [
    ['domain/user/late.ts', 'export const at = new Date();'],
    ['projections/late.ts', 'export const at = Date.now();'],
    ['application/late.ts', 'export const at = performance.now();'],
    ['application/luck.ts', 'export const luck = Math.random();'],
    ['application/wait.ts', 'setTimeout(() => undefined, 5);'],
    ['domain/user/tick.ts', 'setInterval(() => undefined, 5);'],
    ['application/timers.ts', "import 'node:timers/promises';"],
  ];
  const { status, stderr } = check({
    ...HOUSE,
    ...Object.fromEntries(BROKEN.map(([, file, target]) => [file, `import '${target}';\n`])),
    ...Object.fromEntries(AMBIENT.map(([file, text]) => [`services/auth/src/${file}`, text])),
    'packages/dashboard/src/b/b.ts': "import '../a/a.js';\n",
    'services/auth/src/domain/user/given.ts':
      '// Not Date.now(), and no setTimeout().\nexport const at = (ms: number) => new Date(ms);\n',
  });

  it.each(BROKEN)('refuse %s: %s may not import %s', (rule, file) => {
    expect(stderr).toContain(`${rule}: ${file} → `);
    expect(status).toBe(1);
  });

  it('refuse folders of the page that need each other, though none of their files do', () => {
    expect(stderr).toContain('no-circle: packages/dashboard/src/b → packages/dashboard/src/a');
  });

  it.each(AMBIENT)('refuse a clock, chance or a timer in a pure room: %s: %s', (file) => {
    expect(stderr).toContain(`pure-rooms-have-no-clock: services/auth/src/${file}`);
    expect(status).toBe(1);
  });

  it('let a pure room speak of clocks, and be given a time', () => {
    expect(stderr).not.toContain('given.ts');
  });

  it('fail when a module was not read', () => {
    const broken = check({ ...HOUSE, 'packages/vault/src/broken.ts': 'import from from from\n' });
    expect(broken.stderr).toContain('packages/vault/src/broken.ts');
    expect(broken.status).not.toBe(0);
  });
});

function check(files: Readonly<Record<string, string>>) {
  return inCheckout(files, (root) => {
    mkdirSync(path.join(root, 'node_modules/@junction'), { recursive: true });
    for (const name of ['errors', 'testing']) {
      const exports = { '.': { '@junction/source': './src/index.ts' } };
      const manifest = JSON.stringify({ name: `@junction/${name}`, type: 'module', exports });
      writeFileSync(path.join(root, 'packages', name, 'package.json'), manifest);
      symlinkSync(`../../packages/${name}`, path.join(root, 'node_modules/@junction', name));
    }
    return spawnSync(process.execPath, [ARROWS, root], { encoding: 'utf8' });
  });
}
