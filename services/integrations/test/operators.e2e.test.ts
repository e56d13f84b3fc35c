import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { useWorld } from './world.js';

const world = useWorld();
const PATHS = ['health', 'consumers', 'dead-letters', 'projections', 'keys', 'audit'];

it("the operators' routes show nothing without a second factor, and record who tried", async () => {
  const operator = randomUUID();
  const mfa_at = Math.floor(Date.now() / 1_000);
  const ask = async (path: string, claims: object = {}) => {
    const token = world().issuer.userToken(operator, { claims: { role: 'operator', ...claims } });
    const headers = { authorization: `Bearer ${token}` };
    const at = `/api/ops/integrations/${path}`;
    return world().service.call(undefined, 'GET', at, { headers });
  };
  for (const path of PATHS) {
    const { status, body } = await ask(path);
    expect([path, status, body['code']]).toEqual([path, 403, 'second_factor_needed']);
    expect((await ask(path, { mfa_at })).status).toBe(200);
  }
  await eventually(async () => {
    const { body } = await ask(`audit?actor=${operator}`, { mfa_at });
    const items = body['items'] as { outcome: string; method: string }[];
    const refused = items.filter(({ outcome }) => outcome === 'refused');
    expect(refused.map(({ method }) => method).toSorted()).toEqual(
      PATHS.map((path) => `GET /api/ops/integrations/${path}`).toSorted(),
    );
  });
});
