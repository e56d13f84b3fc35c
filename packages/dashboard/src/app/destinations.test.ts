import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../api/types.js';
import { destinationsOf } from './destinations.js';

const UUID = '0190f3a0-0000-7000-8000-000000000001';
const webhook = { webhook_id: `wh_${UUID}`, url: 'https://a.example/hook', description: 'Billing' };
const labels = (text: string) =>
  destinationsOf(text, [webhook as Webhook], ['draft.created']).map(({ label }) => label);

describe('the places that a text leads to', () => {
  it.each([
    ['the page of that name', 'your acc', ['Your account', '“your acc”']],
    ['a webhook by its description', 'bill', ['Billing', '“bill”']],
    ['a webhook by its address', 'a.example', ['Billing', '“a.example”']],
    ['a webhook by its id', `wh_${UUID}`, ['Billing', `“wh_${UUID}”`]],
    ['deliveries of a kind by its words', 'Draft cre', ['draft.created', '“Draft cre”']],
  ])('are %s', (_, text, expected) => {
    expect(labels(text)).toEqual(expected);
  });

  it('begin with the delivery or event whose id was pasted', () => {
    expect(destinationsOf(`see dlv_${UUID}.`, [], [])[0]).toMatchObject({
      deliveryId: `dlv_${UUID}`,
    });
    expect(destinationsOf(`msg_${UUID}`, [], [])[0]?.to).toEqual({
      to: '/events/$messageId',
      params: { messageId: `msg_${UUID}` },
    });
  });

  it('are the pages before anything is typed', () => {
    expect(labels('')).toContain('Deliveries');
    expect(labels('')).not.toContain('“”');
  });
});
