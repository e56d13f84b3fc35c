// The arrows of docs/architecture.md, as rules. packages/house/test/arrows.test.ts feeds this file
// one module that breaks each rule, so a rule that stopped biting is noticed.

const PURE = '^services/[^/]+/src/(domain|projections)/';
/** Files that put a service together. */
const WIRING = '^services/[^/]+/src/(parts/|service[.]ts$)';
/** Floors whose folders are subjects. */
const FLOOR = 'src/(?:application|adapters/(?:http|postgres))';
/** Folders of packages/service, each above those that it may import. */
const SERVICE = ['errors', 'process', 'outbound', 'http', 'grpc', 'callers', 'platform'];
/** Queries that nobody decides anything on. */
const READS = '^services/[^/]+/src/adapters/postgres/.+-reads[.]ts$';
const TEST =
  '[.](test|int[.]test|e2e[.]test|tools[.]test|slow[.]test)[.]ts$|^(services|packages)/[^/]+/test/';
const WORKBENCH = '^packages/(local-stack|testing|dev-servers|demo|acceptance|house|bench)/';

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

export default {
  forbidden: [
    forbid(
      'domain-is-pure',
      'domain/ and projections/ know facts and rules, no technology and nothing around them. zod says which fields an event has.',
      { path: PURE, pathNot: TEST },
      { pathNot: [PURE, '^packages/(eventsourcing|errors|contracts)/', '^node_modules/zod/'] },
    ),
    forbid(
      'application-knows-no-adapter',
      'Arrows point inwards: adapters to application to domain.',
      { path: '^services/[^/]+/src/application/', pathNot: TEST },
      { path: '^services/[^/]+/src/(adapters/|parts/|service|main)' },
    ),
    forbid(
      'adapters-decide-nothing',
      'Commands are issued in application/ and nowhere else.',
      { path: '^services/[^/]+/src/adapters/', pathNot: TEST },
      { path: '^services/[^/]+/src/domain/.*decider[.]ts$' },
    ),
    forbid(
      'only-service-constructs',
      'service.ts and its parts/ put adapters together; nobody else knows one.',
      { path: '^services/[^/]+/src/', pathNot: ['^services/[^/]+/src/adapters/', WIRING, TEST] },
      { path: '^services/[^/]+/src/adapters/' },
    ),
    forbid(
      'service-is-the-outermost-ring',
      'main.ts runs service.ts and its parts/; nothing else imports them.',
      { path: '^services/', pathNot: [WIRING, '^services/[^/]+/src/main[.]ts$', TEST] },
      { path: [WIRING, '^services/[^/]+/src/main[.]ts$'] },
    ),
    forbid(
      'subjects-meet-in-ports',
      'A subject imports the ports.ts and the reads of another, on any floor, and no other file of it. What several subjects use lies beside their folders.',
      { path: `^services/([^/]+)/${FLOOR}/([^/]+)/`, pathNot: TEST },
      { path: `^services/$1/${FLOOR}/(?!$2/)[^/]+/`, pathNot: ['/ports[.]ts$', READS] },
    ),
    forbid(
      'http-reads-by-queries',
      'What a route reads by itself is a query of a …reads.ts; anything else in the database is behind a use case.',
      { path: '^services/[^/]+/src/adapters/http/', pathNot: TEST },
      { path: '^services/[^/]+/src/adapters/postgres/', pathNot: READS },
    ),
    forbid(
      'services-are-apart',
      'Services meet in contracts and in topics, never in each other.',
      { path: '^services/([^/]+)/' },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    forbid(
      'packages-know-no-service',
      'A package serves whoever asks.',
      { path: '^packages/' },
      { path: '^services/' },
    ),
    forbid(
      'packages-are-entered-by-an-index',
      'The index.ts files that a package exports are its whole public surface.',
      { path: '^(packages/[^/]+|services/[^/]+)/' },
      {
        path: '^packages/[^/]+/src/',
        pathNot: [
          '^$1/',
          '^packages/[^/]+/src/(index|testing)[.]ts$',
          '^packages/[^/]+/src/[^/]+/index[.]ts$',
          '^packages/(dev-servers|eventsourcing|service)/src/[^/]+/[^/]+/index[.]ts$',
        ],
      },
    ),
    ...SERVICE.slice(0, -1).map((folder, at) =>
      forbid(
        'folders-of-service-have-an-order',
        'A folder of packages/service imports those below it, so that no two need each other.',
        { path: `^packages/service/src/${folder}/`, pathNot: TEST },
        { path: SERVICE.slice(at + 1).map((above) => `^packages/service/src/${above}/`) },
      ),
    ),
    forbid(
      'errors-stand-alone',
      'AppError is at the bottom of everything.',
      { path: '^packages/errors/src/', pathNot: TEST },
      { pathNot: '^packages/errors/' },
    ),
    forbid(
      'async-stands-alone',
      'Waiting and repeating need no technology.',
      { path: '^packages/async/src/', pathNot: TEST },
      { pathNot: ['^packages/async/', '^(node:)?timers'] },
    ),
    forbid(
      'eventsourcing-is-pure',
      'No database, no process, no clock behind a decider.',
      {
        path: '^packages/eventsourcing/src/(?!postgres/)',
        pathNot: [TEST, '/testing([^/]*[.]ts$|/)'],
      },
      { pathNot: ['^packages/(eventsourcing/src/(?!postgres/)|errors/)', 'node_modules/uuid/'] },
    ),
    forbid(
      'kafkajs-behind-its-port',
      'kafkajs has no maintainer: the package kafka alone ships it, so one package can replace it. The local stack asks its admin, the bench compares with it bare, and the tests of messaging write as others would.',
      { path: '^(services|packages/(?!(kafka|local-stack|bench)/|messaging/test/))' },
      { path: 'node_modules/kafkajs' },
    ),
    forbid(
      'the-workbench-is-not-shipped',
      'What serves development and tests stays out of what runs in production.',
      { path: '^(packages|services)/', pathNot: [WORKBENCH, TEST] },
      { path: WORKBENCH },
    ),
    forbid(
      'preflight-needs-nothing',
      'It runs on a fresh clone, where nothing is installed and nothing is built.',
      { path: '^packages/local-stack/src/preflight/', pathNot: TEST },
      { pathNot: '^packages/local-stack/src/preflight/.*[.]mjs$', dependencyTypesNot: ['core'] },
    ),
    {
      ...forbid(
        'folders-of-the-page-form-no-circle',
        'A folder of the page that needs another is not needed by it: what both need lies below them.',
        { path: '^packages/dashboard/src/' },
        { circular: true },
      ),
      scope: 'folder',
    },
    forbid(
      'folders-of-the-page-are-whole',
      'A folder within one of the page is used by that one alone, so that the rule before sees each circle.',
      { path: '^packages/dashboard/src/([^/]+)/' },
      { path: '^packages/dashboard/src/[^/]+/[^/]+/', pathNot: '^packages/dashboard/src/$1/' },
    ),
    forbid('no-cycles', 'A cycle has no first file to read.', {}, { circular: true }),
    forbid('no-unresolved', 'An import that resolves to nothing.', {}, { couldNotResolve: true }),
  ],
  options: {
    parser: 'swc', // without @swc/core this tool finds no module in a TypeScript 7 tree, and passes
    metrics: true, // makes the folders that rules with this scope are about
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/', '^packages/contracts/src/gen/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@junction/source', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
    },
  },
};
