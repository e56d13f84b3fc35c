import { randomUUID } from 'node:crypto';
import { beforeEach } from '@jest/globals';
import { walkConsent } from '@junction/dev-servers/provider';
import { freePort, type ServiceAnswer } from '@junction/testing';
import { type Stage, useStage } from '@junction/testing/stage';
import { type FaultyProvider, startFaultyProvider } from './faulty-provider.js';
import { integrationsSchema } from './schema.js';
import { type StartedIntegrations, startIntegrations } from './started-integrations.js';

/** User with an account at the provider. */
export interface Person {
  readonly userId: string;
  readonly email: string;
}

/** Parameters that come back from the consent page. */
export interface Consent {
  readonly code: string;
  readonly state: string;
  readonly iss: string;
}

export interface World extends Omit<Stage<FaultyProvider, StartedIntegrations>, 'around' | 'send'> {
  readonly provider: FaultyProvider;
  readonly newPerson: () => Person;
  /** Asks for an authorization and walks through the consent page. */
  readonly consent: (
    person: Person,
    provider?: string,
    allow?: boolean | readonly string[],
  ) => Promise<Consent>;
  readonly postCode: (person: Person, json: object, provider?: string) => Promise<ServiceAnswer>;
  /** Consent and code: a connected person, new unless given. */
  readonly connected: (person?: Person, provider?: string) => Promise<Person>;
  /** Changes a user's credentials as time would have changed them: assignments in SQL. */
  readonly changeCredentials: (userId: string, assignments: string) => Promise<void>;
}

/** Starts a service with everything around it, for one test file. Faults end with their test. */
export function useWorld(settings: Readonly<Record<string, string>> = {}): () => World {
  const stage = useStage({
    schema: integrationsSchema,
    async around() {
      const told = await freePort();
      return { told, ...(await startFaultyProvider({ tells: `http://127.0.0.1:${told}` })) };
    },
    start: ({ database, broker, issuer }, { issuer: providerUrl, told }, isFirst) =>
      startIntegrations(
        { database, broker, issuer, providerUrl },
        // The provider tells the first replica alone.
        { ...settings, ...(isFirst && { HTTP_PORT: String(told) }) },
      ),
  });
  beforeEach(async () => stage().around.straighten());

  const newPerson = (): Person => {
    const userId = randomUUID();
    return { userId, email: `${userId}@example.com` };
  };

  const consent: World['consent'] = async (person, name = 'mailbox', allow = true) => {
    const begun = await stage().service.call(
      person.userId,
      'GET',
      `/api/integrations/${name}/authorize`,
    );
    if (begun.status !== 200) throw new Error(`authorize: ${JSON.stringify(begun.body)}`);
    const walk = { email: person.email, password: 'any', allow };
    const { searchParams } = await walkConsent(String(begun.body['authorization_url']), walk);
    const part = (of: string) => searchParams.get(of) ?? '';
    return { code: part('code'), state: part('state'), iss: part('iss') };
  };

  const postCode: World['postCode'] = async ({ userId }, json, name = 'mailbox') =>
    stage().service.call(userId, 'POST', `/api/integrations/${name}/connect`, { json });

  const connected: World['connected'] = async (person = newPerson(), name = 'mailbox') => {
    const { code: auth_code } = await consent(person, name);
    const answer = await postCode(person, { auth_code }, name);
    if (answer.status !== 200) throw new Error(`connect: ${JSON.stringify(answer.body)}`);
    return person;
  };

  return () => {
    const { around: provider, send: _, ...rest } = stage();
    return {
      ...rest,
      provider,
      newPerson,
      consent,
      postCode,
      connected,
      async changeCredentials(userId, assignments) {
        await rest.database.pool.query(
          `update credentials set ${assignments} where connection_id in (
             select connection_id from connections where user_id = $1)`,
          [userId],
        );
      },
    };
  };
}
