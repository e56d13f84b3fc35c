/**
 * Order of the outcomes of a delivery, the deciding one first. A success always decides: a delivery may have been held
 * while its success was still to be written, and then the time of the hold is the later one.
 */
export const LAST_WORD = `status = 'succeeded' desc, at desc`;

/** Condition by which `r` of redeliveries sends `d` again: repeats of a repeat name the first delivery, too. */
export const REPEATS = `r.original_id = coalesce(d.original_id, d.delivery_id) and r.delivery_id > d.delivery_id`;

/**
 * Joins that tell how a delivery and its repeats stand together: pending or retrying if one of them is, succeeded if
 * one did, else as the latest of them. `d` is the delivery.
 */
export const STANDING_JOINS = `
  left join lateral (select status from endings o
                      where o.day = d.day and o.delivery_id = d.delivery_id
                      order by ${LAST_WORD} limit 1) o on true
  left join lateral (select status as waits from pending p
                      where p.delivery_id = d.delivery_id limit 1) p on true
  left join lateral (
    select max(rp.waits) as waits, bool_or(ro.status = 'succeeded') as succeeded,
           (array_agg(ro.status order by r.delivery_id desc))[1] as latest
      from redeliveries r
      left join lateral (select status as waits from pending p
                          where p.delivery_id = r.delivery_id limit 1) rp on true
      left join lateral (select status from endings o
                          where o.day = r.day and o.delivery_id = r.delivery_id
                          order by ${LAST_WORD} limit 1) ro on true
     where r.original_id = d.delivery_id) again on true`;

export const STANDING = `
  coalesce(p.waits, again.waits,
           case when o.status = 'succeeded' or again.succeeded then 'succeeded' end,
           again.latest, o.status, 'pending')`;
