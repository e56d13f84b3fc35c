export { type KeepOptions, keepLeases, type Leases } from './keep-leases.js';
export {
  type Held,
  LEASE,
  type LeaseTable,
  type LeaseTimes,
  leaseTable,
  trustedMs,
} from './lease-table.js';
export { type Member, type Members, members } from './members.js';
export { equalShareOf, shareOf } from './shares.js';
