import { describe, expect, it } from '@jest/globals';
import { SpanKind } from '@opentelemetry/api';
import { batchSpan, startSpan } from './spans.js';
import { checkedTraceparent, currentTraceparent, traceparentOf } from './traceparent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const RECORDED = `00-${TRACE}-${SPAN}-01`;

describe('a traceparent of another process', () => {
  it.each([
    ['as it is', RECORDED, RECORDED],
    ['that is not recorded', `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
    ['of a later version, with more behind it', `cc-${TRACE}-${SPAN}-09-what`, RECORDED],
  ])('is taken %s', (_, text, taken) => {
    expect(checkedTraceparent(text)).toBe(taken);
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['a version that there never will be', `ff-${TRACE}-${SPAN}-01`],
    ['capitals', RECORDED.toUpperCase()],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['more behind version 00', `${RECORDED}-what`],
    ['another line', `${RECORDED}\n`],
    ['more than anybody needs', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(500)}`],
  ])('is none when it is %s', (_, text) => {
    expect(checkedTraceparent(text)).toBeUndefined();
  });
});

describe('a process that makes no traces', () => {
  it('passes on the traceparent that a span was given', () => {
    expect(traceparentOf(startSpan('x', SpanKind.INTERNAL, RECORDED))).toBe(RECORDED);
    expect(traceparentOf(startSpan('x', SpanKind.INTERNAL, undefined))).toBeUndefined();
  });

  it('runs work in a batch without a span of its own, with the same result and the same error', async () => {
    const span = { name: 'x', kind: SpanKind.CONSUMER, attributes: {} };
    const result = await batchSpan(span, [undefined, RECORDED], async () => currentTraceparent());
    expect(result).toBeUndefined();
    const broken = new Error('broken');
    await expect(batchSpan(span, [RECORDED], () => Promise.reject(broken))).rejects.toBe(broken);
  });
});
