import type { Migration } from '@junction/eventsourcing/postgres';

/** Several webhooks of a user may have one url: what each is for, its kinds and options say. */
export const webhooksSharingUrls: Migration = {
  name: 'webhooks/0009_webhooks_sharing_urls',

  async up(db) {
    await db.raw(`
      create index webhooks_at on webhooks (user_id, href);
      -- Configure makes one webhook of each url under the lock of its user (configure-webhook.ts), not by this key.
      alter table webhooks drop constraint webhooks_user_id_href_key;
    `);
  },
};
