import { AppError } from '@junction/errors';
import { CODES_MAX, CODES_WINDOW_S, codeLimit, type LimitState } from '../../domain/code-limit.js';
import { isLive } from '../../domain/connection/events.js';
import type { Ports } from '../ports.js';
import { invalidAuthCode } from '../provider-refusal.js';
import type {
  AuthorizationQuery,
  CodeOutcome,
  ConnectOutcome,
  ConsumedAuthorization,
  SentCode,
} from './ports.js';

/** Longer than the provider may take to answer, and the saving after it. */
const EXCHANGED_WITHIN_S = 60;

type ConsumePorts = Pick<Ports, 'unitOfWork'>;

export interface CodePresented extends SentCode, AuthorizationQuery {
  /** Called with how many codes the user may still send. */
  readonly onLimit: (state: LimitState) => void;
}

/**
 * Uses up a code and the authorization that it is for. A user's codes are counted one after the other, on any replica.
 * A code that its user sent a moment ago has the outcome that it had then. AppError `too_many_codes`,
 * `invalid_auth_code` for a code that was used before or without an authorization, `invalid_state`; CodeUnderWay, or
 * the refusal that the code met.
 */
export const consumeCode = async (
  { unitOfWork }: ConsumePorts,
  presented: CodePresented,
): Promise<ConsumedAuthorization | ConnectOutcome> =>
  unitOfWork.inUserTurn(presented.userId, async ({ usedCodes, authorizations, connections }) => {
    const { userId, provider, state } = presented;
    const earlier = await usedCodes.find(presented, EXCHANGED_WITHIN_S);
    if (earlier === 'under_way') throw new CodeUnderWay();
    if (earlier !== undefined && earlier !== 'used') {
      const { connectionId, ...outcome } = outcomeOf(earlier);
      const known = await connections.ofKind(userId, provider);
      const connection = known.find((one) => one.connectionId === connectionId);
      if (connection && isLive(connection.status)) return { connectionId, ...outcome };
    }
    if (earlier !== undefined) throw usedBefore();
    const { isReached, ...limit } = codeLimit(
      await usedCodes.recent(userId, CODES_WINDOW_S, CODES_MAX),
    );
    presented.onLimit(limit);
    if (isReached) throw tooManyCodes(limit.resetS);
    // First, so that a code that somebody else sends at this moment costs no authorization.
    if (!(await usedCodes.add(presented))) throw usedBefore();
    const consumed = await authorizations.consume(presented, EXCHANGED_WITHIN_S);
    if (consumed) return consumed;
    throw state === undefined ? nothingBegun(provider) : invalidState(provider);
  });

function outcomeOf(earlier: CodeOutcome): ConnectOutcome {
  if ('connected' in earlier) return earlier.connected;
  const { message, fields, retryAfterS, ...problem } = earlier.refused;
  throw new AppError(problem, message, {
    fields,
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}

/** Keeps the refusal that a code met, for those who send it again. */
export const refuseCode = async (
  { unitOfWork }: ConsumePorts,
  code: SentCode,
  { kind, code: problem, message, fields, retryAfterS }: AppError,
): Promise<void> => {
  const refused = { kind, code: problem, message, fields, ...(retryAfterS && { retryAfterS }) };
  await unitOfWork.inUserTurn(code.userId, async ({ usedCodes }) =>
    usedCodes.end(code, { refused }),
  );
};

/** Error of a code whose connect goes on, on any replica. */
export class CodeUnderWay extends AppError {
  constructor() {
    super(
      'connection_contended',
      'A connect by this code is under way. Send it again in a moment.',
      {
        retryAfterS: 1,
      },
    );
  }
}

/** Makes code and authorization usable again, for a code that surely never reached the provider. */
export const releaseCode = async (
  { unitOfWork }: ConsumePorts,
  code: SentCode,
  consumed: ConsumedAuthorization,
): Promise<void> =>
  unitOfWork.inUserTurn(code.userId, async (tx) => {
    await tx.usedCodes.delete(code);
    await tx.authorizations.release(consumed);
  });

const beginWith = (provider: string): string =>
  `Begin with GET /api/integrations/${provider}/authorize and use the code within ten minutes.`;

const usedBefore = (): AppError => invalidAuthCode('This code was used before. A code works once.');

const tooManyCodes = (retryAfterS: number): AppError =>
  new AppError(
    'too_many_codes',
    `A user may send ${CODES_MAX} codes in ten minutes. Wait, and begin again with authorize.`,
    { retryAfterS },
  );

const nothingBegun = (provider: string): AppError =>
  invalidAuthCode(`No authorization is waiting for a code. ${beginWith(provider)}`);

function invalidState(provider: string): AppError {
  const message = `No authorization of yours is waiting under this state. ${beginWith(provider)}`;
  return new AppError('invalid_state', message, {
    fields: [{ field: 'state', code: 'invalid_state', message }],
  });
}
