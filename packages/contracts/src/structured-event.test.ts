import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { validateAssistantEvent } from './assistant-event.js';
import { DATA_BYTES_MAX } from './event-problem.js';
import { messageId } from './ids.js';

const USER = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';

const attributes = {
  specversion: '1.0',
  id: 's-1',
  source: 'cases',
  type: 'draft.created',
  subject: USER,
  time: '2026-01-01T00:00:00Z',
};

describe('a CloudEvent in structured mode', () => {
  it('is the event that its members name, with the bytes of data as they stand in the record', () => {
    const data = '{ "n": 1.0,\n "big": 9007199254740993, "text": "\\u00e9 }" }';
    expect(verdictOf(`{"data": ${data} ,${members()}}`)).toEqual({
      ok: true,
      event: {
        messageId: messageId('cases', 's-1', USER),
        id: 's-1',
        source: 'cases',
        type: 'draft.created',
        userId: USER,
        time: new Date('2026-01-01T00:00:00.000Z'),
        data: Buffer.from(data),
      },
    });
  });

  it('is known by its content type in capitals too', () => {
    expect(verdictOf(`{${members()},"data":{}}`, {}, 'Content-Type')).toMatchObject({ ok: true });
  });

  it('keeps the very bytes of data, wherever they stand and however they are written', () => {
    const objects = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
    const blanks = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
    fc.assert(
      fc.property(objects, objects, blanks, fc.nat({ max: 2 }), (data, other, blank, indent) => {
        const text = JSON.stringify(data, null, indent);
        const extension = `"extension":${blank}${JSON.stringify({ ...other, data: other })}`;
        const value = [extension, members(), `"data"${blank}:${blank}${text}${blank}`];
        expect(dataOf(`${blank}{${blank}${value.join(`${blank},${blank}`)}}${blank}`)).toBe(text);
        expect(dataOf(`{${value.toReversed().join()}}`)).toBe(text);
      }),
    );
  });

  it('has the last data when data is there twice, as any parser has it', () => {
    expect(dataOf(`{"data":{"a":1},${members()},"d\\u0061ta":{"a":2}}`)).toBe('{"a":2}');
  });

  it('may have data of exactly 256 KiB', () => {
    const data = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect(dataOf(`{${members()},"data":${data(DATA_BYTES_MAX)}}`)).toHaveLength(DATA_BYTES_MAX);
    expect(codeOf(`{${members()},"data":${data(DATA_BYTES_MAX + 1)}}`)).toBe('data_too_large');
  });

  it('may say that its data are JSON, and leave out or null what is optional', () => {
    const optional = '"datacontenttype":"application/json","time":null,"dataschema":null';
    const { time: _, ...required } = attributes;
    expect(dataOf(`{${members(required)},${optional},"data":{}}`)).toBe('{}');
  });

  it('is known by its members alone, whatever stands in headers beside them', () => {
    const headers = { ce_specversion: '0.3', ce_id: 'other', ce_subject: 'other' };
    expect(verdictOf(`{${members()},"data":{}}`, headers)).toMatchObject({ event: { id: 's-1' } });
  });

  it.each([
    ['ce_specversion_unsupported', { specversion: '0.3' }],
    ['ce_id_invalid', { id: 17 }],
    ['ce_source_invalid', { source: undefined }],
    ['ce_type_unknown', { type: 'made.up' }],
    ['ce_subject_invalid', { subject: null }],
    ['ce_time_invalid', { time: 1_767_225_600 }],
    ['content_type_unsupported', { datacontenttype: 'text/xml' }],
    ['content_type_unsupported', { datacontenttype: 'application/cloudevents+json' }],
  ])('is refused for its own rule: %s %j', (code, wrong) => {
    expect(codeOf(`{${members({ ...attributes, ...wrong })},"data":{}}`)).toBe(code);
  });

  it.each([
    ['data_missing', `{${members()}}`],
    ['data_missing', `{${members()},"data_base64":"e30="}`],
    ['data_not_object', `{${members()},"data":null}`],
    ['data_not_object', `{${members()},"data":"{}"}`],
    ['data_not_json', `{${members()},"data":{}`],
    ['data_not_object', `[{${members()},"data":{}}]`],
    ['data_has_bom', `\ufeff{${members()},"data":{}}`],
  ])('is refused for what it carries: %s', (code, value) => {
    expect(codeOf(value)).toBe(code);
  });
});

function members(of: object = attributes): string {
  return JSON.stringify(of).slice(1, -1);
}

function verdictOf(
  value: string,
  headers: Readonly<Record<string, string>> = {},
  contentType = 'content-type',
) {
  return validateAssistantEvent({
    headers: { ...headers, [contentType]: 'application/cloudevents+json; charset=UTF-8' },
    key: USER,
    value: Buffer.from(value),
    timestamp: new Date(),
  });
}

function codeOf(value: string): string {
  const verdict = verdictOf(value);
  return verdict.ok ? 'ok' : verdict.code;
}

function dataOf(value: string): string | undefined {
  const verdict = verdictOf(value);
  return verdict.ok ? verdict.event.data.toString() : undefined;
}
