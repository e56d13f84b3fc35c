import { describe, expect, it } from '@jest/globals';
import { EVENT_CATALOGUE } from './event-catalogue.js';
import { assistantEventRecord } from './event-record.js';
import { noticeRecord, validateUserEvent } from './user-event.js';

const USER = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';
const at = '2026-01-02T03:04:05.678Z';

describe('a record of user.events.v1', () => {
  it.each(EVENT_CATALOGUE)('may be $kind only when that is a notice', ({ kind, ...entry }) => {
    const { ok } = validateUserEvent(record({ type: kind, data: entry.example }));
    expect(ok).toBe(entry.isNotice);
  });

  it('is what one of our services wrote', () => {
    const data = { webhook_id: 'wh_1', occurred_at: at };
    const { type, payload } = noticeRecord({ kind: 'webhook.recovered', userId: USER, data });
    expect(validateUserEvent(record({ type, payload }))).toMatchObject({
      ok: true,
      event: { type: 'webhook.recovered', userId: USER, data: payload },
    });
    expect(validateUserEvent(record({ type, payload, source: 'assistant' }))).toMatchObject({
      ok: false,
      code: 'ce_source_invalid',
    });
  });

  it('tells the webhook it is about', () => {
    expect(
      validateUserEvent(record({ type: 'webhook.recovered', data: { occurred_at: at } })),
    ).toMatchObject({ ok: false, code: 'data_invalid' });
  });
});

interface Parts {
  readonly type: string;
  readonly data?: object;
  readonly payload?: Buffer;
  readonly source?: string;
}

function record({ type, data = {}, payload, source = 'junction/webhooks' }: Parts) {
  const value = payload ?? Buffer.from(JSON.stringify(data));
  return {
    ...assistantEventRecord({ id: 'n1', source, type, userId: USER, data: value }),
    timestamp: new Date(at),
  };
}
