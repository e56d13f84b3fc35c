import { expect, it } from '@jest/globals';
import { maskedEmail } from './masked-email.js';

it('shows the first letters and the top-level domain of an address', () => {
  expect(maskedEmail('ada@example.com')).toBe('a***@e***.com');
  expect(maskedEmail('"a@b"@mail.example.org')).toBe('"***@m***.org');
  expect(maskedEmail('root@localhost')).toBe('r***@l***');
});
