import { describe, expect, it } from '@jest/globals';
import { standingOf } from './refresh-token.js';

const WINDOW_MS = 10_000;
const at = (seconds: number) => new Date(1_900_000_000_000 + seconds * 1_000);

describe('a refresh token', () => {
  it('is live until it expires', () => {
    expect(standingOf({ expiresAt: at(60) }, at(59), WINDOW_MS)).toBe('live');
    expect(standingOf({ expiresAt: at(60) }, at(60), WINDOW_MS)).toBe('expired');
  });

  it('may be presented again within the window after its rotation', () => {
    const token = { expiresAt: at(60), rotatedAt: at(20) };
    expect(standingOf(token, at(20), WINDOW_MS)).toBe('replayed');
    expect(standingOf(token, at(30), WINDOW_MS)).toBe('replayed');
  });

  it('is a theft when it is presented after the window', () => {
    const token = { expiresAt: at(60), rotatedAt: at(20) };
    expect(standingOf(token, new Date(at(30).getTime() + 1), WINDOW_MS)).toBe('reused');
    expect(standingOf(token, at(90), WINDOW_MS)).toBe('reused');
  });
});
