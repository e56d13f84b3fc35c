import type { Migration } from '@junction/eventsourcing-postgres';

/** How deliveries ended. That one succeeded follows from its attempt: a row of its own would say it twice. */
export const endings: Migration = {
  name: 'webhooks/0010_endings',

  async up(db) {
    await db.raw(`
      create view endings as
      select day, delivery_id, status, reason, at from outcomes
       union all
      select day, delivery_id, 'succeeded', null, at + total_ms * interval '1 ms'
        from attempts where result = 'succeeded'
    `);
  },

  async down(db) {
    await db.raw(`
      insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
      select e.day, e.delivery_id, d.webhook_id, e.status, e.reason, e.at
        from endings e join deliveries d using (day, delivery_id)
      on conflict do nothing;
      drop view endings;
    `);
  },
};
