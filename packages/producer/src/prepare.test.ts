import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { messageId } from '@junction/contracts';
import { readEventTypes } from './event-types.js';
import { InvalidEventError, prepare } from './prepare.js';

const USER = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';
const event = { type: 'draft.created', userId: USER, data: { subject: 'Hello' } };

describe('an event to publish', () => {
  it('gets an id of its own when it has none', () => {
    const [first, second] = [prepare('assistant', event), prepare('assistant', event)];

    expect(first.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.id).not.toBe(second.id);
    expect(first.messageId).toBe(messageId('assistant', first.id, event.userId));
  });

  it('is the same message under the same id', () => {
    const once = prepare('assistant', { ...event, id: 'draft-17' });
    const again = prepare('assistant', { ...event, id: 'draft-17', data: {} });
    expect(again.messageId).toBe(once.messageId);
  });

  it('carries an object as JSON', () => {
    expect(prepare('assistant', event).data.toString()).toBe('{"subject":"Hello"}');
  });

  it('carries bytes as they are, also of a view into a larger buffer', () => {
    const larger = new TextEncoder().encode('xx{ "a": 1.0 }xx');
    const { data } = prepare('assistant', { ...event, data: larger.subarray(2, -2) });
    expect(data.toString()).toBe('{ "a": 1.0 }');
  });

  it.each([
    ['ce_type_unknown', 'type must be one of', { type: 'draft.deleted' }],
    ['ce_subject_invalid', 'userId must be a UUID.', { userId: 'me' }],
    ['ce_id_invalid', 'id must be', { id: '' }],
    ['ce_time_invalid', 'time must be', { time: new Date(Number.NaN) }],
    ['data_not_object', 'data must be', { data: [] }],
    ['data_not_json', 'data must be', { data: Buffer.from('{') }],
    ['data_too_large', 'data must be', { data: { text: 'x'.repeat(300_000) } }],
    ['data_invalid', 'data of inbox.organized', { type: 'inbox.organized' }],
  ])('is refused before it is sent, in the names of its fields: %s', (code, words, changes) => {
    const message = expect.stringMatching(`^${words}`);
    expect(() => prepare('assistant', { ...event, ...changes })).toThrow(
      expect.objectContaining({ name: InvalidEventError.name, code, message }),
    );
  });

  it('may be of a kind of the platform, which is checked as well', async () => {
    const file = new URL('../../../infra/event-types.example.yaml', import.meta.url);
    const { schemas } = await readEventTypes(fileURLToPath(file));
    const viewed = { type: 'invoice.viewed', userId: USER, data: { invoice_id: 'inv_17' } };
    expect(prepare('billing', viewed, schemas).type).toBe('invoice.viewed');
    expect(() => prepare('billing', { ...viewed, data: {} }, schemas)).toThrow(
      'data of invoice.viewed',
    );
    expect(() => prepare('billing', viewed)).toThrow('type must be one of');
  });

  it('is refused when its source is none', () => {
    expect(() => prepare('', event)).toThrow(
      expect.objectContaining({ code: 'ce_source_invalid' }),
    );
  });
});
