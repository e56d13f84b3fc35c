import type { Migration } from '@junction/eventsourcing-postgres';

export const providerRevocation: Migration = {
  name: 'integrations/0008_provider_revocation',

  async up(db) {
    await db.raw(`
      -- Of a connection that its user ended here: whether the tokens it had were revoked there too.
      alter table connections add column provider_revocation text
        check (provider_revocation in ('pending', 'done', 'unsupported', 'failed'));

      update connections c set provider_revocation = 'pending'
       where status = 'disconnected'
         and exists (select from provider_revocations r where r.connection_id = c.connection_id);
    `);
  },

  async down(db) {
    await db.raw('alter table connections drop column provider_revocation');
  },
};
