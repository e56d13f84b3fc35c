import { describe, expect, it } from '@jest/globals';
import { returnToList } from './return-to-list.js';

const mistakesIn = (text: string) =>
  returnToList.safeParse(text).error?.issues.map(({ message }) => message) ?? [];

describe('CONNECT_RETURN_TO', () => {
  it('is empty when it is not set, and keeps each entry as it is written', () => {
    expect(returnToList.parse(undefined).size).toBe(0);
    const entries = ['https://App.example', 'https://b.example/cb?t=1', 'http://127.0.0.1:9/cb'];
    expect([...returnToList.parse(entries.join(' , '))]).toEqual(entries);
    expect(mistakesIn('http://localhost:3000/cb,http://[::1]/cb')).toEqual([]);
  });

  it.each([
    ['http://app.example/cb', 'must be https://'],
    ['http://localhost.evil.example/cb', 'must be https://'],
    ['http://127.0.0.1.evil.example/cb', 'must be https://'],
    ['app.example/cb', 'is no https:// URL'],
    ['/cb', 'is no https:// URL'],
    ['javascript:alert(1)', 'is no https:// URL'],
    ['https:app.example', 'is no https:// URL'],
    ['https://', 'is no https:// URL'],
    ['https://app.example@evil.example/', 'must not name a user'],
    ['https://app.example/cb#', 'must not have a fragment'],
    ['https://app.example/cb?state=x', 'must not have the parameter "state"'],
  ])('does not take %s, and says which entry it is', (entry, message) => {
    const [mistake, ...others] = mistakesIn(`https://good.example/cb,${entry}`);
    expect(mistake).toContain(`entry 2 ${message}`);
    expect(others).toEqual([]);
  });

  it('names every bad entry, without its value', () => {
    const mistakes = mistakesIn('ftp://s3cret@a,https://good.example,b');
    expect(mistakes).toEqual(['entry 1 is no https:// URL', 'entry 3 is no https:// URL']);
  });
});
