import { AppError } from '@junction/errors';
import { lockInSession } from '../locked-account.js';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { SessionCaller } from '../session/ports.js';
import { typedCode } from './typed-code.js';

const RECOVERY_CODES = 10;
const CODE_BYTES = 10;

/** Makes ten codes in place of those before. AppError `no_second_factor`, `invalid_token`. */
export const newRecoveryCodes =
  ({ unitOfWork, now, random }: Ports) =>
  async (caller: SessionCaller): Promise<readonly string[]> =>
    unitOfWork.inTurn(caller.userId, async (tx) => {
      const { userId } = caller;
      await lockInSession(tx, caller);
      if ((await tx.factors.list(userId)).length === 0) throw noFactor();
      const codes = makeCodes(random);
      const data = { at: now().toISOString() };
      await tx.handleUser(userId, { type: 'NewRecoveryCodes', data });
      await tx.recoveryCodes.replace(userId, codes.map(hashOfCode));
      return codes;
    });

/** Makes codes of eighty bits each, in groups that people can copy. */
export const makeCodes = (random: Ports['random']): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    [...random(CODE_BYTES).toString('hex').matchAll(/.{5}/g)].join('-'),
  );

export const hashOfCode = (code: string): Buffer => hashOfSecret(typedCode(code));

const noFactor = (): AppError =>
  new AppError('no_second_factor', 'Recovery codes come with a second factor. Add one.');
