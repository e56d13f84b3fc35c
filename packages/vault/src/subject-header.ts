import { unreadable } from './envelope.js';

const FORMAT = 1;

/** What stands before everything that is sealed for a subject: format and generation of the key. */
export const HEADER_BYTES = 5;

export function header(generation: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES);
  bytes.writeUInt8(FORMAT, 0);
  bytes.writeUInt32BE(generation, 1);
  return bytes;
}

export function generationOf(sealed: Buffer): number {
  if (sealed.length < HEADER_BYTES || sealed[0] !== FORMAT) throw unreadable();
  return sealed.readUInt32BE(1);
}
