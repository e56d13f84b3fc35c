import type { Migration } from '@junction/eventsourcing/postgres';

/** The key pairs of the service, and which webhooks they sign. */
export const webhookKeys: Migration = {
  name: 'webhooks/0007_webhook_keys',

  async up(db) {
    await db.raw(`
      -- A key is published from its creation until published_until, and signs from signs_from until signs_until: the
      -- key is known before it signs, and as long as requests that it signed may be under way.
      create table webhook_keys (
        kid             text        primary key,
        public_key      text        not null,

        -- The private key is destroyed once the key is published no more.
        private_sealed  bytea,

        created_at      timestamptz not null,
        signs_from      timestamptz not null check (signs_from >= created_at),
        signs_until     timestamptz,
        published_until timestamptz check (published_until >= signs_until),
        check ((signs_until is null) = (published_until is null)),
        check (private_sealed is not null or published_until is not null)
      );

      alter table webhooks add column signature text not null default 'hmac'
        check (signature in ('hmac', 'ed25519'));
    `);
  },
};
