import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { validateAssistantEvent } from './assistant-event.js';
import { dataSchemas, EVENT_KINDS } from './event-kinds.js';
import { DATA_BYTES_MAX } from './event-problem.js';
import { type AssistantEventRecord, assistantEventRecord } from './event-record.js';
import { messageId } from './ids.js';

const USER = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';
const KAFKA_TIME = new Date('2026-01-02T03:04:05.678Z');

/** As `unit: 'binary'`, of which fast-check makes a table that takes a second. */
const anyCharacter = fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code));

describe('a record of an assistant event', () => {
  it('becomes the event it carries', () => {
    const value = json('{ "note":"2 < 3",\n"n":1.0 }');

    expect(validateAssistantEvent(record({ value }))).toEqual({
      ok: true,
      event: {
        messageId: messageId('assistant/inbox', 'event-1', USER),
        id: 'event-1',
        source: 'assistant/inbox',
        type: 'draft.created',
        userId: USER,
        time: new Date('2026-01-01T00:00:00.000Z'),
        data: value,
      },
    });
  });

  it('keeps the very bytes of data', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (data) => {
        const value = json(JSON.stringify(data, null, 1));
        expect(eventOf(record({ value })).data).toBe(value);
      }),
    );
  });

  it.each([
    '{"n":9007199254740993,"one":1.0,"big":1e400,"minus":-0}',
    '{"a":1,"a":2}',
    '{"a":"\\u0000\\ud800"}',
    '{"__proto__":{"a":1},"constructor":null,"":0}',
    ' \r\n{}\t',
    `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ])('is JSON whatever a parser may make of it, and passes as it is: %.60s', (text) => {
    const value = json(text);
    expect(eventOf(record({ value })).data).toBe(value);
  });

  it('takes the time of the record when it names none', () => {
    expect(eventOf(withHeader('ce_time', undefined)).time).toEqual(KAFKA_TIME);
  });

  it.each(['2000-01-01T00:00:00.000Z', '2100-12-31T23:59:59.999Z'])(
    'takes a time of the record from 2000 to 2100: %s',
    (time) => {
      const timestamp = new Date(time);
      const sent = record({ headers: { ...headers, ce_time: undefined }, timestamp });
      expect(eventOf(sent).time).toEqual(timestamp);
    },
  );

  it.each([
    -1,
    0,
    Date.parse('1999-12-31T23:59:59.999Z'),
    Date.parse('2101-01-01T00:00:00.000Z'),
    -8_640_000_000_000_001,
    Number.NaN,
  ])('takes the time of arrival when the record has none, as with the timestamp %d', (ms) => {
    const earliest = Date.now();
    const sent = record({
      headers: { ...headers, ce_time: undefined },
      timestamp: new Date(ms),
    });
    const { time } = eventOf(sent);
    expect(time.getTime()).toBeGreaterThanOrEqual(earliest);
    expect(time.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('takes an absent key', () => {
    expect(codeOf(record({ key: null }))).toBe('ok');
  });

  it.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json;profile="https://example.com/draft;v=1"',
    'application/vnd.acme.draft+json',
    'application/vnd.acme.draft+json; version=2; Charset=UTF8',
  ])('may have the content-type %s', (contentType) => {
    expect(codeOf(withHeader('content-type', contentType))).toBe('ok');
  });

  it('knows its user in lower case, whatever the case it came in', () => {
    const subject = USER.toUpperCase();
    const sent = record({ key: subject, headers: { ...headers, ce_subject: subject } });
    expect(eventOf(sent).userId).toBe(USER);
  });

  it('may hold data of exactly 256 KiB', () => {
    expect(codeOf(record({ value: objectOf(DATA_BYTES_MAX) }))).toBe('ok');
  });

  it('may name id and source with 256 characters outside the basic plane', () => {
    expect(codeOf(withHeader('ce_id', '📬'.repeat(256)))).toBe('ok');
    expect(codeOf(withHeader('ce_source', 'urn:x y'))).toBe('ok');
  });
});

describe('a record that breaks a rule', () => {
  it.each([
    ['ce_specversion_unsupported', 'ce_specversion', undefined],
    ['ce_specversion_unsupported', 'ce_specversion', '0.3'],
    ['ce_id_invalid', 'ce_id', undefined],
    ['ce_id_invalid', 'ce_id', ''],
    ['ce_id_invalid', 'ce_id', 'a'.repeat(257)],
    ['ce_id_invalid', 'ce_id', 'a\nb'],
    ['ce_id_invalid', 'ce_id', 'a\u0000'],
    ['ce_id_invalid', 'ce_id', 'a\u200b'],
    ['ce_id_invalid', 'ce_id', '\ufffd'],
    ['ce_id_invalid', 'ce_id', '\ud800'],
    ['ce_source_invalid', 'ce_source', undefined],
    ['ce_source_invalid', 'ce_source', 'a\u2028b'],
    ['ce_type_unknown', 'ce_type', undefined],
    ['ce_type_unknown', 'ce_type', 'inbox.deleted'],
    ['ce_type_unknown', 'ce_type', 'Draft.Created'],
    ['ce_type_unknown', 'ce_type', 'toString'],
    ['ce_subject_invalid', 'ce_subject', undefined],
    ['ce_subject_invalid', 'ce_subject', 'somebody'],
    ['ce_subject_invalid', 'ce_subject', `{${USER}}`],
    ['ce_subject_invalid', 'ce_subject', `${USER}\n`],
    ['ce_time_invalid', 'ce_time', ''],
    ['ce_time_invalid', 'ce_time', 'yesterday'],
    ['content_type_unsupported', 'content-type', ''],
    ['content_type_unsupported', 'content-type', 'application/jsonp'],
    ['content_type_unsupported', 'content-type', 'application/json+xml'],
    ['content_type_unsupported', 'content-type', '+json'],
    ['content_type_unsupported', 'content-type', 'application/cloudevents-batch+json'],
    ['content_type_unsupported', 'content-type', 'application/cloudevents+avro'],
    ['content_type_unsupported', 'content-type', 'application/vnd.acme+json; charset=utf-16'],
    ['content_type_unsupported', 'content-type', 'application/json; charset=latin1'],
    ['content_type_unsupported', 'content-type', 'text/plain'],
  ])('%s: %s = %j', (code, name, value) => {
    expect(codeOf(withHeader(name, value))).toBe(code);
  });

  it.each([
    ['data_missing', null],
    ['data_missing', Buffer.alloc(0)],
    ['data_too_large', objectOf(DATA_BYTES_MAX + 1)],
    ['data_has_bom', json('\ufeff{}')],
    ['data_not_utf8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['data_not_utf8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['data_not_json', json('{')],
    ['data_not_json', json('{"a":1,}')],
    ['data_not_json', json('{"a":NaN}')],
    ['data_not_json', json('['.repeat(100_000))],
    ['data_not_object', json('[]')],
    ['data_not_object', json('null')],
    ['data_not_object', json('"text"')],
  ])('%s', (code, value) => {
    expect(codeOf(record({ value }))).toBe(code);
  });

  it.each(['', USER.toUpperCase(), '7b0f7d9c-1111-4a55-9a3b-2f0e6a1b7c3d'])(
    'key_not_subject: key %j',
    (key) => {
      expect(codeOf(record({ key }))).toBe('key_not_subject');
    },
  );

  it.each(['ce-id', 'Ce-Id', 'CE_ID'])('names a header that is written %s', (name) => {
    const { ce_id: id, ...others } = headers;
    const verdict = validateAssistantEvent(record({ headers: { ...others, [name]: id } }));
    expect(verdict).toMatchObject({
      code: 'ce_id_invalid',
      reason: expect.stringContaining(`The header ${name} must be written ce_id`),
    });
  });

  it('names the first header when all are written as over HTTP', () => {
    const asOverHttp = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.replace('ce_', 'ce-'), value]),
    );
    expect(validateAssistantEvent(record({ headers: asOverHttp }))).toMatchObject({
      code: 'ce_specversion_unsupported',
      reason: expect.stringContaining('ce-specversion must be written ce_specversion'),
    });
  });

  it('is told by its rule and never by what it held', () => {
    const verdict = validateAssistantEvent(record({ value: json('{"private words') }));
    expect(JSON.stringify(verdict)).not.toContain('private');
  });

  it('never makes the check itself fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.uint8Array(), (text, bytes) => {
        const all = Object.fromEntries(Object.keys(headers).map((name) => [name, text]));
        expect(validateAssistantEvent(record({ headers: all, value: Buffer.from(bytes) })).ok).toBe(
          false,
        );
      }),
    );
  });
});

describe('data of the other kinds', () => {
  const kinds = EVENT_KINDS.filter((kind) => kind !== 'inbox.organized');

  it.each(kinds)('%s: may lack every field, or have others', (ce_type) => {
    for (const text of ['{}', '{"made_up":[1,{"a":null}]}']) {
      const value = json(text);
      const sent = record({ headers: { ...headers, ce_type }, value });
      expect(eventOf(sent).data).toBe(value);
    }
  });

  it.each(kinds)('%s: may have each described field in any type', (ce_type) => {
    const fields = Object.keys(dataSchemas[ce_type].shape);
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.jsonValue(), (field, content) => {
        const value = json(JSON.stringify({ [field]: content }));
        expect(codeOf(record({ headers: { ...headers, ce_type }, value }))).toBe('ok');
      }),
    );
  });
});

describe('data of inbox.organized', () => {
  const categorized = { important: 1, meetings: 0, tasks: 2 };
  const organized = (text: string) =>
    record({ headers: { ...headers, ce_type: 'inbox.organized' }, value: json(text) });
  const counting = (count: string) =>
    organized(`{"total_emails":${count},"categorized":${JSON.stringify(categorized)}}`);
  const verdict = (data: object) => codeOf(organized(JSON.stringify(data)));

  it('counts all mails and three categories; further fields pass', () => {
    expect(verdict({ total_emails: 3, categorized })).toBe('ok');
    expect(
      verdict({ total_emails: 0, categorized: { ...categorized, spam: -1 }, took: 'long' }),
    ).toBe('ok');
  });

  it.each([
    {},
    { total_emails: 3 },
    { categorized },
    { total_emails: -1, categorized },
    { total_emails: 1.5, categorized },
    { total_emails: '3', categorized },
    { total_emails: null, categorized },
    { total_emails: 3, categorized: [] },
    { total_emails: 3, categorized: { important: 1, meetings: 0 } },
    { total_emails: 3, categorized: { ...categorized, tasks: true } },
  ])('is refused as %j', (data) => {
    expect(verdict(data)).toBe('data_invalid');
  });

  it.each(['1.0', '1e2', '9007199254740993', '-0', '0.0', '123456789012345678901234567890'])(
    'takes %s for an integer, which it is',
    (count) => {
      const sent = counting(count);
      expect(eventOf(sent).data).toBe(sent.value);
    },
  );

  it.each(['-1', '1.5', '1e400', '"1"', 'true', 'null', '[1]', '{}'])(
    'does not take %s for one',
    (count) => {
      expect(codeOf(counting(count))).toBe('data_invalid');
    },
  );

  it('is not filled in by what an object inherits', () => {
    const inherited = `{"__proto__":${JSON.stringify({ total_emails: 1, categorized })}}`;
    expect(codeOf(organized(inherited))).toBe('data_invalid');
  });

  it('names each field that is wrong', () => {
    const wrong = organized('{"categorized":{"important":1,"meetings":-1}}');
    expect(validateAssistantEvent(wrong)).toMatchObject({
      reason: expect.stringContaining(
        'total_emails, categorized.meetings, categorized.tasks must be there',
      ),
    });
  });
});

describe('a record built for an event', () => {
  const outgoing = {
    id: 'event-1',
    source: 'assistant/inbox',
    userId: USER,
    time: KAFKA_TIME,
    data: json('{}'),
  };

  it.each(EVENT_KINDS.filter((kind) => kind !== 'inbox.organized'))(
    'keeps every rule: %s',
    (type) => {
      const built = { ...assistantEventRecord({ ...outgoing, type }), timestamp: new Date(0) };
      const { messageId: _, ...event } = eventOf(built);
      expect(event).toEqual({ ...outgoing, type });
    },
  );

  it('names no time when none is given, so that Kafka gives it one', () => {
    const built = assistantEventRecord({ ...outgoing, type: 'draft.created', time: undefined });
    expect(Object.keys(built.headers)).not.toContain('ce_time');
  });

  it('with a date that is none is refused by the check', () => {
    const time = new Date(Number.NaN);
    const built = assistantEventRecord({ ...outgoing, type: 'draft.created', time });
    expect(codeOf({ ...built, timestamp: KAFKA_TIME })).toBe('ce_time_invalid');
  });
});

const headers: AssistantEventRecord['headers'] = {
  ce_specversion: '1.0',
  ce_id: 'event-1',
  ce_source: 'assistant/inbox',
  ce_type: 'draft.created',
  ce_subject: USER,
  ce_time: '2026-01-01T00:00:00Z',
  'content-type': 'application/json',
};

function record(changes: Partial<AssistantEventRecord> = {}): AssistantEventRecord {
  return { headers, key: USER, value: json('{}'), timestamp: KAFKA_TIME, ...changes };
}

function withHeader(name: string, value: string | undefined): AssistantEventRecord {
  const key = name === 'ce_subject' ? (value ?? null) : USER;
  return record({ key, headers: { ...headers, [name]: value } });
}

function json(text: string): Buffer {
  return Buffer.from(text);
}

function objectOf(bytes: number): Buffer {
  return json(`{"a":"${'x'.repeat(bytes - 8)}"}`);
}

function codeOf(sent: AssistantEventRecord): string {
  const verdict = validateAssistantEvent(sent);
  return verdict.ok ? 'ok' : verdict.code;
}

function eventOf(sent: AssistantEventRecord) {
  const verdict = validateAssistantEvent(sent);
  if (verdict.ok) return verdict.event;
  throw new Error(verdict.reason);
}
