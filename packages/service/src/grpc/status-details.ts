import { BadRequest, ErrorInfo, RetryInfo, RpcStatus } from '@junction/contracts';
import type { AppError } from '@junction/errors';

const DOMAIN = 'junction';

/**
 * Serialises a `google.rpc.Status` with ErrorInfo, BadRequest and RetryInfo: the details that tools and other
 * languages' clients know how to read.
 */
export function statusDetails(
  code: number,
  { code: reason, message, fields, retryAfterS }: AppError,
): Buffer {
  const details = [any('ErrorInfo', ErrorInfo.encode({ reason, domain: DOMAIN }))];
  if (fields.length > 0) {
    const fieldViolations = fields.map(({ field, code, message }) => ({
      field,
      description: message,
      reason: code,
    }));
    details.push(any('BadRequest', BadRequest.encode({ fieldViolations })));
  }
  if (retryAfterS !== undefined) {
    const retryDelay = { seconds: Math.ceil(retryAfterS), nanos: 0 };
    details.push(any('RetryInfo', RetryInfo.encode({ retryDelay })));
  }
  return Buffer.from(RpcStatus.encode({ code, message, details }).finish());
}

const any = (type: string, message: { finish(): Uint8Array }) => ({
  typeUrl: `type.googleapis.com/google.rpc.${type}`,
  value: Buffer.from(message.finish()),
});
