import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { semaphore } from '@junction/async';
import { SERVICES } from '@junction/contracts';
import type { Endpoints } from '@junction/demo';
import { type Product, signUp } from '@junction/demo';
import { apiAt, type Receiver, startReceiver } from '@junction/testing';
import { type Ada, adaOf } from './ada.js';
import { ANOTHER_USER, type Caller, everybody } from './callers.js';
import { PORTAL_ORIGIN } from './credentials.js';
import { demandOf, mistakeOf, OPEN, verdictOf } from './expectations.js';
import { grpcMethods, wrongCalls } from './grpc-methods.js';
import { type Node, nameOf, type Operation, operationsOf } from './operations.js';
import { type Cell, send, type Things } from './requests.js';

const MINUTE = 60_000;
const AT_ONCE = 12;
/** Settings of the product: everybody asks from one network here, and more often than anybody would. */
export const MATRIX_SETTINGS = {
  API_LIMIT_PER_CALLER: '1000000',
  SIGN_IN_LIMITS: 'account=100000/900,network=100000/900,registration=100000/600',
  PORTAL_ORIGINS: PORTAL_ORIGIN,
};
/**
 * Operations that end the session of their caller, or remove its factor. Each call therefore has a session of its
 * own.
 */
const ENDING = ['logout', 'endBrowserSession', 'removeTotp'];

/** Values of parameters that belong to no user, or to things that are not protected per user. */
const OTHERS = {
  '/api/auth/deletion-receipts/{id}': 'rcp_unknown',
  '/api/auth/sign-in/{id}': 'acme',
  '/api/integrations/{provider}': 'mailbox',
  '/api/integrations/{identityProvider}': 'acme',
  '/api/integrations/{identityProvider}/{provider}': 'mailbox',
  '/api/ops/auth/projections/{name}': 'unknown',
  '/api/ops/integrations/projections/{name}': 'unknown',
  '/api/ops/webhook-dispatcher/projections/{name}': 'unknown',
  '/api/ops/auth/clients/{id}': `cli_${randomUUID()}`,
  '/api/ops/webhook-dispatcher/circuits/{webhook_id}': `wh_${randomUUID()}`,
  '/api/ops/webhook-dispatcher/webhooks/{webhook_id}': `wh_${randomUUID()}`,
  ...Object.fromEntries(
    SERVICES.flatMap((service) => [
      [`/api/ops/${service}/dead-letters/{id}`, randomUUID()],
      [`/api/ops/${service}/events/{event_id}`, randomUUID()],
      [`/api/ops/${service}/streams/{stream_id}`, 'user-unknown'],
    ]),
  ),
};

let product: Product;
let receiver: Receiver;
let endpoints: Endpoints;
let operations: readonly Operation[];
let ada: Ada;
let before: unknown;
let callers: readonly Caller[];
let cells: readonly Cell[];
let things: Things;

/** The cases call every operation as everybody, as an operator too: nobody else may use the product meanwhile. */
export function matrixCases(started: () => Product): void {
  describe('the matrix of callers and operations', () => {
    beforeAll(async () => {
      product = started();
      await prepare();
    }, 5 * MINUTE);
    afterAll(async () => receiver?.close());

    operationCases();
    thingCases();
    grpcCases();
  });
}

async function prepare(): Promise<void> {
  receiver = await startReceiver();
  ({ endpoints } = product);
  const api = apiAt(endpoints.gateway);
  operations = operationsOf((await api('GET', '/openapi.json')).body as Node);
  const keyScopes = new Set(operations.flatMap(({ apiKeyScope }) => apiKeyScope ?? []));
  const person = await signUp(api);
  callers = await everybody({ product, api, ada: person, keyScopes: [...keyScopes] });
  ada = await adaOf(person, product, receiver);
  before = await ada.kept();
  // Operators may do to users what they are for, so the one they do it to is not Ada.
  const { id } = await signUp(api);
  const operated = { '/api/ops/auth/users/{id}': id, '/api/ops/auth/operators/{user_id}': id };
  things = { ...OTHERS, ...ada.things, ...operated };
  cells = await table();
}

const operationCases = () =>
  describe('each operation of openapi.json', () => {
    it('says who may call it', () => {
      const todo = operations
        .map(demandOf)
        .flatMap((one) => (one.kind === 'undeclared' ? one.todo : []));
      expect(todo).toEqual([]);
      expect(operations.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(OPEN)));
    });

    it('lets in whom it says, and refuses everybody else for the right reason', () => {
      const wrong = cells.flatMap((cell) => {
        const { operation, caller } = cell;
        const mistake = mistakeOf(cell, verdictOf(demandOf(operation), caller.shows, caller.page));
        return mistake === undefined ? [] : `${nameOf(operation)} · ${caller.name}: ${mistake}`;
      });
      expect(wrong).toEqual([]);
      expect(cells).toHaveLength(operations.length * callers.length);
    });

    it('tells nobody a secret or an address of another user', () => {
      const told = cells
        .filter(({ caller }) => !caller.isAda)
        .filter(({ text }) => ada.canaries.some((canary) => text.includes(canary)));
      expect(told.map(({ operation, caller }) => `${nameOf(operation)} · ${caller.name}`)).toEqual(
        [],
      );
    });

    it('lets no page of another origin read its answer', () => {
      const readable = cells.filter(({ allowsOrigin }) => allowsOrigin);
      expect(readable.map(({ operation }) => nameOf(operation))).toEqual([]);
    });
  });

const thingCases = () =>
  describe('a thing of a user', () => {
    it('is found by its owner, so that the requests of others name something', async () => {
      const owner: Caller = {
        name: 'owner',
        shows: { kind: 'session' },
        headers: () => ({ authorization: `Bearer ${ada.person.token}` }),
      };
      const reads = operations.filter((one) => one.method === 'GET' && namesHers(one));
      const found = await Promise.all(
        reads.map(async (operation) => send(endpoints, { operation, caller: owner, things })),
      );
      expect(reads.length).toBeGreaterThan(5);
      expect(found.filter(({ status }) => status !== 200).map((one) => lineOf(one))).toEqual([]);
    });

    it('is answered to another user as if nobody had it', async () => {
      const caller = callers.find(({ name }) => name === ANOTHER_USER);
      const unknown = Object.entries(ada.things).map(([path, id]) => [path, neighbourOf(id)]);
      const others: Things = { ...things, ...(Object.fromEntries(unknown) as Things) };
      const hers = cells.filter(
        (cell) => cell.caller.name === ANOTHER_USER && namesHers(cell.operation),
      );
      const differing = await Promise.all(
        hers.map(async (cell) => {
          if (caller === undefined) throw new Error('Nobody is another user.');
          const { status, code } = await send(endpoints, { ...cell, caller, things: others });
          const isSame = status === cell.status && code === cell.code;
          return isSame ? [] : `${lineOf(cell)}, and for an unknown id: ${status} ${code ?? ''}`;
        }),
      );
      expect(hers.length).toBeGreaterThan(20);
      expect(differing.flat()).toEqual([]);
    });

    it('is unchanged after every caller has called every operation', async () => {
      expect(await ada.kept()).toEqual(before);
    });
  });

const grpcCases = () =>
  describe('each method of gRPC', () => {
    it('says in its comment which scope opens it', () => {
      const methods = grpcMethods();
      expect(methods.length).toBeGreaterThan(6);
      expect(methods.filter(({ scope }) => scope === undefined).map(({ path }) => path)).toEqual(
        [],
      );
    });

    it('lets in services with that scope, and nobody else', async () => {
      expect(await wrongCalls(product.endpoints, grpcMethods(), callers)).toEqual([]);
    });
  });

/**
 * Has every caller call every operation; operations that end the session come last. One caller follows the other,
 * because some operations are answered so many times a second.
 */
async function table(): Promise<readonly Cell[]> {
  const refusal = () => new Error('The table has an end.');
  const inTurn = semaphore({ atOnceMax: AT_ONCE, waitingMax: Infinity, refusal });
  const pairs = callers.flatMap((caller) => operations.map((operation) => ({ operation, caller })));
  const isEnding = ({ operation }: (typeof pairs)[number]) => ENDING.includes(operation.id);
  const all = async (some: typeof pairs) =>
    Promise.all(
      some.map(async ({ operation, caller }) =>
        inTurn(async () => {
          const one = isEnding({ operation, caller }) ? await caller.anew?.() : undefined;
          return send(endpoints, { operation, caller: one ?? caller, things });
        }),
      ),
    );
  return [
    ...(await all(pairs.filter((pair) => !isEnding(pair)))),
    ...(await all(pairs.filter(isEnding))),
  ];
}

const namesHers = ({ path }: Operation): boolean =>
  Object.keys(ada.things).some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

const lineOf = ({ operation, caller, status, code = '' }: Cell): string =>
  `${nameOf(operation)} · ${caller.name}: ${status} ${code}`;

/** The last digit is another one. */
const neighbourOf = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
