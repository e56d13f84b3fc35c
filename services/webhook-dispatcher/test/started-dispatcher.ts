import path from 'node:path';
import {
  startTestService,
  type TestBroker,
  type TestDatabase,
  type TestService,
} from '@junction/testing';
import { type Issuer, PUBLIC_URL } from './issuer.js';

const MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');

export type StartedDispatcher = TestService;

export interface Surroundings {
  readonly database: TestDatabase;
  readonly broker: TestBroker;
  readonly issuer: Issuer;
}

/** The service as a process of its own. A second one with the same surroundings is a replica. */
export const startDispatcher = async (
  surroundings: Surroundings,
  overrides: Readonly<Record<string, string>> = {},
): Promise<StartedDispatcher> =>
  startTestService({
    ...surroundings,
    main: MAIN,
    databaseVariable: 'WEBHOOKS_DATABASE_URL',
    publicUrl: PUBLIC_URL,
    env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', ...overrides },
  });
