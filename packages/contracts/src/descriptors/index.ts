import { DESCRIPTORS } from '../gen/descriptors.js';

/** A serialised google.protobuf.FileDescriptorSet of everything in proto/. */
export const descriptorSet: Uint8Array = Buffer.from(DESCRIPTORS, 'base64');
