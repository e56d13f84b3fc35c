import { describe, expect, it } from '@jest/globals';
import type { TroubleKind } from '../../domain/trouble/trouble.js';
import { troubleText } from './trouble-text.js';

const at = new Date('2030-01-02T03:04:05Z');
const mailed = { publicUrl: 'https://junction.example', now: at, token: 'token' };
const LAST = 'https://junction.example/unsubscribe#token=token';

describe('the mail about a trouble', () => {
  it.each<[TroubleKind, string, string]>([
    ['webhook_failing', 'A webhook fails', '/webhooks/wh_1'],
    ['webhook_disabled', 'A webhook was disabled', '/webhooks/wh_1'],
    ['webhook_gone', 'A webhook was disabled', '/webhooks/wh_1'],
    ['webhook_blocked', 'A webhook was disabled by an operator', '/webhooks/wh_1'],
    ['mailbox_lost', 'A mailbox has to be connected again', '/integrations'],
    ['calendar_lost', 'A calendar has to be connected again', '/integrations'],
  ])(
    'leads, for kind %s, to the page where it is mended, and to the end of these mails',
    (kind, subject, page) => {
      const mail = troubleText([trouble(kind)], mailed);
      expect(mail?.subject).toBe(subject);
      expect(mail?.text).toContain('2 January 2030 at 03:04 UTC');
      expect(mail?.text.match(/https:\S+/g)).toEqual([`https://junction.example${page}`, LAST]);
      expect(mail?.html).toContain(`<a href="https://junction.example${page}">`);
      expect(mail?.unsubscribeUrl).toBe(
        'https://junction.example/api/auth/unsubscribe?token=token',
      );
    },
  );

  it.each<[TroubleKind, string]>([
    ['webhook_failing', 'Your webhook at <b>&co has failed'],
    ['webhook_disabled', 'Your webhook at <b>&co was disabled'],
    ['webhook_gone', 'Your webhook at <b>&co was disabled'],
    ['webhook_blocked', 'Your webhook at <b>&co was disabled'],
    ['mailbox_lost', 'Your mailbox <b>&co has to be connected again'],
    ['calendar_lost', 'Your calendar <b>&co has to be connected again'],
  ])('says, for kind %s, of which webhook or account, as a text that is no HTML', (kind, words) => {
    const mail = troubleText([{ ...trouble(kind), name: '<b>&co' }], mailed);
    expect(asRead(mail?.text)).toContain(words);
    expect(asRead(mail?.html)).toContain(words.replace('<b>&co', '&#60;b&#62;&#38;co'));
  });

  it.each([
    'https://evil.example/sign-in',
    'www.evil.example',
    'evil.example',
    'mailto:mallory@evil.example',
    'mallory@evil.example',
    'tel:+44-20-7946-0958',
    '02079460958',
    'xn--bcher-kva.example:8443/a?b=c#d',
  ])('makes no link of a name such as %s, and shows it whole', (name) => {
    const mail = troubleText([{ ...trouble('mailbox_lost'), name }], mailed);
    const told = [mail?.text, mail?.html].map((text) => text?.split('Your mailbox ')[1] ?? '');
    for (const text of told.map((text) => text.split(' has to be')[0] ?? '')) {
      expect(asRead(text)).toBe(name);
      expect(text).not.toMatch(/[.:@/][^\u200c]|\d\d|\+\d/u);
    }
  });

  it('tells of all that is so, of twenty by name, and of nothing else', () => {
    const many = Array.from({ length: 23 }, () => trouble('webhook_gone'));
    const mail = troubleText([...many, trouble('over')], mailed);
    expect(mail?.subject).toBe('23 things need you at Junction');
    expect(mail?.text).toContain('There are 3 more.');
    expect(mail?.text.match(/https:\S+/g)).toHaveLength(21);
  });

  it('is none when nothing is so any more', () => {
    const dayLater = { ...mailed, now: new Date(at.getTime() + 86_400_000) };
    expect(troubleText([trouble('over'), trouble('webhook_failing')], dayLater)).toBeUndefined();
  });
});

/** Returns a text as its reader sees it. */
const asRead = (text = '') => text.replaceAll('\u200c', '');

const trouble = (kind: TroubleKind | 'over') => ({
  about: 'wh_1',
  userId: 'b2f7c1de-6f1c-4c0e-9a3b-0d7d5c1a2b3c',
  kind,
  at,
  mails: 0,
  mailedAt: null,
  mailAt: null,
});
