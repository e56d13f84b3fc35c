import type { Server } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

/** Lets tools like grpcurl ask what this server offers (grpc.reflection.v1 and v1alpha). */
export function addReflection(server: Server, descriptorSet: Uint8Array): void {
  const definitions = loadFileDescriptorSetFromBuffer(Buffer.from(descriptorSet));
  new ReflectionService(definitions).addToServer(server);
}
