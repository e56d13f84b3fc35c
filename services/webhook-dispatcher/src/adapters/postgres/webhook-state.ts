/** State of a webhook `w` with its circuit `c` and its failures `f`, as every list shows, filters and counts it. */
export const STATE = `
case when w.status = 'active' and (f.webhook_id is not null or c.webhook_id is not null) then 'failing'
     else w.status end`;
