import { PAUSED_BY_OPERATOR } from './sending-pauses.js';

/** State of a webhook `w` with its circuit `c` and its failures `f`, as every list shows, filters and counts it. */
export const STATE = `
case when w.status <> 'active' then w.status
     when ${PAUSED_BY_OPERATOR} then 'paused'
     when f.webhook_id is not null or c.webhook_id is not null then 'failing'
     else w.status end`;
