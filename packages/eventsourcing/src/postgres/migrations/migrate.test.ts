import { expect, it } from '@jest/globals';
import { refuseOlderServer } from './migrate.js';

it('a server before Postgres 18 is refused with its version', () => {
  expect(() => refuseOlderServer(170_006)).toThrow(
    'This Postgres is version 17 (server_version_num 170006). It takes 18 or newer',
  );
  for (const version of [180_000, 180_004, 190_000]) {
    expect(() => refuseOlderServer(version)).not.toThrow();
  }
});
