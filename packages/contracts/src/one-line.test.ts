import { expect, it } from '@jest/globals';
import { oneLine } from './one-line.js';

it.each([
  ['Ada Lovelace', 'Ada Lovelace'],
  ['  Ada\r\n\tBcc: x@example.com\u2028x\u0085y', 'Ada Bcc: x@example.com x y'],
  ['ada\0\u001b[31m\u007f', 'ada [31m'],
  ['\u202emoc.elpmaxe@ada\u202c\u2066\u200e\u061c', 'moc.elpmaxe@ada'],
  ['pay\u200bpal\u00ad\ufeff\u2060', 'paypal'],
  ['\ud83d ada \u{1f468}\u200d\u{1f469}', 'ada \u{1f468}\u200d\u{1f469}'],
  ['\u202e\n', ''],
  [`${'a'.repeat(39)}\u{1f469}`, 'a'.repeat(39)],
])('a name %j is shown as %j', (name, shown) => {
  expect(oneLine(name, 40)).toBe(shown);
});
