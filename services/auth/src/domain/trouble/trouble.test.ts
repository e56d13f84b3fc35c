import { describe, expect, it } from '@jest/globals';
import { afterNews, isSo, planMail, type Trouble, type TroubleKind } from './trouble.js';

const START = Date.parse('2030-01-02T03:04:05Z');
const HOUR_MS = 3_600_000;
const hour = (hours: number) => new Date(START + hours * HOUR_MS);

describe('a notice', () => {
  it('is mailed at once for a new cause', () => {
    expect(heard('webhook_disabled', 0)).toEqual({
      kind: 'webhook_disabled',
      at: hour(0),
      mails: 0,
      mailedAt: null,
      mailAt: hour(0),
    });
    expect(
      afterNews(mailedOnce('webhook_failing'), { kind: 'webhook_disabled', at: hour(1) }),
    ).toEqual({
      kind: 'webhook_disabled',
      at: hour(1),
      mails: 0,
      mailedAt: hour(0),
      mailAt: hour(1),
    });
  });

  it('that repeats a cause is no other cause', () => {
    const before = mailedOnce('webhook_failing');
    const after = afterNews(before, { kind: 'webhook_failing', at: hour(12) });
    expect(after).toEqual({ ...before, at: hour(12) });
  });

  it('has another cause when a webhook fails once more after it worked', () => {
    const again = { kind: 'webhook_failing', at: hour(14) } as const;
    expect(afterNews(mailedOnce('webhook_failing'), again)).toMatchObject({
      mails: 0,
      mailAt: hour(14),
    });
  });

  it('that came before, or is older than what is known, changes nothing', () => {
    const over = afterNews(undefined, { kind: 'over', at: hour(2) });
    expect(over).toMatchObject({ kind: 'over', mailAt: null });
    expect(afterNews(over, { kind: 'webhook_disabled', at: hour(1) })).toBe(over);
    expect(afterNews(over, { kind: 'webhook_disabled', at: hour(2) })).toBe(over);
  });
});

describe('a trouble', () => {
  it('lasts until a notice ends it, and a failing webhook until its notices stop', () => {
    expect(isSo(heard('mailbox_lost', 0), hour(1_000))).toBe(true);
    expect(isSo(heard('webhook_failing', 0), hour(12.5))).toBe(true);
    expect(isSo(heard('webhook_failing', 0), hour(13))).toBe(false);
    expect(isSo({ kind: 'over', at: hour(0) }, hour(0))).toBe(false);
  });
});

describe('the mails to a user', () => {
  it('tell of a cause once, then once a day for a week, and then no more', () => {
    let trouble = heard('webhook_disabled', 0);
    const hours: number[] = [];
    for (let n = 0; n < 24 * 30; n++) {
      const { isMailed, changed } = planMail([trouble], hour(n), true);
      if (isMailed) hours.push(n);
      trouble = changed[0] ?? trouble;
    }
    expect(hours).toEqual([0, 24, 48, 72, 96, 120, 144, 168]);
    expect(trouble).toMatchObject({ mails: 8, mailAt: null });
  });

  it('are an hour apart, and tell of all that is so', () => {
    const first = mailedOnce('mailbox_lost');
    const next = heard('webhook_gone', 0.5);
    const waiting = planMail([first, next], hour(0.5), true);
    expect(waiting).toEqual({ isMailed: false, changed: [{ ...next, mailAt: hour(1) }] });
    const both = planMail([first, ...waiting.changed], hour(1), true);
    expect(both.isMailed).toBe(true);
    expect(both.changed.map(({ mails, mailAt }) => [mails, mailAt])).toEqual([
      [2, hour(25)],
      [1, hour(25)],
    ]);
  });

  it('are none when nothing is due, or what was due is over', () => {
    expect(planMail([mailedOnce('webhook_gone')], hour(23), true)).toEqual({
      isMailed: false,
      changed: [],
    });
    const failing = mailedOnce('webhook_failing');
    expect(planMail([failing], hour(24), true)).toEqual({
      isMailed: false,
      changed: [{ ...failing, kind: 'over', mailAt: null }],
    });
  });

  it('are none to a user who cannot be mailed, who is looked at again the next day', () => {
    const trouble = heard('webhook_gone', 0);
    expect(planMail([trouble], hour(0), false)).toEqual({
      isMailed: false,
      changed: [{ ...trouble, mailAt: hour(24) }],
    });
  });
});

const heard = (kind: TroubleKind, hours: number): Trouble =>
  afterNews(undefined, { kind, at: hour(hours) });

/** A trouble that came up, and was mailed, at the start. */
const mailedOnce = (kind: TroubleKind): Trouble =>
  planMail([heard(kind, 0)], hour(0), true).changed[0] ?? heard(kind, 0);
