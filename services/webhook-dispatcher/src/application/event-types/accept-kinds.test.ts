import { describe, expect, it } from '@jest/globals';
import { catalogueOf } from '@junction/contracts';
import type { KindDefinition } from '../../domain/event-types/additions.js';
import { acceptKinds } from './accept-kinds.js';

const PAID = { type: 'object', properties: { invoice_id: { type: 'string' } } };
const LATER = {
  type: 'object',
  properties: { ...PAID.properties, note: { type: 'string' } },
};

describe('the kinds of a platform', () => {
  it('are kept once in each definition, and an earlier one may come back', async () => {
    const { start, accepted } = installation();
    await start({ 'invoice.paid': PAID });
    await start({ 'invoice.paid': LATER });
    await start({ 'invoice.paid': PAID });
    expect(accepted.get('invoice.paid')).toEqual([
      { optIn: false, schema: PAID },
      { optIn: false, schema: LATER },
    ]);
  });

  it('are refused when a schema lacks what receivers were told, and nothing is kept', async () => {
    const { start, accepted } = installation();
    await start({ 'invoice.paid': PAID });
    const changed = start({ 'invoice.paid': { type: 'object' }, 'trip.booked': PAID });
    await expect(changed).rejects.toThrow(
      /^EVENT_TYPES_FILE:\n {2}invoice\.paid is not .*schema\.properties\.invoice_id is gone/,
    );
    expect([...accepted.keys()]).toEqual(['invoice.paid']);
  });

  it('may go when no webhook names them or their group', async () => {
    const { start, choose } = installation();
    await start({ 'invoice.paid': PAID, 'invoice.sent': PAID });
    choose('invoice.*', '*', 'draft.created');
    await start({ 'invoice.sent': PAID });
    choose('invoice.paid', 'invoice.*');
    await expect(start({ 'invoice.sent': PAID })).rejects.toThrow(
      'invoice.paid is in the file no longer, but 1 webhook names it: wh_1. Put it back',
    );
    choose('invoice.*');
    await expect(start({})).rejects.toThrow('invoice.* is in the file no longer');
  });
});

/** An installation whose one webhook has chosen something, in memory. */
function installation() {
  const accepted = new Map<string, KindDefinition[]>();
  let chosen: readonly string[] = [];
  const history = {
    definitions: async () => accepted,
    async add(kind: string, version: number, definition: KindDefinition) {
      accepted.set(kind, [...(accepted.get(kind) ?? []), definition]);
      expect(accepted.get(kind)).toHaveLength(version);
    },
    named: async (choices: readonly string[]) =>
      choices
        .filter((choice) => chosen.includes(choice))
        .map((choice) => ({ choice, webhooks: 1, some: ['wh_1'] })),
  };
  return {
    accepted,
    choose: (...choices: readonly string[]) => void (chosen = choices),
    start: async (schemas: Readonly<Record<string, object>>) =>
      acceptKinds(
        history,
        catalogueOf(
          Object.entries(schemas).map(([kind, schema]) => ({
            kind,
            description: 'An event.',
            isOptIn: false,
            schema,
            example: {},
            check: { safeParse: () => ({ success: true }) },
          })),
        ),
      ),
  };
}
