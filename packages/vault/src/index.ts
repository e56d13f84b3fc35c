export { closedVault, hideSealed, SEALED } from './closed-vault.js';
export { type DataKeyRow, findDataKeyRows } from './data-keys.js';
export { type FollowedRing, followedRing } from './followed-ring.js';
export { type KeyRing, keyRing, type RingKey } from './key-ring.js';
export {
  type KeyStanding,
  listKeys,
  type RingUse,
  type Rotation,
  type RotationProgress,
  rotateKeys,
} from './key-rotation.js';
export { type KeySource, keySource, openKeyRing } from './key-source.js';
export { type KeyUse, requireKeys } from './key-use.js';
export { vaultMigrations } from './migrations.js';
export { ERASED, type PersonalFieldsOptions, personalFields } from './personal-fields.js';
export { type RingColumn, type RingPlace, ringPlaces } from './ring-columns.js';
export { openWithRing, sealWithRing } from './ring-seal.js';
export { type SubjectKeys, subjectKeys } from './subject-keys.js';
export { subjectVault, type Vault } from './subject-vault.js';
export { ShreddedError, VaultError, type VaultErrorCode } from './vault-errors.js';
