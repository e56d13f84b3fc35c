/** Fields of a request's body, besides the data of the event. */
export interface BodyFields {
  readonly eventType: string;
  readonly userId: string;
  readonly time: Date;
  readonly webhookId: string;
}

/**
 * Returns the bytes of the request, which are fixed when the event is taken in and sent in every attempt. The data are
 * inserted as they came: parsing and printing them again would reorder keys, round numbers and break the promise of
 * "byte for byte". They must be a JSON object in UTF-8; the fields are JSON-encoded here.
 */
export function deliveryBody(
  { eventType, userId, time, webhookId }: BodyFields,
  data: Buffer,
): Buffer {
  const head = headOf({ eventType, userId });
  const tail = `${TIMESTAMP}${JSON.stringify(time.toISOString())},"webhook_id":${JSON.stringify(webhookId)}}`;
  const dataAt = Buffer.byteLength(head);
  const tailAt = dataAt + data.length;
  const body = Buffer.allocUnsafe(tailAt + Buffer.byteLength(tail));
  body.write(head);
  body.set(data, dataAt);
  body.write(tail, tailAt);
  return body;
}

/** Returns the data of the event in a body that `deliveryBody` made, as they came. */
export function dataIn(body: Buffer, event: Pick<BodyFields, 'eventType' | 'userId'>): Buffer {
  return body.subarray(Buffer.byteLength(headOf(event)), body.lastIndexOf(TIMESTAMP));
}

/** Begins what follows the data, and occurs nowhere behind its own beginning. */
const TIMESTAMP = ',"timestamp":';

const headOf = ({ eventType, userId }: Pick<BodyFields, 'eventType' | 'userId'>): string =>
  `{"event_type":${JSON.stringify(eventType)},"user_id":${JSON.stringify(userId)},"data":`;
