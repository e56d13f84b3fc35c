import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  DOMAIN_EVENTS,
  decodeDomainEvent,
  encodeDomainEvent,
  isDomainEventType,
} from './domain-events.js';

// A file for every version of every event ever written. Files are added, never changed: the topics
// keep their records for ever, so today's code must read what each of them holds.
const GOLDEN = new URL('../golden/', import.meta.url);
const files = readdirSync(GOLDEN);

describe('a domain event ever written', () => {
  it.each(files)('still decodes, and nothing of it is lost: %s', (file) => {
    const written = readFileSync(new URL(file, GOLDEN));
    const type = typeOf(file);

    const encoded = encodeDomainEvent(type, decodeDomainEvent(type, written));

    expect(JSON.parse(encoded.toString())).toEqual(JSON.parse(written.toString()));
  });

  it.each(files)('shows every field it had, so a dropped field cannot go unseen: %s', (file) => {
    const json: unknown = JSON.parse(readFileSync(new URL(file, GOLDEN), 'utf8'));
    const fields = Object.keys(DOMAIN_EVENTS[typeOf(file)].fromPartial({}));

    expect(new Set(Object.keys(json as object))).toEqual(new Set(fields));
  });

  it('is there for every type in the catalogue', () => {
    expect(new Set(files.map(typeOf))).toEqual(new Set(Object.keys(DOMAIN_EVENTS)));
  });
});

describe('every domain event', () => {
  it.each(Object.entries(DOMAIN_EVENTS))('%s names its user and when it happened', (_, message) => {
    expect(message.fromPartial({})).toMatchObject({ userId: '' });
    expect(Object.keys(message.fromPartial({}))).toContain('occurredAt');
  });

  it('is an object on the wire, or is refused', () => {
    expect(() => decodeDomainEvent('user.deleted', Buffer.from('null'))).toThrow(TypeError);
    expect(() => decodeDomainEvent('user.deleted', Buffer.from('{'))).toThrow(SyntaxError);
  });

  it('carries times as dates', () => {
    const occurredAt = new Date('2026-01-02T03:04:05.678Z');
    const value = encodeDomainEvent('user.deleted', { userId: 'u', occurredAt });

    expect(value.toString()).toBe('{"userId":"u","occurredAt":"2026-01-02T03:04:05.678Z"}');
    expect(decodeDomainEvent('user.deleted', value)).toEqual({ userId: 'u', occurredAt });
  });
});

function typeOf(file: string) {
  const type = file.replace(/\.v\d+\.json$/, '');
  if (isDomainEventType(type)) return type;
  throw new Error(`golden/${file} is named for no domain event.`);
}
